import { expect, test } from 'vitest'
import { deployments, events, nodes, pods } from '../../../src/kube/kinds.ts'
import type { EmbeddedCluster } from '../../../src/embedded/cluster.ts'
import { aCluster, aDeployment, aPod, launchReady, listPods, patch } from './world.ts'

interface Line {
  readonly from: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly part: string | undefined
}

/** What is told of an object, oldest first. */
async function toldOf({ client }: EmbeddedCluster, kind: string, name: string): Promise<readonly Line[]> {
  const { items } = await client.list(events, { namespace: 'default' })
  return items
    .filter(({ involvedObject: about }) => about.kind === kind && about.name === name)
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map((event) => ({
      from: event.reportingComponent ?? '',
      type: event.type ?? '',
      reason: event.reason ?? '',
      message: event.message ?? '',
      part: event.involvedObject.fieldPath,
    }))
}

test('a pod tells where it was placed, and its kubelet what it started and stopped', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  const host = node?.metadata.name ?? ''
  await cluster.client.create(pods, aPod('one'))
  await cluster.clock.run({ forMs: 60_000 })
  const part = 'spec.containers{main}'
  const kubelet = { from: 'kubelet', type: 'Normal', part }
  const running: Line[] = [
    {
      from: 'default-scheduler',
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned default/one to ${host}`,
      part: undefined,
    },
    { ...kubelet, reason: 'Pulled', message: 'Container image "app:1" already present on machine' },
    { ...kubelet, reason: 'Created', message: 'Created container: main' },
    { ...kubelet, reason: 'Started', message: 'Started container main' },
  ]
  expect(await toldOf(cluster, 'Pod', 'one')).toEqual(running)
  await cluster.client.delete(pods, { namespace: 'default', name: 'one' })
  await cluster.clock.run({ forMs: 60_000 })
  expect(await toldOf(cluster, 'Pod', 'one')).toEqual([
    ...running,
    { ...kubelet, reason: 'Killing', message: 'Stopping container main' },
  ])
})

test('the scheduler writes its events in the newer form, kubelets in the older one with times and a count', async () => {
  const cluster = await aCluster()
  await launchReady(cluster)
  await cluster.client.create(pods, aPod('one'))
  await cluster.clock.run({ forMs: 60_000 })
  const { items } = await cluster.client.list(events, { namespace: 'default' })
  const of = (reason: string) => items.find((event) => event.reason === reason && event.involvedObject.name === 'one')
  expect(of('Scheduled')).toMatchObject({
    action: 'Binding',
    eventTime: expect.stringMatching(/\.\d{6}Z$/),
    firstTimestamp: null,
    lastTimestamp: null,
    source: {},
  })
  const started = of('Started')
  expect(started).toMatchObject({ count: 1, eventTime: null, source: { component: 'kubelet' } })
  expect(started?.lastTimestamp).toBe(started?.firstTimestamp)
  expect(started?.source?.host).toBe(started?.reportingInstance)
})

test('a pod that fits nowhere says so once for each new reason; the same reason again is counted', async () => {
  const cluster = await aCluster()
  await cluster.client.create(pods, aPod('big', { cpu: '64' }))
  await cluster.clock.run({ forMs: 10_000 })
  const none = 'no nodes available to schedule pods'
  const messages = async () => (await toldOf(cluster, 'Pod', 'big')).map(({ reason, message }) => [reason, message])
  expect(await messages()).toEqual([['FailedScheduling', none]])
  const [node] = await launchReady(cluster)
  expect((await messages()).at(-1)).toEqual([
    'FailedScheduling',
    '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  ])
  const before = await messages()
  await cluster.client.delete(nodes, { name: node?.metadata.name ?? '' })
  await cluster.clock.run({ forMs: 10_000 })
  const after = await messages()
  expect(after).toHaveLength(before.length)
  expect(after).toEqual(expect.arrayContaining([...before]))
  const { items } = await cluster.client.list(events, { namespace: 'default' })
  expect(items.find(({ message }) => message === none)?.series).toMatchObject({ count: 2 })
})

test('a node tells of its way into the cluster, of being cordoned, of falling silent and of going', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  const name = node?.metadata.name ?? ''
  const reasons = async () => (await toldOf(cluster, 'Node', name)).map(({ from, reason }) => `${from}: ${reason}`)
  const joined = [
    'kubelet: Starting',
    'kubelet: NodeHasSufficientMemory',
    'kubelet: NodeHasNoDiskPressure',
    'kubelet: NodeHasSufficientPID',
    'node-controller: RegisteredNode',
    'kubelet: NodeReady',
  ]
  expect(await reasons()).toEqual(joined)
  await patch(cluster, nodes, name, { spec: { unschedulable: true } }, '')
  await cluster.clock.run({ forMs: 1_000 })
  expect(await reasons()).toEqual([...joined, 'kubelet: NodeNotSchedulable'])
  const instance = node?.spec.providerID?.split('/').at(-1) ?? ''
  await cluster.aws.clients.ec2.terminateInstances({ InstanceIds: [instance] })
  await cluster.clock.run({ forMs: 300_000 })
  expect((await reasons()).at(-1)).toBe('node-controller: RemovingNode')
})

test('the pods of a node that nobody hears of are told that it is not ready', async () => {
  const cluster = await aCluster()
  const [node] = await launchReady(cluster)
  await cluster.client.create(pods, aPod('one'))
  await cluster.clock.run({ forMs: 60_000 })
  cluster.behaviours.setInstance(node?.spec.providerID?.split('/').at(-1) ?? '', { responds: false })
  await cluster.clock.run({ forMs: 60_000 })
  expect((await toldOf(cluster, 'Pod', 'one')).at(-1)).toMatchObject({
    from: 'node-controller',
    type: 'Warning',
    reason: 'NodeNotReady',
    message: 'Node is not ready',
  })
  expect((await toldOf(cluster, 'Node', node?.metadata.name ?? '')).at(-1)).toMatchObject({
    from: 'node-controller',
    reason: 'NodeNotReady',
  })
})

test('a deployment tells how it scales, its replica set which pods it made', async () => {
  const cluster = await aCluster()
  await cluster.client.create(deployments, aDeployment('web', 2))
  await cluster.clock.run({ forMs: 10_000 })
  const [pod] = await listPods(cluster)
  const set = pod?.metadata.ownerReferences?.[0]?.name ?? ''
  expect((await toldOf(cluster, 'Deployment', 'web')).map(({ message }) => message)).toEqual([
    `Scaled up replica set ${set} from 0 to 2`,
  ])
  const made = (await toldOf(cluster, 'ReplicaSet', set)).map(({ message }) => message)
  expect(made).toHaveLength(2)
  expect(made).toContain(`Created pod: ${pod?.metadata.name ?? ''}`)
})

test('a replica set that gets no pod says so once, however often it tries', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await client.create(deployments, aDeployment('web', 2, { priorityClassName: 'none' }))
  await clock.run({ forMs: 60_000 })
  const told = (await client.list(events, { namespace: 'default' })).items.filter(
    ({ reason }) => reason === 'FailedCreate',
  )
  const [first] = told
  expect(told).toHaveLength(1)
  const { name = '' } = first?.involvedObject ?? {}
  expect(first?.message).toBe(`Error creating: pods "${name}-" is forbidden: no PriorityClass with name none was found`)
  expect(first?.count).toBeGreaterThan(5)
})

test('an event is forgotten an hour after it was last told', async () => {
  const cluster = await aCluster()
  await cluster.client.create(pods, aPod('big', { cpu: '64' }))
  await cluster.clock.run({ forMs: 50 * 60_000 })
  expect(await toldOf(cluster, 'Pod', 'big')).toHaveLength(1)
  await cluster.clock.run({ forMs: 20 * 60_000 })
  expect(await toldOf(cluster, 'Pod', 'big')).toEqual([])
})
