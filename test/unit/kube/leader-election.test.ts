import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { fenceClient, NotLeaderError } from '../../../src/kube/fenced-client.ts'
import { leases, nodes } from '../../../src/kube/kinds.ts'
import type { CallOptions, WriteOptions } from '../../../src/kube/port.ts'
import type { ObjectKey, Resource } from '../../../src/kube/resource.ts'
import { acquireLeadership } from '../../../src/kube/leader-election.ts'
import { MetricCounts } from '../../support/controller-world.ts'
import { connectionTo, electionWorld, stoppableClock } from '../../support/election-world.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

test('the first one gets the lease, the second waits', async () => {
  const { clock, leaders, candidate, lease } = electionWorld()
  candidate('a')
  await clock.settle()
  candidate('b')
  await clock.run({ forMs: 60_000 })
  expect([...leaders.keys()]).toEqual(['a'])
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
})

test('a lease that is given up is taken over within a retry period', async () => {
  const { clock, leaders, candidate, lease } = electionWorld()
  candidate('a')
  await clock.settle()
  candidate('b')
  await clock.run({ forMs: 10_000 })
  const releasing = leaders.get('a')?.release()
  await clock.run({ forMs: 4_500 })
  await releasing
  expect(leaders.get('a')?.holds()).toBe(false)
  expect(leaders.get('a')?.lost.aborted).toBe(true)
  expect(leaders.get('b')?.holds()).toBe(true)
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
})

test('who gives up its lease does not wait for a server that never answers', async () => {
  const { clock, client, leaders, candidate, log } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_000 })
  client.update = async <T extends KubeObject>(_resource: Resource<T>, object: T, options?: WriteOptions) => {
    await clock.sleep(3_600_000, options?.signal)
    return object
  }
  let released = false
  void leaders
    .get('a')
    ?.release()
    .then(() => (released = true))
  await clock.run({ forMs: 11_000 })
  expect(released).toBe(true)
  expect(log.lines.some(({ message }) => message === 'failed to release the leader election lease')).toBe(true)
})

test('a process that is told to stop keeps its lease until it gives it up: what it has begun may be finished meanwhile', async () => {
  const { clock, leaders, candidate, stop } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_500 })
  stop.abort(new Error('stopping'))
  await clock.run({ forMs: 20_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  expect(leaders.get('a')?.holds()).toBe(true)
})

test('a lease that is given up is not renewed once more', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_500 })
  const releasing = leaders.get('a')?.release()
  await clock.run({ forMs: 10_000 })
  await releasing
  const updates = client.calls.filter(({ operation }) => operation === 'update').length
  await clock.run({ forMs: 10_000 })
  expect(client.calls.filter(({ operation }) => operation === 'update')).toHaveLength(updates)
})

test('a lease is given up, too, when a renewal is on its way that is written before its answer comes', async () => {
  const { clock, client, leaders, candidate, lease, log } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_500 })
  const update = client.update.bind(client)
  client.update = async <T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions) => {
    const written = await update(resource, object)
    await clock.sleep(1_000, options?.signal)
    return written
  }
  await clock.run({ forMs: 2_000 })
  void leaders.get('a')?.release()
  await clock.run({ forMs: 1_500 })
  expect((await lease()).spec?.holderIdentity).toBe('')
  expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([])
})

test('when the holder falls silent, its lease is taken after it has run out, by the own clock of the one who waits', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  const silent = connectionTo(client)
  let broken = false
  silent.update = <T extends KubeObject>(resource: Resource<T>, object: T) =>
    broken ? Promise.reject(new KubeError('Network', 0, 'cut off')) : client.update(resource, object)
  candidate('a', { client: silent })
  await clock.settle()
  candidate('b')
  await clock.run({ forMs: 20_000 })
  broken = true
  clock.jump(-3_600_000)
  await clock.run({ forMs: 9_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  await clock.run({ forMs: 3_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(true)
  expect(leaders.has('b')).toBe(false)
  await clock.run({ forMs: 10_000 })
  expect(leaders.get('b')?.holds()).toBe(true)
})

test('a replica that waits on a dead connection takes the lease over all the same', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  const waiting = connectionTo(client)
  const { get } = waiting
  candidate('a')
  await clock.settle()
  candidate('b', { client: waiting })
  await clock.run({ forMs: 20_000 })
  client.fault = ({ operation }) => {
    if (operation === 'update' && leaders.get('a')?.lost.aborted === false) throw new KubeError('Network', 0, 'cut off')
  }
  waiting.get = async <T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: CallOptions) => {
    waiting.get = get
    await clock.sleep(3_600_000, options?.signal)
    return get(resource, key)
  }
  await clock.run({ forMs: 30_000 })
  expect(leaders.get('b')?.holds()).toBe(true)
})

test('at no moment do two hold, whatever is cut off', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  let broken = false
  client.fault = (call) => {
    if (broken && call.operation === 'update') throw new KubeError('Network', 0, 'cut off')
  }
  candidate('a')
  candidate('b')
  candidate('c')
  for (let second = 0; second < 300; second++) {
    broken = second % 40 > 20
    await clock.run({ forMs: 1_000 })
    expect([...leaders.values()].filter((leadership) => leadership.holds()).length).toBeLessThanOrEqual(1)
  }
})

