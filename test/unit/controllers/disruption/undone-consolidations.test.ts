import { describe, expect, test } from 'vitest'
import { UndoneConsolidations } from '../../../../src/controllers/disruption/index.ts'
import type { Candidate } from '../../../../src/disruption/candidates.ts'
import type { Command, Destination, Replacement } from '../../../../src/disruption/command.ts'
import { openGate } from '../../../../src/disruption/gate.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { virtualPods } from '../../../../src/scheduling/capacity-buffer.ts'
import {
  aRunningPod,
  aStateNode,
  aWorld,
  candidatesOf,
  minute,
  type NodeOptions,
  statefulSetOwner,
} from '../../../support/disruption-builders.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'

const hour = 60 * minute

function aCandidate(name: string, options: NodeOptions = {}): Candidate {
  const [candidate] = candidatesOf(aWorld({ nodes: [aStateNode(name, { pods: [aRunningPod()], ...options })] }))
  if (candidate === undefined) throw new Error('the node is no candidate')
  return candidate
}

function aMemory() {
  let now = 0
  /** How many pods the one workload is to have. */
  const size = { replicas: 5 }
  const undone = new UndoneConsolidations(
    { monotonicMs: () => now },
    (workloads) => new Map([...workloads].map((uid) => [uid, size.replicas])),
  )
  const log = recordingLogger()
  const there = new Set<string>()
  /** Of the next consolidations. */
  const destinations: Destination[] = []
  const passes = (ms: number): void => {
    for (const end = now + ms; now < end; ) {
      now += 10_000
      undone.observe((claim) => there.has(claim))
    }
  }
  /** The nodes are asked to go, and `replacements` came for them. */
  const consolidate = (candidates: readonly [Candidate, ...Candidate[]], ...replacements: readonly string[]): void => {
    const command: Command<Replacement> = {
      method: 'multiNode',
      reason: 'Underutilized',
      candidates,
      replacements: [],
      destinations: [...destinations],
    }
    undone.carriedOut(command, replacements)
  }
  const launch = (claim: string, ...pods: readonly PodInfo[]): void => undone.provisioned(pods, claim, log)
  /** For how long consolidation is kept from the node. */
  const holdMs = (node: string): number => {
    const before = now
    while (undone.gate.hold(aCandidate(node), 'Underutilized') !== undefined) passes(10_000)
    return now - before
  }
  /** One time round: `a` goes, `new` and then `more` come. */
  const round = (): void => {
    consolidate([aCandidate('a')], 'claim-new')
    passes(minute)
    launch('claim-more', pending())
  }
  return { undone, log, there, size, destinations, passes, consolidate, launch, holdMs, round }
}

/** A successor of the pod that every node runs. */
const pending = (options: Partial<PodInfo> = {}): PodInfo => aRunningPod({ nodeName: '', phase: 'Pending', ...options })

test('so it is when pods of a node that cannot end needed one more, since pods that moved have taken their room', () => {
  const { undone, destinations, passes, consolidate, launch } = aMemory()
  const stuck = aRunningPod({ uid: 'stuck', nodeName: 'draining' })
  const other = aRunningPod({ uid: 'other', nodeName: 'draining-later' })
  destinations.push({ node: aStateNode('room'), pods: [stuck, aRunningPod({ uid: 'moved', nodeName: 'a' })] })
  consolidate([aCandidate('a')])
  passes(minute)
  // Nobody had planned for it: its node began to go afterwards.
  launch('claim-other', other)
  expect(undone.gate).toBe(openGate)
  launch('claim-more', stuck)
  expect(undone.gate.hold(aCandidate('more'), 'Underutilized')?.message).toMatch(
    /^a consolidation took the room of ReplicaSet \S+, which then needed NodeClaim claim-more; what came of it is not consolidated for 1h0m0s$/,
  )
})

test('so it is when the stand-ins of a buffer needed one more node, since pods that moved have taken their room', () => {
  const { undone, passes, consolidate, launch } = aMemory()
  const standIns = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1)
  launch('claim-before', ...standIns)
  expect(undone.gate).toBe(openGate)
  consolidate([aCandidate('a')])
  passes(minute)
  launch('claim-more', ...standIns)
  expect(undone.gate.hold(aCandidate('more'), 'Underutilized')?.message).toBe(
    'a consolidation took the room of CapacityBuffer shop/spare, which then needed NodeClaim claim-more; what came of it is not consolidated for 1h0m0s',
  )
})

