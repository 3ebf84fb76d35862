import { describe, expect, test } from 'vitest'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import { conditionOf, nodeClaimConditions, setCondition } from '../../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { taintDisrupted } from '../../../../src/api/labels.ts'
import { cleanUpAbandoned } from '../../../../src/controllers/disruption/clean-up.ts'
import {
  OrchestrationQueue,
  type QueuedCommand,
  LateReplacements,
  UndoneConsolidations,
} from '../../../../src/controllers/disruption/index.ts'
import { clearDisruption, markDisrupted } from '../../../../src/controllers/disruption/marking.ts'
import type { DisruptionDeps } from '../../../../src/controllers/disruption/deps.ts'
import { startCommand } from '../../../../src/controllers/disruption/start-command.ts'
import type { Candidate } from '../../../../src/disruption/candidates.ts'
import type { Command, Replacement } from '../../../../src/disruption/command.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { noRequirements } from '../../../../src/model/requirements.ts'
import { aClaim, aPod } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aWorld, candidatesOf, minute } from '../../../support/disruption-builders.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'

const replacement: Replacement = { nodePool: 'default', requirements: noRequirements, instanceTypes: [] }

/** Candidates `a`, `b`, … whose nodes and claims are stored, and the queue. */
async function aQueue(names: readonly string[] = ['a']) {
  const world = aControllerWorld()
  const marked = new Set<string>()
  const known = new Set<string>()
  const found: string[] = []
  /** By name: replacements as the cache has them, where it has any. */
  const seen = new Map<string, NodeClaim>()
  const stored: Candidate[] = []
  for (const each of candidatesOf(
    aWorld({ nodes: names.map((name) => aStateNode(name, { pods: [aRunningPod()] })) }),
  )) {
    const node = await world.kube.create(nodes, each.node)
    const nodeClaim = await world.kube.create(nodeClaims, each.nodeClaim)
    stored.push({ ...each, node, nodeClaim })
  }
  const [first, ...others] = stored
  if (first === undefined) throw new Error('no candidate')
  const cluster = {
    markForDeletion: (...keys: readonly string[]) => {
      for (const key of keys) marked.add(key)
    },
    unmarkForDeletion: (...keys: readonly string[]) => {
      for (const key of keys) marked.delete(key)
    },
    nominate: () => undefined,
    hasNodeClaim: (name: string) => known.has(name),
    nodeClaim: (name: string) => seen.get(name),
    foundPod: (pod: Pod) => void found.push(pod.metadata.name),
  }
  const late = new LateReplacements(world.clock)
  const undone = new UndoneConsolidations(world.clock, () => new Map())
  const deps = { ...world, random: fixedRandom(), cluster, late, undone } as unknown as DisruptionDeps<Replacement>
  const queue = new OrchestrationQueue(deps)
  const command = (replacements: readonly Replacement[]): Command<Replacement> => ({
    method: 'drift',
    reason: 'Drifted',
    candidates: [first, ...others],
    replacements,
    destinations: [],
  })
  /** With its nodes tainted and its replacements created, as a start leaves it. */
  const begin = async (
    replacements: readonly string[],
    why: Pick<Command<Replacement>, 'method' | 'reason'> = { method: 'drift', reason: 'Drifted' },
  ): Promise<void> => {
    for (const candidate of stored) await markDisrupted(deps, candidate.node, candidate.nodeClaim, why.reason)
    for (const name of replacements) {
      await world.kube.create(nodeClaims, aClaim(name))
      known.add(name)
    }
    cluster.markForDeletion(...stored.map(({ providerID }) => providerID))
    const queued = {
      command: { ...command(replacements.map(() => replacement)), ...why },
      replacements,
      initialized: new Set<string>(),
      askedToGo: new Set<string>(),
      askedAt: new Map<string, number>(),
    }
    queue.add({ id: 'one', ...queued, startedAt: world.clock.monotonicMs() })
  }
  const isTainted = async (name: string): Promise<boolean> =>
    (await world.read(nodes, { name })).spec.taints?.some(({ key }) => key === taintDisrupted.key) === true
  const reasonOf = async (candidate: Candidate) =>
    conditionOf(await world.read(nodeClaims, { name: candidate.nodeClaim.metadata.name }), 'DisruptionReason')?.status
  const failures = (): number => world.counts.sum('karpenter_voluntary_disruption_queue_failures_total')
  return {
    world,
    queue,
    deps,
    stored,
    first,
    marked,
    known,
    seen,
    found,
    command,
    begin,
    isTainted,
    reasonOf,
    failures,
  }
}

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

