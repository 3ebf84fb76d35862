import { expect, test } from 'vitest'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aCluster, aPod, conditionOf, getPod, launch, launchReady, listNodes, listPods, patch } from '../world.ts'

const noExecute = { key: 'down', effect: 'NoExecute' } as const

test('a silent kubelet makes its node unreachable after forty seconds, and its pods go when their patience ends', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.create(pods, aPod('web'))
  await cluster.clock.run({ forMs: 5_000 })
  const id = node?.spec.providerID?.split('/').at(-1) ?? ''
  cluster.behaviours.setInstance(id, { responds: false })
  await cluster.clock.run({ forMs: 39_000 })
  expect(conditionOf((await listNodes(cluster))[0] ?? {}, 'Ready')).toMatchObject({ status: 'True' })
  await cluster.clock.run({ forMs: 2_000 })
  const [gone] = await listNodes(cluster)
  expect(conditionOf(gone ?? {}, 'Ready')).toMatchObject({
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    lastHeartbeatTime: '2026-01-01T00:00:40Z',
  })
  expect(gone?.spec.taints).toMatchObject([
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
  ])
  expect(conditionOf(await getPod(cluster, 'web'), 'Ready')).toMatchObject({ status: 'False' })
  await cluster.clock.run({ forMs: 290_000 })
  expect((await getPod(cluster, 'web')).metadata.deletionTimestamp).toBeUndefined()
  await cluster.clock.run({ forMs: 15_000 })
  // Nobody is there to stop its containers: the pod stays, marked for deletion.
  expect((await getPod(cluster, 'web')).metadata.deletionTimestamp).toBeDefined()
  cluster.behaviours.setInstance(id, { responds: true })
  await cluster.clock.run({ forMs: 60_000 })
  expect(await listPods(cluster)).toEqual([])
  expect((await listNodes(cluster))[0]?.spec.taints ?? []).toEqual([])
})

test('a node that says it is not ready is tainted until it recovers', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  const id = node?.spec.providerID?.split('/').at(-1) ?? ''
  cluster.behaviours.setInstance(id, { healthy: false })
  await cluster.clock.run({ forMs: 1_000 })
  expect((await listNodes(cluster))[0]?.spec.taints?.map(({ key }) => key)).toEqual([
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/not-ready',
  ])
  cluster.behaviours.setInstance(id, { healthy: true })
  await cluster.clock.run({ forMs: 1_000 })
  expect((await listNodes(cluster))[0]?.spec.taints ?? []).toEqual([])
})

test('a node whose instance is gone is deleted, and so are its pods', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.create(pods, aPod('web'))
  await cluster.clock.run({ forMs: 5_000 })
  cluster.aws.terminateOutOfBand(node?.spec.providerID?.split('/').at(-1) ?? '')
  await cluster.clock.run({ forMs: 60_000 })
  expect(await listNodes(cluster)).toEqual([])
  expect(await listPods(cluster)).toHaveLength(1)
  await cluster.clock.run({ forMs: 60_000 })
  expect(await listPods(cluster)).toEqual([])
})

test('a cordoned node gets the unschedulable taint', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.patch(
    nodes,
    { name: node?.metadata.name ?? '' },
    { kind: 'merge', body: { spec: { unschedulable: true } } },
  )
  await cluster.clock.settle()
  expect((await listNodes(cluster))[0]?.spec.taints).toMatchObject([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
  ])
})

test('a NoExecute taint drives out who does not tolerate it', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.create(pods, aPod('goes'))
  await cluster.client.create(pods, aPod('stays', { tolerations: [{ key: 'x', operator: 'Exists' }] }))
  await cluster.client.create(
    pods,
    aPod('waits', { tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }] }),
  )
  await cluster.clock.run({ forMs: 5_000 })
  const taints = [{ key: 'x', effect: 'NoExecute' }]
  await cluster.client.patch(nodes, { name: node?.metadata.name ?? '' }, { kind: 'merge', body: { spec: { taints } } })
  await cluster.clock.run({ forMs: 30_000 })
  expect((await listPods(cluster)).map(({ metadata }) => metadata.name)).toEqual(['stays', 'waits'])
  await cluster.clock.run({ forMs: 60_000 })
  expect((await listPods(cluster)).map(({ metadata }) => metadata.name)).toEqual(['stays'])
})

test.each([
  ['evicted', 'EvictionByEvictionAPI'],
  ['driven out', 'DeletionByTaintManager'],
])('a pod that is %s says why it goes, though no budget covers it', async (how, reason) => {
  const cluster = await aCluster({ machines: { podStopMs: 20_000 } })
  const [node] = await launchReady(cluster)
  await cluster.client.create(pods, aPod('web'))
  await cluster.clock.run({ forMs: 5_000 })
  if (how === 'evicted') await cluster.client.evict({ namespace: 'default', name: 'web' })
  else await patch(cluster, nodes, node?.metadata.name ?? '', { spec: { taints: [noExecute] } }, '')
  await cluster.clock.run({ forMs: 1_000 })
  const leaving = await getPod(cluster, 'web')
  expect(leaving.metadata.deletionTimestamp).toBeDefined()
  expect(conditionOf(leaving, 'DisruptionTarget')).toMatchObject({ status: 'True', reason })
})

test('an agent removes its startup taint some time after the node is ready', async () => {
  const cluster = await aCluster({ taintAgents: [{ taintKey: 'cilium', afterMs: 20_000 }] })
  await launch(cluster, { userData: `--register-with-taints="cilium=:NoExecute,other=:NoSchedule"` })
  await cluster.clock.run({ forMs: 45_000 })
  const keys = async () => (await listNodes(cluster))[0]?.spec.taints?.map(({ key }) => key)
  expect(await keys()).toEqual(['cilium', 'other'])
  await cluster.clock.run({ forMs: 20_000 })
  expect(await keys()).toEqual(['other'])
})

test('a machine that flaps is ready and not ready by turns', async () => {
  const cluster = await aCluster({ machines: { flapMs: 60_000 } })
  await launchReady(cluster)
  const seen: unknown[] = []
  for (let minute = 0; minute < 4; minute += 1) {
    const [node] = await listNodes(cluster)
    seen.push((conditionOf(node ?? {}, 'Ready') as { status?: string }).status)
    await cluster.clock.run({ forMs: 60_000 })
  }
  expect(seen).toEqual(['True', 'False', 'True', 'False'])
})
