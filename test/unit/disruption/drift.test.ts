import { describe, expect, test } from 'vitest'
import { surveyCandidates } from '../../../src/disruption/candidates.ts'
import { decideDrift, filterDrifted } from '../../../src/disruption/drift.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import {
  decideStaticDrift,
  filterStaticDrifted,
  heldStaticDrift,
  staticCounts,
} from '../../../src/disruption/static-drift.ts'
import { simulatorOn } from '../../../src/disruption/what-if.ts'
import { defaultSettings } from '../../../src/scheduling/index.ts'
import type { Snapshot, StateNode } from '../../../src/model/snapshot.ts'
import {
  aBudget,
  aPool,
  aRunningPod,
  aStateNode,
  aWorld,
  candidatesOf,
  condition,
  daemonSetOwner,
  minute,
  noon,
} from '../../support/disruption-builders.ts'
import { type Answer, budgetsOf, busy, names, plan, simulating } from '../../support/disruption-decisions.ts'

describe('drift', () => {
  const drifted = (since: number) => ({
    conditions: [condition('Drifted', 'True', since), condition('Consolidatable')],
  })
  const old = drifted(noon - 60 * minute)
  const recent = drifted(noon - minute)

  function decide(world: Snapshot, answer: (names: readonly string[]) => Answer = () => ({})) {
    const eligible = filterDrifted(candidatesOf(world))
    const { simulate, asked } = simulating(answer)
    return { ...runToEnd(decideDrift(eligible, budgetsOf(world, 'Drifted'), simulate)), asked }
  }

  test('case 60: one command, for the node that has drifted longest; the next pass takes the next', () => {
    const [a, b, c] = [busy('a', recent), busy('b', old), busy('c', recent)]
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })]
    expect(names(decide(aWorld({ pools, nodes: [a, b, c] })).command?.candidates)).toEqual(['b'])
    const nextOf = (nodes: readonly StateNode[]) => {
      const world = aWorld({ pools, nodes })
      const survey = surveyCandidates(world, { disruptionClass: 'eventual', queued: new Set() })
      const { simulate } = simulating(() => ({}))
      return runToEnd(decideDrift(filterDrifted(survey.candidates), budgetsOf(world, 'Drifted'), simulate)).command
    }
    const going = (node: StateNode): StateNode => ({ ...node, markedForDeletion: true })
    expect(names(nextOf([a, going(b), c])?.candidates)).toEqual(['a'])
    expect(nextOf([going(a), going(b), c])).toBeUndefined()
  })
  test('case 61: nodes without pods to move go first, daemons or none', () => {
    for (const pods of [[], [aRunningPod({ ownerReferences: daemonSetOwner })]]) {
      const { command } = decide(aWorld({ nodes: [busy('a', old), aStateNode('b', { ...recent, pods })] }))
      expect(names(command?.candidates)).toEqual(['b'])
    }
  })
  test('case 62: a node whose pods fit nowhere is told, and the next one tried in the same pass', () => {
    const unplaced = 'not all pods would schedule, default/p => no room '
    const { command, blocked } = decide(aWorld({ nodes: [busy('a', old), busy('b', recent)] }), ([first]) =>
      first === 'a' ? { unplaced } : {},
    )
    expect(names(command?.candidates)).toEqual(['b'])
    expect(blocked.map(({ message, reported }) => [message, reported])).toEqual([
      ['Not all pods would schedule, default/p => no room ', 'DisruptionBlocked'],
    ])
  })
  test('a node that has begun to go meanwhile is passed over, and the next one tried in the same pass', () => {
    const world = aWorld({ nodes: [busy('a', old), busy('b', recent)] })
    const { simulate } = simulating(() => ({}))
    const eligible = filterDrifted(candidatesOf(world))
    const { command, blocked } = runToEnd(
      decideDrift(eligible, budgetsOf(world, 'Drifted'), function* meanwhile(request) {
        if (request.candidates[0]?.name === 'a') return { kind: 'candidateDeleting' }
        return yield* simulate(request)
      }),
    )
    expect(names(command?.candidates)).toEqual(['b'])
    expect(blocked).toEqual([])
  })
  test('nodes whose budget is spent are not simulated, and each says once what it waits for', () => {
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } })]
    const held = {
      code: 'BudgetExhausted',
      message: 'No allowed disruptions for disruption reason Drifted due to blocking budget',
      reported: 'silently',
    }
    expect(decide(aWorld({ pools, nodes: [busy('a', old), aStateNode('b', old)] }))).toMatchObject({
      command: undefined,
      asked: [],
      blocked: [
        { stateNode: { name: 'b' }, ...held },
        { stateNode: { name: 'a' }, ...held },
      ],
    })
  })
  test('case 63: as many replacements as its pods need', () => {
    const { command } = decide(aWorld({ nodes: [busy('a', old)] }), () => ({ replacements: [plan([]), plan([])] }))
    expect(command?.replacements).toHaveLength(2)
  })
  test('case 64: consolidateAfter Never does not stop it', () => {
    const pools = [aPool({ disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] } })]
    expect(names(decide(aWorld({ pools, nodes: [busy('a', old)] })).command?.candidates)).toEqual(['a'])
  })
  test('case 65: only a condition that is True counts', () => {
    const world = aWorld({ nodes: [busy('a', { conditions: [condition('Drifted', 'False')] }), busy('b')] })
    expect(decide(world)).toMatchObject({ command: undefined, asked: [] })
  })
  test('case 66: with nobody left to move but a pod that its budget keeps, a plain deletion', () => {
    const pods = [aRunningPod({ labels: { app: 'db' } })]
    const budgets = [aBudget('pdb', { selector: { matchLabels: { app: 'db' } }, maxUnavailable: 0 }, 0)]
    const decideFor = (node: StateNode) => {
      const world = aWorld({ nodes: [node], budgets })
      const survey = surveyCandidates(world, { disruptionClass: 'eventual', queued: new Set() })
      const simulate = simulatorOn(world, defaultSettings)
      return runToEnd(decideDrift(filterDrifted(survey.candidates), budgetsOf(world, 'Drifted'), simulate)).command
    }
    const command = decideFor(aStateNode('a', { ...old, pods, terminationGracePeriod: '5m' }))
    expect(command).toMatchObject({ method: 'drift', candidates: [{ name: 'a' }], replacements: [] })
    // One that may move has to find a place, and here there is none.
    const moving = [...pods, aRunningPod()]
    expect(decideFor(aStateNode('a', { ...old, pods: moving, terminationGracePeriod: '5m' }))).toBeUndefined()
    expect(decideFor(aStateNode('a', { ...old, pods }))).toBeUndefined()
  })

  describe('of static pools', () => {
    const world = (replicas: number) =>
      aWorld({
        pools: [aPool({ replicas, disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })],
        nodes: [aStateNode('a', old), aStateNode('b', old), aStateNode('c', old)],
      })
    const wishes = (active: number, pendingDisruption = 0, replicas = 3) => {
      const snapshot = world(replicas)
      const eligible = filterStaticDrifted(candidatesOf(snapshot))
      const counts = new Map([['default', { active, pendingDisruption }]])
      return decideStaticDrift(eligible, budgetsOf(snapshot, 'Drifted'), counts).map((wish) => names(wish.candidates))
    }
    const three = staticCounts(world(3).nodes)
    test('as many as the budget lets go, and the others are told', () => {
      expect(wishes(3)).toEqual([['a', 'b']])
      const granted = new Map([['default', 2]])
      const held = heldStaticDrift(
        filterStaticDrifted(candidatesOf(world(3))),
        budgetsOf(world(3), 'Drifted'),
        three,
        granted,
      )
      expect(held.map(({ stateNode, code }) => [stateNode.name, code])).toEqual([['c', 'BudgetExhausted']])
    })
    test('none of a pool that is being deleted, in which no replacement would stay', () => {
      const snapshot = world(3)
      const nodePools = snapshot.nodePools.map((pool) => ({
        ...pool,
        metadata: { ...pool.metadata, deletionTimestamp: '2026-06-01T00:00:00Z' },
      }))
      expect(filterStaticDrifted(candidatesOf({ ...snapshot, nodePools }))).toEqual([])
    })
    test('those that the budget would let go and the node limit does not are told so', () => {
      const granted = new Map([['default', 1]])
      const held = heldStaticDrift(
        filterStaticDrifted(candidatesOf(world(3))),
        budgetsOf(world(3), 'Drifted'),
        three,
        granted,
      )
      expect(held.map(({ stateNode, code }) => [stateNode.name, code])).toEqual([
        ['b', 'NodeLimit'],
        ['c', 'BudgetExhausted'],
      ])
    })
    test('what goes already uses up the budget that the others are told of', () => {
      const { nodes, ...others } = world(3)
      const now = {
        ...others,
        nodes: nodes.map((node) => (node.name === 'a' ? { ...node, markedForDeletion: true } : node)),
      }
      const { candidates } = surveyCandidates(now, { disruptionClass: 'eventual', queued: new Set() })
      const held = heldStaticDrift(filterStaticDrifted(candidates), budgetsOf(now, 'Drifted'), three, new Map())
      expect(held.map(({ stateNode }) => stateNode.name)).toEqual(['c'])
    })
    test('those of a pool with more nodes than replicas are told that it has to scale down', () => {
      const held = (active: number) => {
        const counts = new Map([['default', { active, pendingDisruption: 1 }]])
        const eligible = filterStaticDrifted(candidatesOf(world(3)))
        return heldStaticDrift(eligible, budgetsOf(world(3), 'Drifted'), counts, new Map()).map(({ code }) => code)
      }
      expect(held(4)).toEqual(['ExcessNodes', 'ExcessNodes', 'BudgetExhausted'])
      expect(held(3)).toEqual(['BudgetExhausted'])
    })
    test('a pool with too many claims scales down first, those that are being replaced included', () => {
      expect(wishes(4)).toEqual([])
      expect(wishes(2, 1)).toEqual([['a', 'b']])
      expect(wishes(3, 1)).toEqual([])
    })
    test('ordinary drift leaves them alone', () => expect(filterDrifted(candidatesOf(world(3)))).toEqual([]))
  })
})