test('after the renew deadline no write goes out, even before the loss is noticed', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  candidate('a')
  await clock.settle()
  const leadership = leaders.get('a')
  const fenced = fenceClient(client, (operation) =>
    leadership?.holds() === true ? undefined : new NotLeaderError(operation),
  )
  await fenced.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} })
  client.fault = (call) => {
    if (call.resource === 'leases') throw new KubeError('Timeout', 504, 'slow')
  }
  await clock.run({ forMs: 12_000 })
  await expect(fenced.delete(nodes, { name: 'n' })).rejects.toMatchObject({ code: 'NotLeader' })
  expect((await fenced.get(nodes, { name: 'n' })).metadata.name).toBe('n')
})

test('a process that stood still keeps a lease that nobody wanted, and holds nothing until it has renewed it', async () => {
  const { clock, client, leaders, candidate, lease, log } = electionWorld()
  const stoppable = stoppableClock(clock)
  // No server answers in no time.
  const update = client.update.bind(client)
  client.update = async (...args) => {
    await clock.sleep(20)
    return update(...args)
  }
  candidate('a', { clock: stoppable.clock })
  await clock.run({ forMs: 5_000 })
  const standsStillFor = 60_000
  stoppable.stopUntil = clock.monotonicMs() + standsStillFor
  await clock.run({ forMs: standsStillFor - 1_000 })
  expect(leaders.get('a')?.holds()).toBe(false)
  await clock.run({ forMs: 2_000 })
  expect(leaders.get('a')?.holds()).toBe(true)
  await clock.run({ forMs: 60_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 })
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('a server that takes long to answer does not cost the lease', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 5_000 })
  const update = client.update.bind(client)
  client.update = async (...args) => {
    await clock.sleep(7_000)
    return update(...args)
  }
  await clock.run({ forMs: 120_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
})

test('a connection that is dead without a word does not cost the lease', async () => {
  const { clock, client, leaders, candidate, lease } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 5_000 })
  const update = client.update.bind(client)
  let open = 0
  client.update = async <T extends KubeObject>(_resource: Resource<T>, object: T, options?: WriteOptions) => {
    client.update = update
    open += 1
    await clock.sleep(3_600_000, options?.signal).finally(() => (open -= 1))
    return object
  }
  await clock.run({ forMs: 60_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  expect(leaders.get('a')?.holds()).toBe(true)
  expect(open).toBe(0)
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 })
})

test('a renewal during which the process stood still is tried again', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  const stoppable = stoppableClock(clock)
  candidate('a', { clock: stoppable.clock })
  await clock.run({ forMs: 5_000 })
  const update = client.update.bind(client)
  client.update = () => Promise.withResolvers<never>().promise
  await clock.run({ forMs: 2_000 })
  stoppable.stopUntil = clock.monotonicMs() + 30_000
  client.update = update
  await clock.run({ forMs: 40_000 })
  expect(leaders.get('a')?.holds()).toBe(true)
})

