import { expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { karpenterCRDs } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useKarpenter } from '../support/use-karpenter.ts'

await describeWithPeers(
  'Karpenter reads through our definitions',
  ['kube-apiserver', 'kubectl', 'moto', 'karpenter'],
  () => {
    const world = useKarpenter()

    test('what both take it finds ready', async () => {
      await world().kube.create(ec2NodeClasses, aNodeClass('v20260101', { name: 'plain' }))
      await eventually('the class is ready', () => isReady('plain'))
    })

    test('a kubelet setting of a type that it does not expect keeps it from seeing any class', async () => {
      await world().kube.create(ec2NodeClasses, withKubelet('odd', { podsPerCore: '2' }))
      const failures = async () =>
        (await world().karpenter.logTail(Infinity)).split('failed to list *v1.EC2NodeClass').length - 1
      await eventually('it says so', async () => (await failures()) > 0)
      await world().kube.create(ec2NodeClasses, aNodeClass('v20260101', { name: 'late' }))
      // The first of them may have been under way.
      const before = await failures()
      await eventually('it has looked twice since', async () => (await failures()) >= before + 2)
      await expect(world().kube.get(ec2NodeClasses, { name: 'late' })).resolves.not.toHaveProperty('status')
    })

    test('with its own definitions put back, the API server says which', async () => {
      for (const input of await karpenterCRDs()) {
        const flags = ['--server-side', '--force-conflicts']
        expect(await world().controlPlane.kubectl(['apply', ...flags, '-f', '-'], { input })).toMatchObject({ code: 0 })
      }
      // As a new one: of one that is there, the server does not judge again what an update leaves as it is.
      const odd = JSON.stringify(withKubelet('odd', { podsPerCore: '2' }))
      await eventually('it is refused', async () => {
        const { code, stderr } = await world().controlPlane.kubectl(['create', '--dry-run=server', '-f', '-'], {
          input: odd,
        })
        return code !== 0 && stderr.includes('spec.kubelet.podsPerCore: Invalid value')
      })
    })

    test('once it is mended, all classes are seen', async () => {
      const body = { spec: { kubelet: { podsPerCore: 2 } } }
      await world().kube.patch(ec2NodeClasses, { name: 'odd' }, { kind: 'merge', body })
      await eventually('all are ready', async () => (await isReady('odd')) && (await isReady('late')))
    })

    async function isReady(name: string): Promise<boolean> {
      return isConditionTrue(await world().kube.get(ec2NodeClasses, { name }), 'Ready')
    }
  },
)

function withKubelet(name: string, kubelet: Readonly<Record<string, unknown>>) {
  return aNodeClass('v20260101', { name, nodeClass: { kubelet } })
}