test('what others write while a node and its claim are marked stays, and so do the marks', async () => {
  const { world, deps, first, isTainted, reasonOf } = await aQueue()
  const { name } = first.nodeClaim.metadata
  const taints = [{ key: 'example.com/maintenance', effect: 'NoSchedule' as const }]
  const conditions = [{ type: 'Theirs', status: 'True' as const }]
  const meanwhile: Record<string, () => void> = {
    nodes: () => void world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints } } }),
    nodeclaims: () => void world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status: { conditions } } }),
  }
  world.kube.fault = ({ operation, resource }) => {
    if (operation !== 'get') return
    meanwhile[resource]?.()
    delete meanwhile[resource]
  }
  const marking = markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
  await world.run(1_000)
  await marking
  expect([await isTainted('a'), await reasonOf(first)]).toEqual([true, 'True'])
  expect((await world.read(nodes, { name: 'a' })).spec.taints).toContainEqual(taints[0])
  const types = (await world.read(nodeClaims, { name })).status?.conditions?.map(({ type }) => type)
  expect(types).toContain('Theirs')
})

test('case 106: what a process that died had tainted is given back, but not what is being deleted', async () => {
  const { deps, stored, isTainted, reasonOf } = await aQueue(['a', 'b'])
  for (const each of stored) await markDisrupted(deps, each.node, each.nodeClaim, 'Drifted')
  const world = aWorld({ nodes: [aStateNode('a'), aStateNode('b')] })
  const present = await Promise.all(
    world.nodes.map(async (each) => ({
      ...each,
      node: await deps.kube.get(nodes, { name: each.node?.metadata.name ?? '' }),
      nodeClaim: await deps.kube.get(nodeClaims, { name: each.nodeClaim?.metadata.name ?? '' }),
      // The second one's claim is on its way out.
      markedForDeletion: each.node?.metadata.name === 'b',
    })),
  )
  await cleanUpAbandoned({ ...world, nodes: present }, new Set(), deps)
  expect([await isTainted('a'), await isTainted('b')]).toEqual([false, true])
  expect(await Promise.all(stored.map(reasonOf))).toEqual([undefined, 'True'])
})

describe('of what says that it is disrupted', () => {
  const both = [true, 'True']
  const cases: Record<string, { marks?: 'taint' | 'reason'; more?: Partial<StateNode>; queued?: true; want: unknown }> =
    {
      'a taint alone is taken off': { marks: 'taint', want: [false, undefined] },
      'a reason alone is taken off': { marks: 'reason', want: [false, undefined] },
      'both stay on a node that a command works on': { queued: true, want: both },
      'both stay on a node that is not initialized': { more: { initialized: false }, want: both },
    }
  test.each(Object.entries(cases))('%s', async (_what, { marks, more, queued, want }) => {
    const { world, deps, first, isTainted, reasonOf } = await aQueue()
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    const { name } = first.nodeClaim.metadata
    if (marks === 'reason')
      await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints: [] } } })
    if (marks === 'taint')
      await world.kube.patch(nodeClaims, { name }, { kind: 'merge', body: { status: { conditions: [] } } })
    const seen = {
      ...first.stateNode,
      node: await world.read(nodes, { name: 'a' }),
      nodeClaim: await world.read(nodeClaims, { name }),
      ...more,
    }
    await cleanUpAbandoned({ ...aWorld({}), nodes: [seen] }, new Set(queued ? [first.providerID] : []), deps)
    expect([await isTainted('a'), await reasonOf(first)]).toEqual(want)
  })

  test('a node that is being deleted keeps why', async () => {
    const { world, deps, first, isTainted, reasonOf } = await aQueue()
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { metadata: { finalizers: ['ours'] } } })
    await world.kube.delete(nodes, { name: 'a' })
    const node = await world.read(nodes, { name: 'a' })
    const nodeClaim = await world.read(nodeClaims, { name: first.nodeClaim.metadata.name })
    await cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node, nodeClaim }] }, new Set(), deps)
    expect([await isTainted('a'), await reasonOf(first)]).toEqual([true, 'True'])
  })
})

