import { describe, expect, test } from 'vitest'
import { evictionQueue } from '../../../../src/controllers/node/index.ts'
import { machineLookup } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aNode, aPod } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

async function aQueue(pod = aPod('app')) {
  const world = aControllerWorld()
  const { metadata } = await world.kube.create(pods, pod)
  const queue = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  await world.start(queue.controller)
  const of = { namespace: 'default', name: 'app', uid: metadata.uid }
  const refusing = (error: KubeError) => {
    world.kube.fault = ({ operation }) => {
      if (operation === 'evict') throw error
    }
  }
  const tries = () => world.kube.calls.filter(({ operation }) => operation === 'evict').length
  const answered = (code: string) => world.counts.sum('karpenter_pods_eviction_requests_total', { code })
  return {
    ...world,
    add: (deadline?: number) => queue.add(of, deadline),
    queued: () => queue.has(of),
    refusing,
    tries,
    answered,
  }
}

test.each([
  ['is gone', '404', new KubeError('NotFound', 404, 'gone')],
  ['is another one by now', '409', new KubeError('Conflict', 409, 'uid differs')],
])('a pod that %s is forgotten, and its answer counted', async (_name, code, error) => {
  const { add, answered, counts, events, queued, refusing, run, tries } = await aQueue()
  refusing(error)
  add()
  await run(60_000)
  expect([tries(), answered(code), queued()]).toEqual([1, 1, false])
  expect(events('Evicted')).toEqual([])
  expect(counts.sum('karpenter_pods_drained_total')).toBe(0)
})

test('an answer that says nothing of the pod is counted, and the eviction tried again', async () => {
  const { add, answered, queued, refusing, run, tries } = await aQueue()
  refusing(new KubeError('InternalError', 500, 'etcd'))
  add()
  await run(5_000)
  expect(tries()).toBeGreaterThan(3)
  expect(answered('500')).toBe(tries())
  expect(queued()).toBe(true)
})

test('an answer that never came is not counted', async () => {
  const { add, answered, refusing, run, tries } = await aQueue()
  refusing(new KubeError('Network', 0, 'connection reset'))
  add()
  await run(5_000)
  expect(tries()).toBeGreaterThan(3)
  expect(answered('0')).toBe(0)
})

test('a refusal that says nothing of budgets is an error, and blames none', async () => {
  const { add, events, kube, logged, refusing, run } = await aQueue(aPod('app', { spec: { nodeName: 'n1' } }))
  await kube.create(nodes, aNode('n1'))
  await run(0)
  refusing(new KubeError('InternalError', 500, 'etcd'))
  add()
  await run(5_000)
  expect(logged('Reconciler error')[0]).toMatchObject({ err: { message: 'etcd' } })
  expect(events('FailedDraining')).toEqual([])
})

test('another pod that has come under the name just then is not evicted', async () => {
  const world = await aQueue()
  const { kube } = world
  const evict = kube.evict.bind(kube)
  kube.evict = async (key, options) => {
    await kube.delete(pods, key)
    await kube.create(pods, aPod('app'))
    await evict(key, options)
  }
  world.add()
  await world.run(5_000)
  expect(await world.exists(pods, { namespace: 'default', name: 'app' })).toBe(true)
  expect(world.events('Evicted')).toEqual([])
})

describe('a deadline', () => {
  const graces = async (deadlinesInSeconds: readonly (number | undefined)[]) => {
    const world = await aQueue(aPod('app', { spec: { terminationGracePeriodSeconds: 30 } }))
    world.refusing(new KubeError('TooManyRequests', 429, 'Cannot evict pod'))
    const begin = world.clock.now()
    for (const seconds of deadlinesInSeconds) {
      world.add(seconds === undefined ? undefined : begin + seconds * 1_000)
    }
    await world.run(69_000)
    const before = await world.exists(pods, { namespace: 'default', name: 'app' })
    await world.run(20_000)
    return [before, await world.exists(pods, { namespace: 'default', name: 'app' })]
  }

  test('that is over for the grace of the pod deletes it past its budget', async () => {
    expect(await graces([100])).toEqual([true, false])
    expect(await graces([undefined])).toEqual([true, true])
  })

  test('is not brought forward by a clock that is set before it is looked at', async () => {
    const world = await aQueue(aPod('app', { spec: { terminationGracePeriodSeconds: 30 } }))
    world.refusing(new KubeError('TooManyRequests', 429, 'Cannot evict pod'))
    world.add(world.clock.now() + 100_000)
    world.clock.jump(3_600_000)
    await world.run(69_000)
    expect(await world.exists(pods, { namespace: 'default', name: 'app' })).toBe(true)
    await world.run(20_000)
    expect(await world.exists(pods, { namespace: 'default', name: 'app' })).toBe(false)
  })

  test('is brought forward, never put off or taken back', async () => {
    expect(await graces([undefined, 300, 100])).toEqual([true, false])
    expect(await graces([100, 300, undefined])).toEqual([true, false])
    expect(await graces([300])).toEqual([true, true])
  })
})

test.each([
  ['its node cannot be found', undefined, 'pod has no node, failed looking up pod eviction reason'],
  ['its node has no claim', 'n1', 'node has no nodeclaim, failed looking up pod eviction reason'],
])('where %s an eviction has no reason', async (_name, nodeName, message) => {
  const spec = nodeName === undefined ? {} : { nodeName }
  const { add, counts, events, kube, logged, run } = await aQueue(aPod('app', { spec }))
  await kube.create(nodes, aNode('n1'))
  await run(0)
  add()
  await run(1_000)
  expect(events('Evicted')).toEqual(['Evicted pod: '])
  expect(counts.sum('karpenter_pods_drained_total', { reason: '' })).toBe(1)
  expect(logged(message)).toHaveLength(1)
})
