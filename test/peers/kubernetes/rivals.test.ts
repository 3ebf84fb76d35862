import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lease } from '../../../src/api/kubernetes.ts'
import { leases } from '../../../src/kube/kinds.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { toMicroTimestamp } from '../../../src/model/clock.ts'
import { connect } from '../support/client.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { type MotoAccount, startMotoAccount } from '../support/moto-account.ts'
import { type OperatorProcess, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { repeat, type Repeating } from '../support/repeat.ts'
import { installRBAC, operatorAccount } from '../support/shipped.ts'

const lease = { namespace: 'karpenter', name: 'karpenter-leader-election' }
const renewMs = 2_000
/** More than a renew deadline. */
const stillMs = 12_000

await describeWithPeers('two autoscalers on one cluster', ['kube-apiserver', 'kubectl', 'moto'], () => {
  let controlPlane: ControlPlane
  let account: MotoAccount
  let kube: HTTPClient
  let operator: OperatorProcess
  let rival: Repeating | undefined

  const start = async () =>
    startOperator({
      kubeconfig: await controlPlane.serviceAccountKubeconfig(operatorAccount.namespace, operatorAccount.name),
      account,
      endpoint: controlPlane.url,
    })
  const ownLease = () => kube.get(leases, { ...lease, namespace: operatorAccount.namespace })
  const says = async (text: string) => (await operator.lines()).some(({ message }) => message.includes(text))

  beforeAll(async () => {
    controlPlane = await startControlPlane()
    await installCRDs(controlPlane)
    await installRBAC(controlPlane)
    account = await startMotoAccount('1.33')
    kube = connect(controlPlane.kubeconfig)
    await controlPlane.request('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: lease.namespace },
    })
  })
  reportFailures(() => operator.logTail(200))
  afterAll(async () => {
    await rival?.stop()
    await operator.dispose()
    await kube.close()
    await account.stop()
    await controlPlane.stop()
  })

  /** An autoscaler of another namespace, which looks at nobody's lease but its own. */
  async function startRival(holderIdentity: string): Promise<Repeating> {
    const now = () => toMicroTimestamp(Date.now())
    const spec: Lease['spec'] = { holderIdentity, leaseDurationSeconds: 15, acquireTime: now(), renewTime: now() }
    const known = await kube.get(leases, lease).catch(() => undefined)
    if (known === undefined) {
      await kube.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease, spec })
    } else await kube.update(leases, { ...known, spec })
    return repeat(renewMs, async () => {
      await kube.patch(leases, lease, { kind: 'merge', body: { spec: { renewTime: now() } } })
    })
  }

  test('an operator that comes second acts only when the other one has gone', async () => {
    rival = await startRival('other-1')
    operator = await start()
    await eventually('it says who is in its way', () => says('two installations would act on one cluster'))
    expect(await says('controllers started')).toBe(false)
    await rival.stop()
    await eventually('it takes over', () => says('controllers started'))
  })

  test('one that stood still for longer than it may keep trying goes on, since nobody took its lease', async () => {
    const pid = await operator.pid()
    process.kill(pid, 'SIGSTOP')
    const { spec: before } = await ownLease()
    await sleep(stillMs)
    const wokenAt = Date.now()
    process.kill(pid, 'SIGCONT')
    const renewedAt = async () => Date.parse((await ownLease()).spec?.renewTime ?? '')
    // More than the one renewal that may still have been on its way.
    await eventually('it goes on renewing its lease', async () => (await renewedAt()) > wokenAt + 2 * renewMs)
    expect((await ownLease()).spec?.leaseTransitions).toBe(before?.leaseTransitions)
    expect(await operator.pid()).toBe(pid)
    expect(await says('leader election lost')).toBe(false)
  })

  test('an operator that was first leaves the cluster to one that does not ask', async () => {
    rival = await startRival('other-2')
    await eventually('it ends', async () => operator.ended)
    expect(await says('leaving the cluster to it')).toBe(true)
    expect((await ownLease()).spec?.holderIdentity ?? '').toBe('')
  })
})
