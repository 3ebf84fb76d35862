import { expect, test } from 'vitest'
import { conditionIn } from '../../../../src/api/conditions.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { runDurationAnnotation } from '../../../../src/embedded/kubelet/behaviour.ts'
import { csiNodes, leases, nodes, pods } from '../../../../src/kube/kinds.ts'
import { aCluster, aPod, conditionOf, getPod, launch, launchReady, listNodes, listPods } from '../world.ts'

test('an instance becomes a node with what a real one has', async () => {
  const cluster = await aCluster()
  const { clock, client, aws } = cluster
  const [id = ''] = await launch(cluster, { zone: 1 })
  await clock.run({ forMs: 29_000 })
  expect(await listNodes(cluster)).toEqual([])
  await clock.run({ forMs: 2_000 })
  const [node] = await listNodes(cluster)
  const instance = aws.account.instance(id)
  expect(node?.metadata.name).toBe(`ip-${instance?.privateIP.replaceAll('.', '-')}.us-west-2.compute.internal`)
  expect(node?.spec.providerID).toBe(`aws:///us-west-2b/${id}`)
  expect(node?.metadata.labels).toMatchObject({
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': node?.metadata.name,
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': 'us-west-2b',
    'topology.kubernetes.io/region': 'us-west-2',
    'topology.k8s.aws/zone-id': 'usw2-az1',
    team: 'core',
  })
  expect(node?.spec.taints).toEqual(
    expect.arrayContaining([
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
      expect.objectContaining({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }),
    ]),
  )
  expect(node?.status?.capacity).toMatchObject({ cpu: '2', pods: '29' })
  expect(conditionOf(node ?? {}, 'Ready')).toMatchObject({ status: 'False' })
  expect((await client.list(leases, { namespace: 'kube-node-lease' })).items).toHaveLength(1)
  expect((await client.list(csiNodes)).items[0]?.spec.drivers[0]).toMatchObject({ name: 'ebs.csi.aws.com', nodeID: id })

  await clock.run({ forMs: 10_000 })
  const [ready] = await listNodes(cluster)
  expect(conditionOf(ready ?? {}, 'Ready')).toMatchObject({
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: '2026-01-01T00:00:40Z',
  })
  expect(ready?.spec.taints).toEqual([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }])
})

test('a node says which system its image is', async () => {
  const cluster = await aCluster()
  await launch(cluster)
  for (const image of cluster.aws.state.images) image.name = 'bottlerocket-aws-k8s-1.33-x86_64-v1.49.0-0123abcd'
  await cluster.clock.run({ forMs: 31_000 })
  const [node] = await listNodes(cluster)
  const osImage = 'Bottlerocket OS 1.49.0 (aws-k8s-1.33)'
  expect(node?.status?.nodeInfo).toMatchObject({ operatingSystem: 'linux', osImage })
})

/** When the only node's kubelet was last heard of: by its lease, and by its condition `Ready`. */
async function lastHeard(cluster: EmbeddedCluster): Promise<{ readonly lease: unknown; readonly status: unknown }> {
  const [lease] = (await cluster.client.list(leases, { namespace: 'kube-node-lease' })).items
  const ready = conditionIn((await listNodes(cluster))[0]?.status?.conditions, 'Ready')
  return { lease: lease?.spec?.renewTime, status: ready?.lastHeartbeatTime }
}

