import { expect, test } from 'vitest'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import {
  aPool,
  aRunningPod,
  aWorld,
  candidatesOf,
  condition,
  type NodeOptions,
} from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

interface At {
  /** Names of the nodes that have a pod. */
  readonly busy?: readonly string[]
  readonly budget?: string
}

/**
 * Nodes `a` and `b`, without pods unless it is said so of that second; nothing else about the cluster ever changes. `fit`: where their
 * pods would.
 */
async function twoNodes(
  at: (second: number) => At,
  options: NodeOptions = {},
  fit: 'nowhere' | 'elsewhere' = 'nowhere',
) {
  const world = aControllerWorld()
  const states = await Promise.all(['a', 'b'].map((name) => aStoredNode(world, name, options)))
  const started = world.clock.monotonicMs()
  const marked: string[] = []
  const pods = [aRunningPod()]
  const snapshot = () => {
    const { busy = [], budget = '100%' } = at((world.clock.monotonicMs() - started) / 1_000)
    const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: budget }] } })]
    const nodes = states.map((state) => (busy.includes(state.name) ? { ...state, pods } : state))
    return aWorld({ nodes, pools, now: world.clock.now() })
  }
  const simulatorFor = () =>
    function* simulate() {
      yield undefined
      return { kind: 'placed', replacements: [], destinations: [], unplaced: fit === 'nowhere' ? 'no room' : undefined }
    }
  const deps = disruptionDeps(world, { snapshot, markForDeletion: (key) => void marked.push(key) }, { simulatorFor })
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  const going = () => queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))
  const failedValidations = () =>
    world.counts.sum('karpenter_voluntary_disruption_failed_validations_total', { consolidation_type: 'empty' })
  /** The first node came for the second, later than that was waited for. */
  const cameLate = (): void => {
    const [, second] = candidatesOf(snapshot())
    if (second === undefined) throw new Error('expected two candidates')
    const command = { method: 'singleNode', reason: 'Underutilized', replacements: [], destinations: [] } as const
    deps.late.note({ ...command, candidates: [second] }, ['claim-a'])
  }
  return { ...world, going, failedValidations, cameLate }
}

const abandoned = 'abandoning empty node consolidation attempt due to pod churn, command is no longer valid'

test('empty nodes are looked at again after fifteen seconds, and go together', async () => {
  const { going, run, failedValidations } = await twoNodes(() => ({}))
  await run(14_900)
  expect(going()).toEqual([])
  await run(200)
  expect(going()).toEqual(['a', 'b'])
  expect(failedValidations()).toBe(0)
})

test('one that came late for another stays for it, empty as it is', async () => {
  const { going, run, cameLate } = await twoNodes(() => ({ busy: ['b'] }))
  cameLate()
  await run(60_000)
  expect(going()).toEqual([])
})

test('case 54: one to which a pod came meanwhile stays, and is counted', async () => {
  const { going, run, failedValidations } = await twoNodes((second) => ({ busy: second < 5 ? [] : ['a'] }))
  await run(16_000)
  expect(going()).toEqual(['b'])
  expect(failedValidations()).toBe(1)
})

test('case 55: when pods came to all nothing goes, and the cluster does not count as consolidated', async () => {
  const { going, logged, run, failedValidations } = await twoNodes((second) => ({
    busy: second < 5 || second > 20 ? [] : ['a', 'b'],
  }))
  await run(20_000)
  expect(going()).toEqual([])
  expect(failedValidations()).toBe(2)
  expect(logged(abandoned)).toHaveLength(1)
  await run(25_000)
  expect(going()).toEqual(['a', 'b'])
})

test('case 56: when the budget was closed meanwhile nothing goes, and each is counted', async () => {
  const { going, logged, run, failedValidations } = await twoNodes((second) => ({ budget: second < 5 ? '2' : '0' }))
  await run(60_000)
  expect(going()).toEqual([])
  expect(failedValidations()).toBe(2)
  expect(logged(abandoned)).toHaveLength(1)
})

test('nodes that only their budget held are looked at in the next pass, though nothing has changed', async () => {
  const { going, run } = await twoNodes((second) => ({ budget: second < 5 ? '0' : '1' }))
  await run(30_000)
  expect(going()).toEqual(['a'])
})

test('case 59: an empty node that has drifted as well goes for being empty, though nothing would hold it as drifted', async () => {
  const conditions = [condition('Drifted'), condition('Consolidatable')]
  const { counts, going, read, run } = await twoNodes(() => ({ budget: '1' }), { conditions }, 'elsewhere')
  await run(16_000)
  expect(going()).toEqual(['a'])
  expect(conditionOf(await read(nodeClaims, { name: 'claim-a' }), 'DisruptionReason')).toMatchObject({
    status: 'True',
    reason: 'Empty',
    message: 'Empty',
  })
  const decisions = (labels: Record<string, string>) =>
    counts.sum('karpenter_voluntary_disruption_decisions_total', labels)
  expect(decisions({ decision: 'delete', reason: 'empty', consolidation_type: 'empty' })).toBe(1)
})