test('of several that cannot be given back each is told, once the others are, and none that only lost a race', async () => {
  const { world, deps, stored, isTainted } = await aQueue(['a', 'b', 'c', 'd'])
  for (const each of stored) await markDisrupted(deps, each.node, each.nodeClaim, 'Drifted')
  const present = await Promise.all(
    stored.map(async ({ stateNode, node, nodeClaim }) => ({
      ...stateNode,
      node: await deps.kube.get(nodes, { name: node.metadata.name }),
      nodeClaim: await deps.kube.get(nodeClaims, { name: nodeClaim.metadata.name }),
    })),
  )
  world.kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'patch' || resource !== 'nodes' || name === 'd') return
    throw name === 'a' ? new KubeError('Conflict', 409, 'changed') : new KubeError('Forbidden', 403, `not ${name}`)
  }
  const cleaning = cleanUpAbandoned({ ...aWorld({}), nodes: present }, new Set(), deps)
  const failing = expect(cleaning).rejects.toThrow(/^not b; not c$/)
  await world.run(1_000)
  await failing
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(isTainted))).toEqual([true, true, true, false])
})

test('nor what somebody has begun to delete since it was seen', async () => {
  const { world, deps, first, isTainted } = await aQueue()
  await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
  await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { metadata: { finalizers: ['ours'] } } })
  const seen = await deps.kube.get(nodes, { name: 'a' })
  await world.kube.delete(nodes, { name: 'a' })
  await cleanUpAbandoned({ ...aWorld({}), nodes: [{ ...first.stateNode, node: seen }] }, new Set(), deps)
  expect(await isTainted('a')).toBe(true)
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

describe('case 108: one of three nodes cannot be tainted', () => {
  async function starting(replacements: readonly Replacement[]) {
    const setup = await aQueue(['a', 'b', 'c'])
    const { world, deps, queue, command, marked } = setup
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'patch' && resource === 'nodes' && name === 'b') throw new KubeError('Forbidden', 403, 'no')
    }
    const launched: string[] = []
    const launch = async (): Promise<NodeClaim> => {
      launched.push('new')
      return world.kube.create(nodeClaims, aClaim('new'))
    }
    const settings = { wellKnownLabels: new Set<string>(), spotToSpot: false }
    const all = { ...deps, launch, settings } as unknown as DisruptionDeps<Replacement>
    const outcome = await startCommand(command(replacements), all, {
      queue,
      log: world.log,
      basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
    }).then(
      () => 'started',
      (error: unknown) => error,
    )
    return {
      outcome,
      launched,
      marked: [...marked],
      told: world.logged('failed marking some nodes, disrupting the others').map(({ err }) => String(err)),
      going: queue.commands.flatMap((each) => each.command.candidates.map(({ name }) => name)),
    }
  }

  test('a deletion goes on with the other two', async () => {
    const marked = ['aws:///z1/i-a', 'aws:///z1/i-c']
    const told = [expect.stringContaining('no')]
    expect(await starting([])).toEqual({ outcome: 'started', launched: [], marked, told, going: ['a', 'c'] })
  })

  test('a replacement is not begun, and only the one node is to blame', async () => {
    const { outcome, launched, marked, going } = await starting([replacement])
    expect(outcome).toMatchObject({ message: 'marking disrupted, no', candidates: [{ name: 'b' }] })
    expect({ launched, marked, going }).toEqual({ launched: [], marked: [], going: [] })
  })
})

test('a node that a command works on already is not begun with again', async () => {
  const { world, deps, queue, command, begin } = await aQueue()
  await begin([])
  const writes = () => world.kube.calls.filter(({ operation }) => operation !== 'get').length
  const before = writes()
  const starting = startCommand(command([replacement]), deps, {
    queue,
    log: world.log,
    basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
  })
  await expect(starting).rejects.toThrow('candidate is being disrupted, a')
  expect(writes()).toBe(before)
})

