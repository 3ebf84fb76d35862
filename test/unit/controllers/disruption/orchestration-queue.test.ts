import { describe, expect, test } from 'vitest'
import { nodeClaimConditions, setCondition } from '../../../../src/api/conditions.ts'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import type { QueuedCommand } from '../../../../src/controllers/disruption/index.ts'
import type { Command, Replacement } from '../../../../src/disruption/command.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { minute } from '../../../support/disruption-builders.ts'
import { replacement } from '../../../support/disruption-deps.ts'
import { aQueue } from './queue-world.ts'

describe('replacements that do not come', () => {
  test('case 103: after ten minutes the command is rolled back, and the replacement is left alone', async () => {
    const { world, queue, first, marked, begin, isTainted, reasonOf, failures } = await aQueue()
    await begin(['new'])
    await world.start(queue.controller())
    await world.run(10 * minute)
    expect(await isTainted('a')).toBe(true)
    expect(marked.size).toBe(1)
    await world.run(2_000)
    expect(await isTainted('a')).toBe(false)
    expect(await reasonOf(first)).toBeUndefined()
    expect(marked.size).toBe(0)
    expect(queue.queued.size).toBe(0)
    expect(await world.exists(nodeClaims, { name: 'new' })).toBe(true)
    expect(failures()).toBe(1)
  })

  test('a replacement that is known and on its way is asked for every ten seconds, and again before its old node goes', async () => {
    const { world, queue, seen, begin } = await aQueue()
    await begin(['new'])
    const created = await world.read(nodeClaims, { name: 'new' })
    seen.set('new', created)
    let asked = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'get' && resource === 'nodeclaims') asked += 1
    }
    await world.start(queue.controller())
    await world.run(24_500)
    expect(asked).toBe(3)
    // The cache is ahead of nothing: what it says is confirmed before anything goes.
    const initialized = { type: 'Initialized', status: 'True' } as const
    seen.set('new', setCondition(created, nodeClaimConditions, initialized, world.clock.now()))
    await world.run(1_000)
    expect([asked, queue.queued.size]).toEqual([4, 1])
  })

  test('a command of which a step is refused every time is given up as well', async () => {
    const { world, queue, marked, begin, isTainted } = await aQueue()
    await begin([])
    let asked = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'delete' || resource !== 'nodeclaims') return
      asked += 1
      throw new KubeError('Forbidden', 403, 'no')
    }
    await world.start(queue.controller())
    await world.run(minute)
    // After one, two, four and eight seconds, and then every ten, each lengthened a little.
    expect(asked).toBeGreaterThanOrEqual(6)
    expect(asked).toBeLessThanOrEqual(9)
    await world.run(9 * minute)
    expect(await isTainted('a')).toBe(true)
    await world.run(16_000)
    expect(await isTainted('a')).toBe(false)
    expect([marked.size, queue.queued.size]).toEqual([0, 0])
    const [failed] = world.logged('failed terminating nodes while executing a disruption command')
    expect(failed?.['err']).toEqual(new Error('command reached timeout, no'))
  })

  test('a node that has been asked to go is asked and counted once, however often another one cannot be asked', async () => {
    const { world, queue, begin } = await aQueue(['a', 'b'])
    await begin([])
    const asked: string[] = []
    world.kube.fault = ({ operation, resource, name = '' }) => {
      if (operation !== 'delete' || resource !== 'nodeclaims') return
      asked.push(name)
      if (name === 'claim-b' && asked.filter((each) => each === name).length <= 3)
        throw new KubeError('InternalError', 500, 'not now')
    }
    await world.start(queue.controller())
    await world.run(minute)
    expect(asked.toSorted()).toEqual(['claim-a', 'claim-b', 'claim-b', 'claim-b', 'claim-b'])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(2)
    expect(world.counts.sum('karpenter_pods_disruption_initiated_total')).toBe(2)
    expect(queue.queued.size).toBe(0)
  })

  test('of a command that is given up, a node that has been asked to go is not given back', async () => {
    const { world, queue, stored, marked, begin, isTainted } = await aQueue(['a', 'b'])
    await begin([])
    world.kube.fault = ({ operation, resource, name = '' }) => {
      if (operation === 'delete' && resource === 'nodeclaims' && name === 'claim-b')
        throw new KubeError('Forbidden', 403, 'no')
    }
    await world.start(queue.controller())
    await world.run(11 * minute)
    expect(queue.queued.size).toBe(0)
    expect([await isTainted('a'), await isTainted('b')]).toEqual([true, false])
    expect([...marked]).toEqual([stored[0]?.providerID])
  })

  test('case 63: nodes go when all of their replacements are initialized', async () => {
    const { world, queue, begin } = await aQueue()
    await begin(['first', 'second'])
    const ready = async (name: string): Promise<void> => {
      const claim = await world.read(nodeClaims, { name })
      const change = { type: 'Initialized', status: 'True', reason: 'Initialized', message: '' } as const
      const { status } = setCondition(claim, nodeClaimConditions, change, world.clock.now())
      await world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status } })
    }
    await world.start(queue.controller())
    await ready('first')
    await world.run(minute)
    expect(await world.exists(nodeClaims, { name: 'claim-a' })).toBe(true)
    await ready('second')
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name: 'claim-a' })).toBe(false)
  })

  test('one that was seen ready once has done its part, whatever becomes of it while others are waited for', async () => {
    const { world, queue, begin, known } = await aQueue()
    await begin(['first', 'second'])
    const ready = async (name: string): Promise<void> => {
      const claim = await world.read(nodeClaims, { name })
      const { status } = setCondition(claim, nodeClaimConditions, { type: 'Initialized', status: 'True' }, 0)
      await world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status } })
    }
    await world.start(queue.controller())
    await ready('first')
    await world.run(minute)
    const told = (reason: string) =>
      new Set(
        world.recorder.published.filter((each) => each.reason === reason).map(({ object }) => object.metadata.name),
      )
    expect([told('DisruptionLaunching'), told('DisruptionWaitingReadiness')]).toEqual([
      new Set(['first', 'second']),
      new Set(['first', 'second']),
    ])
    await world.kube.delete(nodeClaims, { name: 'first' })
    known.delete('first')
    await ready('second')
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name: 'claim-a' })).toBe(false)
  })

  test('each that did not come is counted, under the decision in the place of the type', async () => {
    const { world, queue, begin } = await aQueue()
    await begin(['first', 'second', 'third'])
    const claim = await world.read(nodeClaims, { name: 'first' })
    const { status } = setCondition(claim, nodeClaimConditions, { type: 'Initialized', status: 'True' }, 0)
    await world.kube.patch(nodeClaims, { name: 'first' }, { kind: 'merge', body: { status } })
    await world.start(queue.controller())
    await world.run(11 * minute)
    const labels = { decision: 'replace', reason: 'drifted', consolidation_type: 'replace' }
    expect(world.counts.sum('karpenter_voluntary_disruption_queue_failures_total', labels)).toBe(2)
  })

  test('a command whose last replacement is ready only after its time is called late, though its node goes', async () => {
    const { world, queue, begin, failures } = await aQueue()
    await begin(['new'])
    await world.start(queue.controller())
    await world.run(10 * minute + 500)
    const claim = await world.read(nodeClaims, { name: 'new' })
    const { status } = setCondition(claim, nodeClaimConditions, { type: 'Initialized', status: 'True' }, 0)
    await world.kube.patch(nodeClaims, { name: 'new' }, { kind: 'merge', body: { status } })
    await world.run(1_000)
    expect(await world.exists(nodeClaims, { name: 'claim-a' })).toBe(false)
    expect(world.logged('failed terminating nodes while executing a disruption command')).toHaveLength(1)
    expect([queue.queued.size, failures()]).toEqual([0, 0])
  })

  test('another claim that bears the name of a candidate by now stays, and the command is over', async () => {
    const { world, queue, first, begin } = await aQueue()
    await begin([])
    const { name } = first.nodeClaim.metadata
    await world.kube.delete(nodeClaims, { name })
    await world.kube.create(nodeClaims, { ...first.nodeClaim, metadata: { ...first.nodeClaim.metadata, uid: 'new' } })
    await world.start(queue.controller())
    await world.run(5_000)
    expect(await world.exists(nodeClaims, { name })).toBe(true)
    expect(queue.commands).toEqual([])
  })

  test('a node that cannot be given back keeps neither the others nor the command', async () => {
    const { world, queue, marked, begin, isTainted, failures } = await aQueue(['a', 'b'])
    await begin(['new'])
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'patch' && resource === 'nodes' && name === 'a') throw new KubeError('Forbidden', 403, 'not a')
    }
    await world.start(queue.controller())
    await world.run(11 * minute)
    expect([await isTainted('a'), await isTainted('b')]).toEqual([true, false])
    expect([marked.size, queue.queued.size, failures()]).toEqual([0, 0, 1])
    const [failed] = world.logged('failed terminating nodes while executing a disruption command')
    expect(String(failed?.['err'])).toMatch(/command reached timeout, .*; .*not a/)
  })

  test.each([
    [10_000, 13 * minute + 20_000],
    [80_000, 60 * minute],
  ])('case 104: with %i candidates queued it is given more time', async (queued, timeoutMs) => {
    const { world, queue, first, begin } = await aQueue()
    await begin(['new'])
    const [command] = queue.commands
    if (command === undefined) throw new Error('nothing is queued')
    const many = Array.from({ length: queued - 1 }, (_, index) => ({ ...first, providerID: `other-${index}` }))
    const others = { ...command.command, candidates: many } as unknown as Command<Replacement>
    // Waits as well, and began later.
    const later: QueuedCommand = {
      ...command,
      id: 'many',
      command: others,
      startedAt: world.clock.monotonicMs() + 60 * minute,
    }
    queue.add(later)
    await world.start(queue.controller())
    await world.run(timeoutMs)
    expect(queue.commands.map(({ id }) => id)).toEqual(['one', 'many'])
    await world.run(2_000)
    expect(queue.commands.map(({ id }) => id)).toEqual(['many'])
  })

  test('case 105: one that the API server does not show, but state knows, is waited for', async () => {
    const { world, queue, begin, isTainted, known } = await aQueue()
    await begin(['new'])
    await world.kube.delete(nodeClaims, { name: 'new' })
    await world.start(queue.controller())
    await world.run(minute)
    expect(await isTainted('a')).toBe(true)
    known.delete('new')
    await world.run(2_000)
    expect(await isTainted('a')).toBe(false)
    expect(queue.commands).toEqual([])
  })

  test.each(['before', 'after'])('one that is taken away %s it is initialized is none', async (when) => {
    const { world, queue, begin, isTainted, first } = await aQueue()
    await begin(['new'])
    const patch = (body: object) => world.kube.patch(nodeClaims, { name: 'new' }, { kind: 'merge', body })
    await patch({ metadata: { finalizers: ['karpenter.sh/termination'] } })
    if (when === 'after') {
      const claim = await world.read(nodeClaims, { name: 'new' })
      const initialized = { type: 'Initialized', status: 'True' } as const
      await patch({ status: setCondition(claim, nodeClaimConditions, initialized, world.clock.now()).status })
    }
    await world.kube.delete(nodeClaims, { name: 'new' })
    await world.start(queue.controller())
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(true)
    expect(await isTainted('a')).toBe(false)
    expect(queue.commands).toEqual([])
  })

  test('a candidate goes when its replacement is initialized, not before', async () => {
    const { world, queue, begin, first } = await aQueue()
    const { name } = first.nodeClaim.metadata
    await begin(['new'])
    await world.start(queue.controller())
    await world.run(minute)
    expect(await world.exists(nodeClaims, { name })).toBe(true)
    const claim = await world.read(nodeClaims, { name: 'new' })
    const ready = setCondition(claim, nodeClaimConditions, { type: 'Initialized', status: 'True' }, world.clock.now())
    await world.kube.patch(nodeClaims, { name: 'new' }, { kind: 'merge', body: { status: ready.status } })
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name })).toBe(false)
  })
})