test('kubelets with heartbeats renew their lease every ten seconds, and report every five minutes, until they fall silent', async () => {
  const cluster = await aCluster({ heartbeats: true })
  const [id = ''] = await launch(cluster, { userData: 'plain' })
  // The node comes after half a minute and is ready ten seconds later.
  await cluster.clock.run({ forMs: 335_000 })
  const before = conditionIn((await listNodes(cluster))[0]?.status?.conditions, 'Ready')
  expect(await lastHeard(cluster)).toEqual({
    lease: expect.stringMatching(/^2026-01-01T00:05:3[0-5]/),
    status: '2026-01-01T00:00:40Z',
  })
  await cluster.clock.run({ forMs: 10_000 })
  expect(await lastHeard(cluster)).toEqual({
    lease: expect.stringMatching(/^2026-01-01T00:05:4[0-5]/),
    status: '2026-01-01T00:05:40Z',
  })
  const after = conditionIn((await listNodes(cluster))[0]?.status?.conditions, 'Ready')
  expect(after).toEqual({ ...before, lastHeartbeatTime: '2026-01-01T00:05:40Z' })
  cluster.behaviours.setInstance(id, { responds: false })
  const last = await lastHeard(cluster)
  await cluster.clock.run({ forMs: 600_000 })
  expect(await lastHeard(cluster)).toEqual(last)
})