test('so it is however long the last of its nodes takes to go', () => {
  const { undone, there, passes, consolidate, launch } = aMemory()
  there.add('claim-b')
  consolidate([aCandidate('a'), aCandidate('b')], 'claim-new')
  passes(hour)
  there.delete('claim-b')
  passes(minute)
  launch('claim-more', pending())
  expect(undone.gate.hold(aCandidate('new'), 'Underutilized')).toBeDefined()
})

test('what came of a consolidation is left alone when its pods needed one more node', () => {
  const { undone, log, passes, consolidate, launch } = aMemory()
  consolidate([aCandidate('a'), aCandidate('b'), aCandidate('c')], 'claim-new')
  passes(minute)
  expect(undone.gate).toBe(openGate)
  launch('claim-more', pending())
  for (const node of ['new', 'more']) {
    expect(undone.gate.hold(aCandidate(node), 'Underutilized')).toEqual({
      code: 'ConsolidationUndone',
      message:
        'a consolidation moved pods of ReplicaSet default/web, which then needed NodeClaim claim-more; what came of it is not consolidated for 1h0m0s',
    })
    expect(undone.gate.hold(aCandidate(node), 'Drifted')).toBeUndefined()
    expect(undone.gate.hold(aCandidate(node, { pods: [] }), 'Empty')).toBeUndefined()
  }
  expect(undone.gate.hold(aCandidate('other'), 'Underutilized')).toBeUndefined()
  expect(log.lines).toMatchObject([
    {
      level: 'info',
      fields: {
        'disrupted-nodes': ['a', 'b', 'c'],
        nodeclaims: ['claim-new', 'claim-more'],
        workload: 'ReplicaSet default/web',
      },
    },
  ])
})

describe('nodes like those that went, when as many came as had gone', () => {
  const lone = { ownerReferences: [] }
  const failed = (workload: Partial<PodInfo> = {}) => {
    const memory = aMemory()
    memory.consolidate([aCandidate('a', { pods: [aRunningPod(workload)] })])
    memory.passes(minute)
    memory.launch('claim-more', pending(workload))
    const holdOf = (options: NodeOptions = {}) => memory.undone.gate.hold(aCandidate('other', options), 'Underutilized')
    return { ...memory, holdOf }
  }

  test('are left alone for as long', () => {
    const { holdOf, holdMs } = failed()
    expect(holdOf()).toEqual({
      code: 'ConsolidationUndone',
      message:
        'the consolidation of a node like this one moved pods of ReplicaSet default/web, which then needed NodeClaim claim-more; nodes of its pool and type with pods of the same workloads are not consolidated for 1h0m0s',
    })
    expect(holdMs('other')).toBe(hour)
  })

  test('are left alone whatever else runs on them', () => {
    const others = [aRunningPod({ ownerReferences: statefulSetOwner }), aRunningPod(lone)]
    expect(failed().holdOf({ pods: [...others, aRunningPod()] })).toBeDefined()
  })

  test('may still go when they drift, or when nothing runs on them', () => {
    const { undone } = failed()
    expect(undone.gate.hold(aCandidate('other'), 'Drifted')).toBeUndefined()
    expect(undone.gate.hold(aCandidate('more', { pods: [] }), 'Empty')).toBeUndefined()
  })

  test.each<[string, NodeOptions]>([
    ['of another type', { type: 'c5.large' }],
    ['with pods of another workload', { pods: [aRunningPod({ ownerReferences: statefulSetOwner })] }],
    ['with pods that nothing controls', { pods: [aRunningPod(lone)] }],
  ])('are not those %s', (_, options) => {
    expect(failed().holdOf(options)).toBeUndefined()
  })

  test('for the room of a buffer it is whatever moved into it', () => {
    const { undone, passes, consolidate, launch } = aMemory()
    const pods = [aRunningPod({ ownerReferences: statefulSetOwner })]
    consolidate([aCandidate('a', { pods })])
    passes(minute)
    launch(
      'claim-more',
      ...virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1),
    )
    expect(undone.gate.hold(aCandidate('other', { pods }), 'Underutilized')?.message).toMatch(
      /^the consolidation of a node like this one took the room of CapacityBuffer shop\/spare, /,
    )
    expect(undone.gate.hold(aCandidate('other'), 'Underutilized')).toBeUndefined()
  })

  test('as long as the longest of several failures says', () => {
    const { undone, passes, consolidate, launch, round, holdMs } = aMemory()
    round()
    passes(2 * hour)
    round()
    consolidate([aCandidate('b')])
    launch(
      'claim-third',
      ...virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1),
    )
    expect(undone.gate.hold(aCandidate('third'), 'Underutilized')?.message).toMatch(/1h0m0s$/)
    expect(holdMs('other')).toBe(4 * hour)
  })

  test('a consolidation that leaves fewer nodes has won something, and the next may', () => {
    const { undone, passes, consolidate, launch } = aMemory()
    consolidate([aCandidate('a'), aCandidate('b')])
    passes(minute)
    launch('claim-more', pending())
    expect(undone.gate.hold(aCandidate('other'), 'Underutilized')).toBeUndefined()
    launch('claim-third', pending())
    expect(undone.gate.hold(aCandidate('other'), 'Underutilized')).toBeDefined()
  })
})