test('a taint that somebody has taken off meanwhile is put back before the claim is deleted', async () => {
  const { world, queue, begin, isTainted } = await aQueue(['a', 'b'])
  await begin([])
  const foreign = [{ key: 'example.com/maintenance', effect: 'NoSchedule' as const }]
  await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints: foreign } } })
  const done: string[] = []
  world.kube.fault = ({ operation, resource }) => {
    done.push(`${operation} ${resource}`)
  }
  await world.start(queue.controller())
  await world.run(2_000)
  expect(done.filter((each) => /^(patch nodes|delete nodeclaims)$/.test(each))).toEqual([
    'patch nodes',
    'delete nodeclaims',
    'delete nodeclaims',
  ])
  expect(await isTainted('a')).toBe(true)
  const { taints } = (await world.read(nodes, { name: 'a' })).spec
  expect(taints?.map(({ key }) => key)).toEqual(['example.com/maintenance', taintDisrupted.key])
})

test('a command whose step is refused again and again does not slow the others', async () => {
  const { world, queue, stored, known, command } = await aQueue(['a', 'b'])
  const [refused, waiting] = stored
  if (refused === undefined || waiting === undefined) throw new Error('no candidates')
  const tries: number[] = []
  world.kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'delete' || resource !== 'nodeclaims' || name !== refused.nodeClaim.metadata.name) return
    tries.push(world.clock.monotonicMs())
    throw new KubeError('Forbidden', 403, 'a policy says no')
  }
  const startedAt = world.clock.monotonicMs()
  const parts = { initialized: new Set<string>(), askedToGo: new Set<string>(), askedAt: new Map(), startedAt }
  queue.add({ ...parts, id: 'refused', command: { ...command([]), candidates: [refused] }, replacements: [] })
  const others = { initialized: new Set<string>(), askedToGo: new Set<string>(), askedAt: new Map(), startedAt }
  const replacing = { ...command([replacement]), candidates: [waiting] as const }
  queue.add({ ...others, id: 'waiting', command: replacing, replacements: ['new'] })
  const claim = await world.kube.create(nodeClaims, aClaim('new'))
  known.add('new')
  await world.start(queue.controller())
  await world.run(2 * minute)
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
  expect(gaps[0]).toBeLessThan(3_000)
  expect(Math.min(...gaps.slice(-3))).toBeGreaterThanOrEqual(10_000)
  const initialized = { type: 'Initialized', status: 'True' } as const
  const { status } = setCondition(claim, nodeClaimConditions, initialized, world.clock.now())
  await world.kube.patch(nodeClaims, { name: 'new' }, { kind: 'merge', body: { status } })
  await world.run(1_500)
  expect(await world.exists(nodeClaims, { name: waiting.nodeClaim.metadata.name })).toBe(false)
})

test('case 107: a deletion waits for nothing', async () => {
  const { world, queue, begin, stored } = await aQueue(['a', 'b'])
  await begin([])
  await world.start(queue.controller())
  await world.run(0)
  for (const { nodeClaim } of stored)
    expect(await world.exists(nodeClaims, { name: nodeClaim.metadata.name })).toBe(false)
})