test('a kubelet leaves alone what others tell of its node', async () => {
  const cluster = await aCluster()
  const [id = ''] = await launch(cluster)
  await cluster.clock.run({ forMs: 35_000 })
  const [node] = await listNodes(cluster)
  const known = { type: 'KernelDeadlock', status: 'False', lastHeartbeatTime: '2026-01-01T00:00:30Z' }
  const conditions = [...(node?.status?.conditions ?? []), known]
  await cluster.client.patch(
    nodes,
    { name: node?.metadata.name ?? '' },
    { kind: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  )
  await cluster.clock.run({ forMs: 60_000 })
  cluster.behaviours.setInstance(id, { healthy: false })
  await cluster.clock.run({ forMs: 60_000 })
  const [ill] = await listNodes(cluster)
  expect(conditionOf(ill ?? {}, 'Ready')).toMatchObject({ status: 'False', lastHeartbeatTime: '2026-01-01T00:01:35Z' })
  expect(conditionOf(ill ?? {}, 'KernelDeadlock')).toMatchObject(known)
})

test('a condition that lasts keeps the time of its begin', async () => {
  const cluster = await aCluster()
  const [id = ''] = await launch(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  cluster.behaviours.setInstance(id, { conditions: { MemoryPressure: 'True' } })
  await cluster.clock.run({ forMs: 60_000 })
  cluster.behaviours.setInstance(id, { healthy: false })
  await cluster.clock.run({ forMs: 60_000 })
  const [node] = await listNodes(cluster)
  expect(conditionOf(node ?? {}, 'MemoryPressure')).toMatchObject({
    status: 'True',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  })
})

test('GPUs appear some time after the node is ready', async () => {
  const cluster = await aCluster({ machines: { devicesMs: 60_000 } })
  await launch(cluster, { type: 'g4dn.xlarge' })
  await cluster.clock.run({ forMs: 60_000 })
  expect((await listNodes(cluster))[0]?.status?.allocatable?.['nvidia.com/gpu']).toBeUndefined()
  await cluster.clock.run({ forMs: 60_000 })
  expect((await listNodes(cluster))[0]?.status?.allocatable?.['nvidia.com/gpu']).toBe('1')
})

test('a node on Windows, and none on Linux, has addresses of which pods ask for one', async () => {
  const cluster = await aCluster()
  const addresses = async () =>
    (await launchReady(cluster)).map(({ status }) => status?.allocatable?.['vpc.amazonaws.com/PrivateIPv4Address'])
  expect(await addresses()).toEqual([undefined])
  for (const image of cluster.aws.state.images) image.platform = 'windows'
  expect(await addresses()).toEqual(['9'])
})

test('a machine may never join, join late, or never become ready', async () => {
  const cluster = await aCluster()
  const [never = '', late = '', broken = ''] = await launch(cluster, { count: 3 })
  cluster.behaviours.setInstance(never, { joins: false })
  cluster.behaviours.setInstance(late, { bootMs: 600_000 })
  cluster.behaviours.setInstance(broken, { becomesReady: false })
  await cluster.clock.run({ forMs: 300_000 })
  const early = await listNodes(cluster)
  expect(early.map(({ spec }) => spec.providerID?.split('/').at(-1))).toEqual([broken])
  expect(conditionOf(early[0] ?? {}, 'Ready')).toMatchObject({ status: 'False' })
  await cluster.clock.run({ forMs: 400_000 })
  expect(await listNodes(cluster)).toHaveLength(2)
})

test('a broken image breaks every machine that boots from it', async () => {
  const cluster = await aCluster()
  const image = cluster.aws.state.images.find(({ name }) => name.includes('x86_64-standard'))
  cluster.behaviours.setImage(image?.id ?? '', { becomesReady: false })
  await launch(cluster, { count: 2 })
  await cluster.clock.run({ forMs: 300_000 })
  const ready = (await listNodes(cluster)).map((node) => conditionOf(node, 'Ready'))
  expect(ready).toMatchObject([{ status: 'False' }, { status: 'False' }])
})

test('a kubelet whose node was deleted does not register again', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.delete(nodes, { name: node?.metadata.name ?? '' })
  await cluster.clock.run({ forMs: 600_000 })
  expect(await listNodes(cluster)).toEqual([])
})

test('a bound pod runs, is ready with an address, and stops in its grace period', async () => {
  const cluster = await aCluster({ machines: { podStopMs: 8_000 } })
  await launchReady(cluster)
  await cluster.client.create(pods, aPod('web', { terminationGracePeriodSeconds: 30 }))
  await cluster.clock.run({ forMs: 5_000 })
  const pod = await getPod(cluster, 'web')
  expect(pod.status).toMatchObject({ phase: 'Running', podIP: expect.stringMatching(/^10\./) })
  expect(conditionOf(pod, 'Ready')).toMatchObject({ status: 'True' })
  expect(pod.status?.containerStatuses?.[0]).toMatchObject({ name: 'main', ready: true, state: { running: {} } })
  await cluster.client.delete(pods, { namespace: 'default', name: 'web' })
  await cluster.clock.run({ forMs: 7_000 })
  expect((await getPod(cluster, 'web')).metadata.deletionTimestamp).toBeDefined()
  await cluster.clock.run({ forMs: 2_000 })
  expect(await listPods(cluster)).toEqual([])
})

test('a pod that hangs stays until it is deleted by force', async () => {
  const cluster = await aCluster({ machines: { podsHang: true } })
  await launchReady(cluster)
  await cluster.client.create(pods, aPod('web'))
  await cluster.clock.run({ forMs: 5_000 })
  await cluster.client.delete(pods, { namespace: 'default', name: 'web' })
  await cluster.clock.run({ forMs: 600_000 })
  expect(await listPods(cluster)).toHaveLength(1)
  await cluster.client.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 })
  expect(await listPods(cluster)).toEqual([])
})

test('a pod that may end does so after the time it names', async () => {
  const cluster = await aCluster()
  await launchReady(cluster)
  const annotations = { [runDurationAnnotation]: '90s' }
  await cluster.client.create(pods, aPod('once', { restartPolicy: 'Never' }, { annotations }))
  await cluster.clock.run({ forMs: 60_000 })
  expect((await getPod(cluster, 'once')).status?.phase).toBe('Running')
  await cluster.clock.run({ forMs: 40_000 })
  expect((await getPod(cluster, 'once')).status?.phase).toBe('Succeeded')
})

test('crashing containers never become ready', async () => {
  const cluster = await aCluster({ machines: { podsCrash: true } })
  await launchReady(cluster)
  await cluster.client.create(pods, aPod('web'))
  await cluster.clock.run({ forMs: 60_000 })
  const pod = await getPod(cluster, 'web')
  expect(conditionOf(pod, 'Ready')).toMatchObject({ status: 'False' })
  expect(pod.status?.containerStatuses?.[0]?.state).toMatchObject({ waiting: { reason: 'CrashLoopBackOff' } })
})