describe('a node or a claim that seems to be gone when it is to be marked', () => {
  const launchNothing = async (): Promise<NodeClaim> => Promise.reject(new Error('no replacement is wanted'))
  const settings = { wellKnownLabels: new Set<string>(), spotToSpot: false }

  test.each(['nodes', 'nodeclaims'])('%s: it is not disrupted, since the answer may be an old one', async (plural) => {
    const { world, deps, queue, command, stored } = await aQueue(['a', 'b'])
    const unseen = new Set([stored[1]?.name, stored[1]?.nodeClaim.metadata.name])
    world.kube.fault = ({ operation, resource, name }) => {
      if (operation === 'get' && resource === plural && unseen.has(name))
        throw new KubeError('NotFound', 404, 'not found')
    }
    const all = { ...deps, launch: launchNothing, settings } as unknown as DisruptionDeps<Replacement>
    await startCommand(command([]), all, {
      queue,
      log: world.log,
      basis: { marksTakenBack: 0, claims: new Map(), launching: new Set() },
    })
    const going = queue.commands.flatMap((each) => each.command.candidates.map(({ name }) => name))
    expect(going).toEqual(['a'])
  })

  test('a taint of ours that is there already, whatever its effect, is replaced by the one', async () => {
    const { world, deps, first } = await aQueue()
    const foreign = { key: 'example.com/maintenance', effect: 'NoSchedule' as const }
    const taints = [taintDisrupted, foreign, { ...taintDisrupted, effect: 'NoExecute' as const }]
    await world.kube.patch(nodes, { name: 'a' }, { kind: 'merge', body: { spec: { taints } } })
    await markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')
    expect((await world.read(nodes, { name: 'a' })).spec.taints).toEqual([foreign, taintDisrupted])
  })

  test('another node of that name is neither tainted nor taken for the old one', async () => {
    const { world, deps, first } = await aQueue()
    await world.kube.delete(nodes, { name: 'a' })
    await world.kube.create(nodes, { ...first.node, metadata: { ...first.node.metadata, uid: 'another' } })
    await expect(markDisrupted(deps, first.node, first.nodeClaim, 'Drifted')).rejects.toThrow('another one now')
    expect((await world.read(nodes, { name: 'a' })).spec.taints ?? []).toEqual([])
  })

  test('taking the marks off again is content with what is gone', async () => {
    const { world, deps, first } = await aQueue()
    await world.kube.delete(nodes, { name: 'a' })
    await expect(clearDisruption(deps, first.node, first.nodeClaim)).resolves.toBeUndefined()
  })
})

describe('nodes that were found empty', () => {
  const empty = { method: 'emptiness', reason: 'Empty' } as const
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'logs', controller: true }
  const worthless = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' }

  test('stay where the API server knows of a pod that no watch has told of', async () => {
    const { world, queue, first, marked, found, begin, isTainted, reasonOf } = await aQueue(['a', 'b'])
    await world.kube.create(pods, aPod('late', { spec: { nodeName: 'b' } }))
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(2_000)
    for (const name of ['a', 'b']) expect(await isTainted(name)).toBe(false)
    expect(await reasonOf(first)).toBeUndefined()
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(true)
    expect([marked.size, queue.queued.size]).toEqual([0, 0])
    expect(found).toEqual(['late'])
    const [failure] = world.logged('failed terminating nodes while executing a disruption command')
    expect(String(failure?.['err'])).toContain('pod default/late runs on node b, which was thought to be empty')
  })

  test.each([
    ['pods of daemons', { metadata: { ownerReferences: [daemon] }, spec: { nodeName: 'a' } }],
    ['pods that are done', { spec: { nodeName: 'a' }, status: { phase: 'Succeeded' as const } }],
    ['pods elsewhere', { spec: { nodeName: 'z' } }],
    ['pods of so low a priority that moving them costs nothing', { spec: { nodeName: 'a', priority: -1_000_000_000 } }],
    ['pods of which people say as much', { metadata: { annotations: worthless }, spec: { nodeName: 'a' } }],
  ])('go in spite of %s', async (_what, pod) => {
    const { world, queue, first, begin } = await aQueue()
    await world.kube.create(pods, aPod('other', pod))
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(false)
  })

  test('wait while the API server does not say who runs on them', async () => {
    const { world, queue, first, begin } = await aQueue()
    let answers = false
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'list' && resource === 'pods' && !answers) throw new KubeError('Timeout', 504, 'no answer')
    }
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(5_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(true)
    answers = true
    await world.run(15_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(false)
  })

  test('nodes that are drained anyway are not asked about', async () => {
    const { world, queue, begin } = await aQueue()
    await begin([])
    await world.start(queue.controller())
    await world.run(2_000)
    expect(world.kube.calls.filter(({ operation, resource }) => operation === 'list' && resource === 'pods')).toEqual(
      [],
    )
  })
})