test('a process that stood still for so long that another one took the lease steps down', async () => {
  const { clock, leaders, candidate } = electionWorld()
  const stoppable = stoppableClock(clock)
  candidate('a', { clock: stoppable.clock })
  await clock.settle()
  candidate('b')
  await clock.run({ forMs: 5_000 })
  stoppable.stopUntil = clock.monotonicMs() + 60_000
  await clock.run({ forMs: 59_000 })
  expect(leaders.get('b')?.holds()).toBe(true)
  expect(leaders.get('a')?.holds()).toBe(false)
  await clock.run({ forMs: 3_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(true)
  expect(leaders.get('b')?.holds()).toBe(true)
})

test('while another installation renews its lease in another namespace, nobody acts', async () => {
  const { clock, leaders, candidate, log, lease } = electionWorld()
  candidate('old', { namespace: 'karpenter' })
  await clock.settle()
  candidate('new')
  await clock.run({ forMs: 120_000 })
  expect([...leaders.keys()]).toEqual(['old'])
  expect(log.lines.some((line) => line.message.startsWith('a lease of the same name is being renewed'))).toBe(true)
  expect((await lease()).spec?.holderIdentity === 'new' && leaders.has('new')).toBe(false)
  void leaders.get('old')?.release()
  await clock.run({ forMs: 120_000 })
  expect(leaders.get('new')?.holds()).toBe(true)
})

test('who is told to stop while somebody is watched gives the lease back', async () => {
  const { clock, candidate, lease, stop } = electionWorld()
  candidate('other', { namespace: 'karpenter' })
  await clock.run({ forMs: 60_000 })
  candidate('a')
  await clock.run({ forMs: 5_000 })
  expect((await lease()).spec?.holderIdentity).toBe('a')
  stop.abort(new Error('stopping'))
  await clock.run({ forMs: 1_000 })
  expect((await lease()).spec?.holderIdentity).toBe('')
})

/** Of an installation in another namespace, which nobody renews any more. */
const leftBehind = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace: 'karpenter' },
  spec: { holderIdentity: 'dead', leaseDurationSeconds: 15 },
}

test('a lease that somebody left behind in another namespace does not hold things up for long', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  await client.create(leases, leftBehind)
  candidate('new')
  await clock.run({ forMs: 35_000 })
  expect(leaders.get('new')?.holds()).toBe(true)
})

test('a lease that another one takes while somebody is watched is waited for anew', async () => {
  const { clock, client, leaders, candidate, lease } = electionWorld()
  await client.create(leases, leftBehind)
  candidate('new')
  await clock.run({ forMs: 10_000 })
  const current = await lease()
  await client.update(leases, { ...current, spec: { ...current.spec, holderIdentity: 'thief' } })
  await clock.run({ forMs: 3_000 })
  expect([...leaders.keys()]).toEqual([])
  await clock.run({ forMs: 60_000 })
  expect(leaders.get('new')?.holds()).toBe(true)
})

test('another installation that is restarted waits until its own lease has run out, and is waited for', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  const key = { namespace: 'karpenter', name: 'karpenter-leader-election' }
  await client.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: key,
    spec: { holderIdentity: 'before', leaseDurationSeconds: 15 },
  })
  candidate('new')
  await clock.run({ forMs: 20_000 })
  expect(leaders.has('new')).toBe(false)
  for (let renewal = 0; renewal < 30; renewal++) {
    const held = await client.get(leases, key)
    const renewTime = `2026-01-01T00:00:${renewal + 20}.000000Z`
    await client.update(leases, { ...held, spec: { ...held.spec, holderIdentity: 'after', renewTime } })
    await clock.run({ forMs: 2_000 })
  }
  expect(leaders.has('new')).toBe(false)
})

test('a renewal that fails while somebody is watched does not end the watch', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  candidate('old', { namespace: 'karpenter' })
  await clock.settle()
  const update = client.update.bind(client)
  let failures = 0
  const shaky = new FakeKubeClient()
  shaky.get = client.get.bind(client)
  shaky.create = client.create.bind(client)
  shaky.list = client.list.bind(client)
  shaky.update = async (resource, object) => {
    failures += 1
    if (failures < 3) throw new KubeError('Network', 0, 'cut off')
    return update(resource, object)
  }
  candidate('new', { client: shaky })
  await clock.run({ forMs: 60_000 })
  expect(failures).toBeGreaterThan(3)
  expect([...leaders.keys()]).toEqual(['old'])
})

