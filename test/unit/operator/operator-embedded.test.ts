import { afterEach, describe, expect, test } from 'vitest'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, leases, nodes, pods } from '../../../src/kube/kinds.ts'
import type { Options } from '../../../src/operator/options.ts'
import {
  aDeployment,
  aFleet,
  anEmbeddedOperator,
  anOperatorOn,
  type EmbeddedOperator,
} from '../../support/embedded-operator.ts'

const running: EmbeddedOperator[] = []

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
})

async function world(changes: Partial<Options> = {}): Promise<EmbeddedOperator> {
  const started = await anEmbeddedOperator(changes)
  running.push(started)
  return started
}

test('pending pods get nodes, and the nodes go when the pods are gone', async () => {
  const { cluster, operator, log } = await world()
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  await aDeployment(cluster, 10)
  const allRunning = async (): Promise<boolean> => {
    const { items } = await cluster.client.list(pods, { namespace: 'default' })
    return items.length === 10 && items.every((pod) => pod.status?.phase === 'Running')
  }
  await cluster.clock.run({ forMs: 300_000 })
  const errors = log.lines
    .filter(({ level }) => level === 'error')
    .map(({ message, fields }) => [fields['controller'], message, String(fields['err'])])
  expect(errors).toEqual([])
  expect(await allRunning()).toBe(true)
  const claims = (await cluster.client.list(nodeClaims)).items
  expect(claims.length).toBeGreaterThan(0)
  expect((await cluster.client.list(nodes, { labelSelector: 'karpenter.sh/nodepool=default' })).items).toHaveLength(
    claims.length,
  )

  await cluster.client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { replicas: 0 } } },
  )
  await cluster.clock.run({ forMs: 600_000 })
  expect((await cluster.client.list(nodeClaims)).items).toEqual([])
  expect(log.lines.map(({ message }) => message)).toContain('disrupting node(s)')
})

test('an orderly stop gives the lease back', async () => {
  const { cluster, operator } = await world()
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  const lease = () => cluster.client.get(leases, { namespace: 'kube-system', name: 'karpenter-leader-election' })
  expect((await lease()).spec?.holderIdentity).toBe('test')
  const stopping = operator.stop()
  await cluster.clock.run({ forMs: 60_000 })
  await stopping
  expect(await operator.finished).toBe('stopped')
  expect((await lease()).spec?.holderIdentity ?? '').toBe('')
})

test('an observer decides and writes nothing', async () => {
  const { cluster, operator, log } = await world({ observe: true })
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  const { items } = await cluster.client.list(nodePools)
  expect(items[0]?.status).toBeUndefined()
  expect(log.lines.map(({ message }) => message)).toContain('write held back in observe mode')
})

describe('an observer beside a fleet of others', () => {
  const patch = { kind: 'merge' } as const

  /** Ten pods on their nodes, whose operator has stopped. */
  async function anAbandonedFleet(afterMs = 600_000): Promise<EmbeddedOperator> {
    const started = await world()
    const { cluster, operator } = started
    await aFleet(cluster, ['spot'])
    await aDeployment(cluster, 10)
    await cluster.clock.run({ forMs: afterMs })
    const stopping = operator.stop()
    await cluster.clock.run({ forMs: 60_000 })
    await stopping
    expect((await cluster.client.list(nodeClaims)).items.length).toBeGreaterThan(0)
    return started
  }

  const scale = ({ client }: EmbeddedOperator['cluster'], replicas: number) =>
    client.patch(deployments, { namespace: 'default', name: 'web' }, { ...patch, body: { spec: { replicas } } })

  const heldBack = (log: EmbeddedOperator['log']): unknown[] =>
    log.lines
      .filter(({ message }) => message === 'write held back in observe mode')
      .map(({ fields }) => fields['controller'])

  const errors = (log: EmbeddedOperator['log']) =>
    log.lines.filter(({ level }) => level === 'error').map(({ message, fields }) => [message, String(fields['err'])])

  test.each([
    ['nodes that are empty', 0, 'disruption'],
    ['pods that wait', 30, 'provisioner'],
  ])('would see to %s; that it does not is no error', async (_, replicas, controller) => {
    const { cluster } = await anAbandonedFleet()
    const before = (await cluster.client.list(nodeClaims)).items
    const { operator, log } = anOperatorOn(cluster, { observe: true })
    await scale(cluster, replicas)
    await cluster.clock.run({ forMs: 120_000 })
    expect(heldBack(log)).toContain(controller)
    expect(errors(log)).toEqual([])
    expect((await cluster.client.list(nodeClaims)).items).toEqual(before)
    void operator.stop()
    await cluster.clock.run({ forMs: 60_000 })
  })

  test('takes no message from those who wait for it, and leaves their launch templates', async () => {
    const { cluster } = await anAbandonedFleet(50_000)
    const { operator, log } = anOperatorOn(cluster, { observe: true, interruptionQueue: cluster.interruptionQueue })
    const [instance] = cluster.aws.state.instances
    cluster.aws.interrupt(instance?.id ?? '', 'rebalance')
    const templates = cluster.aws.state.launchTemplates.length
    await cluster.clock.run({ forMs: 900_000 })
    const messages = cluster.aws.state.queues.flatMap((queue) => queue.messages)
    expect(messages.map(({ receives }) => receives)).toEqual([0])
    expect([templates > 0, cluster.aws.state.launchTemplates.length]).toEqual([true, templates])
    expect(errors(log)).toEqual([])
    void operator.stop()
    await cluster.clock.run({ forMs: 60_000 })
  })
})

test('nodes that come and go change what a class counts, and overlays are not evaluated again for it', async () => {
  const { cluster, operator, metrics } = await world({ featureGates: { NodeOverlay: true } })
  const evaluations = async (): Promise<number> => {
    const { text } = await metrics.render()
    const counts = text.matchAll(/reconcile_total\{controller="nodeoverlay\.controller",result="[a-z_]+"\} (\d+)/g)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const nodesOfClass = async () => (await cluster.client.get(ec2NodeClasses, { name: 'default' })).status?.nodes ?? 0
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  const before = await evaluations()
  expect(before).toBeGreaterThan(0)
  await aDeployment(cluster, 10)
  await cluster.clock.run({ forMs: 300_000 })
  expect(await nodesOfClass()).toBeGreaterThan(0)
  expect(await evaluations()).toBe(before)
})
