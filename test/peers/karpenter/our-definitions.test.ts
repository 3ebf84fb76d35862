import { afterAll, beforeAll, expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { connect } from '../support/client.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { karpenterCRDs, type KarpenterProcess, startKarpenter } from '../support/karpenter-process.ts'
import { type MotoAccount, startMotoAccount } from '../support/moto-account.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

await describeWithPeers(
  'Karpenter reads through our definitions',
  ['kube-apiserver', 'kubectl', 'moto', 'karpenter'],
  () => {
    const controlPlane = useControlPlane()
    let account: MotoAccount
    let kube: HTTPClient
    let karpenter: KarpenterProcess
    beforeAll(async () => {
      await installCRDs(controlPlane())
      account = await startMotoAccount('1.36')
      const { kubeconfig, url: endpoint } = controlPlane()
      kube = connect(kubeconfig)
      await kube.create(ec2NodeClasses, aNodeClass('v20260101', { name: 'plain' }))
      karpenter = await startKarpenter({ kubeconfig, account, endpoint })
    })
    reportFailures(() => karpenter.logTail())
    afterAll(async () => {
      await karpenter.dispose()
      await kube.close()
      await account.stop()
    })

    test('what both take it finds ready', async () => {
      await eventually('the class is ready', () => isReady('plain'))
    })

    test('a kubelet setting of a type that it does not expect keeps it from seeing any class', async () => {
      await kube.create(ec2NodeClasses, withKubelet('odd', { podsPerCore: '2' }))
      await eventually('it says so', async () =>
        (await karpenter.logTail(Infinity)).includes('failed to list *v1.EC2NodeClass'),
      )
      await kube.create(ec2NodeClasses, aNodeClass('v20260101', { name: 'late' }))
      await expect(kube.get(ec2NodeClasses, { name: 'late' })).resolves.not.toHaveProperty('status')
    })

    test('with its own definitions put back, the API server says which', async () => {
      for (const input of await karpenterCRDs()) {
        const flags = ['--server-side', '--force-conflicts']
        expect(await controlPlane().kubectl(['apply', ...flags, '-f', '-'], { input })).toMatchObject({ code: 0 })
      }
      // As a new one: of one that is there, the server does not judge again what an update leaves as it is.
      const odd = JSON.stringify(withKubelet('odd', { podsPerCore: '2' }))
      await eventually('it is refused', async () => {
        const { code, stderr } = await controlPlane().kubectl(['create', '--dry-run=server', '-f', '-'], { input: odd })
        return code !== 0 && stderr.includes('spec.kubelet.podsPerCore: Invalid value')
      })
    })

    test('once it is mended, all classes are seen', async () => {
      const body = { spec: { kubelet: { podsPerCore: 2 } } }
      await kube.patch(ec2NodeClasses, { name: 'odd' }, { kind: 'merge', body })
      await eventually('all are ready', async () => (await isReady('odd')) && (await isReady('late')))
    })

    async function isReady(name: string): Promise<boolean> {
      return isConditionTrue(await kube.get(ec2NodeClasses, { name }), 'Ready')
    }
  },
)

function withKubelet(name: string, kubelet: Readonly<Record<string, unknown>>) {
  return aNodeClass('v20260101', { name, nodeClass: { kubelet } })
}