test('who leads steps down for an installation that comes later and stays, and takes over again when that one goes', async () => {
  const { clock, client, leaders, candidate, log } = electionWorld()
  candidate('first')
  await clock.run({ forMs: 20_000 })
  expect(leaders.get('first')?.holds()).toBe(true)
  // An autoscaler that looks at nobody's lease but its own.
  const key = { namespace: 'karpenter', name: 'karpenter-leader-election' }
  await client.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: key,
    spec: { holderIdentity: 'careless', leaseDurationSeconds: 15, acquireTime: '2026-01-01T00:00:00.000000Z' },
  })
  for (let renewal = 0; renewal < 60 && leaders.get('first')?.holds() === true; renewal++) {
    const held = await client.get(leases, key)
    await client.update(leases, { ...held, spec: { ...held.spec, renewTime: `2026-01-01T00:00:${renewal}.000000Z` } })
    await clock.run({ forMs: 2_000 })
  }
  expect(leaders.get('first')?.lost.aborted).toBe(true)
  expect(leaders.get('first')?.holds()).toBe(false)
  expect(log.lines.some(({ message }) => message.endsWith('leaving the cluster to it'))).toBe(true)
  await leaders.get('first')?.release()
  candidate('again')
  await clock.run({ forMs: 35_000 })
  expect(leaders.get('again')?.holds()).toBe(true)
})

test('who leads does not step down for one that only tries', async () => {
  const { clock, leaders, candidate } = electionWorld()
  candidate('first')
  await clock.run({ forMs: 20_000 })
  candidate('second', { namespace: 'karpenter' })
  await clock.run({ forMs: 600_000 })
  expect(leaders.get('first')?.holds()).toBe(true)
  expect(leaders.has('second')).toBe(false)
})

test('who finds the lease in other hands stops at once, not at the end of its own deadline', async () => {
  const { clock, client, leaders, candidate, lease } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_000 })
  const current = await lease()
  await client.update(leases, { ...current, spec: { ...current.spec, holderIdentity: 'thief' } })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  // One retry, far from the ten seconds after which an unrenewed lease is given up.
  await clock.run({ forMs: 3_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(true)
  expect(leaders.get('a')?.holds()).toBe(false)
  await leaders.get('a')?.release()
  expect((await lease()).spec?.holderIdentity).toBe('thief')
})

test('who finds only when it gives the lease back that it is in other hands leaves it there', async () => {
  const { clock, client, leaders, candidate, lease } = electionWorld()
  candidate('a')
  await clock.run({ forMs: 10_500 })
  const current = await lease()
  await client.update(leases, { ...current, spec: { ...current.spec, holderIdentity: 'thief' } })
  await leaders.get('a')?.release()
  expect((await lease()).spec?.holderIdentity).toBe('thief')
})

test('a gauge tells who leads', async () => {
  const { clock, leaders, candidate } = electionWorld()
  const counts = new MetricCounts()
  const gaugeOf = (identity: string) => counts.gauge({ name: identity })
  const told = () => ['a', 'b'].map((identity) => counts.observed(identity, { name: 'karpenter-leader-election' }))
  candidate('a', { status: gaugeOf('a') })
  await clock.settle()
  candidate('b', { status: gaugeOf('b') })
  await clock.run({ forMs: 10_000 })
  expect(told()).toEqual([[1], [0]])
  void leaders.get('a')?.release()
  await clock.run({ forMs: 5_000 })
  expect(told()).toEqual([[0], [1]])
})

test('a lease in hand is renewed without being read; when somebody else wrote it, it is read once, renewed and counted', async () => {
  const clock = new VirtualClock()
  const client = new FakeKubeClient()
  const seen: string[] = []
  const read = client.get.bind(client)
  client.get = <T extends KubeObject>(resource: Resource<T>, object: ObjectKey) => {
    seen.push('get')
    return read(resource, object)
  }
  const slow: string[] = []
  const name = 'karpenter-leader-election'
  const key = { namespace: 'kube-system', name }
  void acquireLeadership(
    {
      ...{
        client,
        clock,
        random: fixedRandom(),
        log: recordingLogger(),
        name,
        namespace: 'kube-system',
        identity: 'a',
      },
      slowPath: { increment: (labels = {}) => void slow.push(labels['name'] ?? '') },
    },
    new AbortController().signal,
  )
  await clock.run({ forMs: 60_000 })
  expect([seen, slow]).toEqual([['get'], []])
  const before = await read(leases, key)
  await client.update(leases, { ...before, metadata: { ...before.metadata, labels: { touched: 'yes' } } })
  await clock.run({ forMs: 60_000 })
  expect([seen, slow]).toEqual([['get', 'get'], [name]])
  const after = await read(leases, key)
  expect(after.metadata.labels).toEqual({ touched: 'yes' })
  expect(Date.parse(after.spec?.renewTime ?? '')).toBeGreaterThan(clock.now() - 3_000)
  expect(after.spec).toMatchObject({ holderIdentity: 'a', acquireTime: before.spec?.acquireTime, leaseTransitions: 0 })
})