describe('a node that counted as empty, since its pods cost nothing to move', () => {
  const filler = { pods: [aRunningPod({ priority: -1_000_000_000 })] }
  const remove = ({ undone }: ReturnType<typeof aMemory>, ...candidates: readonly [Candidate, ...Candidate[]]): void =>
    undone.carriedOut({ method: 'emptiness', reason: 'Empty', candidates, replacements: [], destinations: [] }, [])

  test('is not launched and removed again and again', () => {
    const memory = aMemory()
    remove(memory, aCandidate('a', filler))
    memory.passes(minute)
    memory.launch('claim-more', pending())
    for (const node of ['more', 'other']) {
      expect(memory.undone.gate.hold(aCandidate(node, filler), 'Empty')?.code).toBe('ConsolidationUndone')
    }
    expect(memory.holdMs('more')).toBe(hour)
    expect(memory.undone.gate.hold(aCandidate('more', filler), 'Empty')).toBeUndefined()
  })

  test('was worth removing when others that went with it did not come back', () => {
    const memory = aMemory()
    remove(memory, aCandidate('a', filler), aCandidate('b', filler))
    memory.passes(minute)
    memory.launch('claim-more', pending())
    expect(memory.undone.gate.hold(aCandidate('more', filler), 'Empty')).toBeDefined()
    expect(memory.undone.gate.hold(aCandidate('other', filler), 'Empty')).toBeUndefined()
  })

  test('is told from one that nothing ran on', () => {
    const memory = aMemory()
    remove(memory, aCandidate('a', { pods: [] }), aCandidate('b', filler))
    memory.passes(minute)
    memory.launch('claim-more', pending())
    expect(memory.undone.gate.hold(aCandidate('other', filler), 'Empty')).toBeDefined()
    remove(memory, aCandidate('c', { pods: [] }))
    memory.passes(5 * hour)
    expect(memory.undone.gate).toBe(openGate)
  })
})

describe('a launch that has nothing to do with the consolidation', () => {
  const moved = (memory: ReturnType<typeof aMemory>): void => memory.consolidate([aCandidate('a')], 'claim-new')
  const cases: Record<string, (memory: ReturnType<typeof aMemory>) => void> = {
    'for pods of another workload': (memory) => {
      moved(memory)
      memory.size.replicas = 0
      memory.launch('claim-more', pending({ ownerReferences: statefulSetOwner }))
    },
    'for pods that nothing controls': (memory) => {
      memory.consolidate([aCandidate('a', { pods: [aRunningPod({ ownerReferences: [] })] })], 'claim-new')
      memory.launch('claim-more', pending({ ownerReferences: [] }))
    },
    'for pods that lose another node': (memory) => {
      moved(memory)
      memory.launch('claim-more', aRunningPod({ nodeName: 'other' }))
    },
    'long after the last of the nodes has gone': (memory) => {
      moved(memory)
      memory.passes(3 * minute)
      memory.launch('claim-more', pending())
    },
    'for pods by which the workload has grown since': (memory) => {
      moved(memory)
      memory.size.replicas += 2
      memory.launch('claim-more', pending({ uid: 'sixth' }), pending({ uid: 'seventh' }))
    },
    'for such pods, planned once more after a launch that failed': (memory) => {
      moved(memory)
      memory.size.replicas += 1
      memory.launch('claim-more', pending({ uid: 'sixth' }))
      memory.launch('claim-third', pending({ uid: 'sixth' }))
    },
    'after drifted nodes were replaced': (memory) => {
      const command = { method: 'drift', reason: 'Drifted', replacements: [], destinations: [] } as const
      memory.undone.carriedOut({ ...command, candidates: [aCandidate('a')] }, ['claim-new'])
      const standIns = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1)
      memory.launch('claim-more', pending(), ...standIns)
    },
    'for a pod that waited before, though the plan had a place for it': (memory) => {
      const waiting = pending({ ownerReferences: statefulSetOwner })
      memory.destinations.push({ node: aStateNode('room'), pods: [waiting] })
      moved(memory)
      memory.launch('claim-more', waiting)
    },
    'for pods by which the workload has grown, one of which the plan knew': (memory) => {
      const onA = aRunningPod({ nodeName: 'a' })
      memory.destinations.push({ node: aStateNode('room'), pods: [onA] })
      moved(memory)
      memory.size.replicas += 1
      memory.launch('claim-more', onA)
    },
  }
  test.each(Object.entries(cases))('%s', (_, happen) => {
    const memory = aMemory()
    happen(memory)
    expect(memory.undone.gate).toBe(openGate)
    expect(memory.log.lines).toEqual([])
  })
})

test('of a workload that has grown, so many pods as it has grown by are not held against the consolidation', () => {
  const { undone, size, passes, consolidate, launch } = aMemory()
  consolidate([aCandidate('a')], 'claim-new')
  size.replicas += 2
  launch('claim-more', pending({ uid: 'sixth' }), pending({ uid: 'seventh' }))
  expect(undone.gate).toBe(openGate)
  passes(minute)
  launch('claim-third', pending({ uid: 'moved' }))
  for (const node of ['new', 'third']) expect(undone.gate.hold(aCandidate(node), 'Underutilized')).toBeDefined()
})

test('pods that still wait on a node that leaves slowly, and need another, count as well', () => {
  const { undone, there, passes, consolidate, launch } = aMemory()
  there.add('claim-a')
  consolidate([aCandidate('a')], 'claim-new')
  passes(hour)
  launch('claim-more', aRunningPod({ nodeName: 'a' }))
  expect(undone.gate.hold(aCandidate('more'), 'Underutilized')).toBeDefined()
})

test('several nodes for the pods of one consolidation are one failure, and are all left alone', () => {
  const { log, passes, consolidate, launch, holdMs } = aMemory()
  consolidate([aCandidate('a')], 'claim-new')
  launch('claim-more', pending())
  passes(minute)
  launch('claim-third', pending())
  expect(log.lines).toHaveLength(1)
  expect(holdMs('third')).toBe(59 * minute)
})

test('each further failure of a consolidation like it is held against its nodes for longer, up to four hours', () => {
  const { passes, round, holdMs, log } = aMemory()
  const held: number[] = []
  for (let times = 0; times < 4; times += 1) {
    round()
    held.push(holdMs('new') / minute)
    passes(10 * minute)
  }
  expect(held).toEqual([60, 240, 240, 240])
  expect(log.lines.map(({ fields }) => fields['times'])).toEqual([1, 2, 3, 4])
})

test('each node is let go when its own time is over, however long others have to wait', () => {
  const { passes, round, consolidate, launch, holdMs } = aMemory()
  round()
  passes(20 * minute)
  consolidate([aCandidate('b', { type: 'c5.large' })], 'claim-other')
  launch('claim-fourth', pending())
  expect(holdMs('new')).toBe(40 * minute)
  expect(holdMs('other')).toBe(20 * minute)
})

test('a failure is forgotten after a day without another one', () => {
  const { passes, round, holdMs } = aMemory()
  round()
  passes(24 * hour + minute)
  round()
  expect(holdMs('new')).toBe(hour)
})

test('a consolidation of the same instance types has failed twice, whichever of its nodes comes first', () => {
  const { passes, consolidate, launch, holdMs } = aMemory()
  const [one, other] = [aCandidate('a'), aCandidate('b', { type: 'c5.large' })]
  for (const nodes of [[one, other] as const, [other, one] as const]) {
    consolidate(nodes, 'claim-new')
    launch('claim-more', pending())
    passes(10 * minute)
  }
  expect(holdMs('new')).toBe(230 * minute)
})

test('a consolidation of other instance types has failed only once', () => {
  const { passes, round, consolidate, launch, holdMs } = aMemory()
  round()
  passes(10 * minute)
  consolidate([aCandidate('a', { type: 'c5.large' })], 'claim-other')
  launch('claim-more', pending())
  expect(holdMs('other')).toBe(hour)
})

test('the gate is the same object as long as it holds the same nodes', () => {
  const { undone, passes, round } = aMemory()
  round()
  const { gate } = undone
  passes(5 * minute)
  expect(undone.gate).toBe(gate)
  passes(hour)
  expect(undone.gate).toBe(openGate)
})
