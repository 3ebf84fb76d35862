import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aWorld, condition, type NodeOptions } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

/** What pools tell of their budget in two minutes, with their nodes drifted. */
async function budgetEvents(
  budget: string,
  nodes: readonly (readonly [name: string, more: NodeOptions])[],
  names = ['default'],
) {
  const world = aControllerWorld()
  const conditions = [condition('Drifted'), condition('Consolidatable')]
  const states = await Promise.all(
    nodes.map(([name, more]) => aStoredNode(world, name, { pods: [aRunningPod()], conditions, ...more })),
  )
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: budget }] }
  const pools = names.map((name) => aPool({ name, disruption }))
  let state = 0
  const seen = {
    snapshot: () => aWorld({ pools, nodes: states, now: world.clock.now() }),
    consolidationState: () => (state += 1),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: 'no room' }
      },
  })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(125_000)
  return world.recorder.published.filter(({ object }) => object.kind === 'NodePool')
}

test('case 19: a pool whose budget is zero says so for each reason, which is told once a minute', async () => {
  const told = await budgetEvents('0', [
    ['a', {}],
    ['empty', { pods: [] }],
  ])
  expect(new Set(told.map(({ message }) => message))).toEqual(
    new Set(
      ['Drifted', 'Empty', 'Underutilized'].map(
        (reason) => `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
      ),
    ),
  )
  for (const { reason, type, dedupeMs } of told) {
    expect([reason, type, dedupeMs]).toEqual(['DisruptionBlocked', 'Normal', 60_000])
  }
  expect(new Set(told.map(({ dedupeValues = [] }) => dedupeValues.join(' '))).size).toBe(3)
  const ofAnother = await budgetEvents('0', [['a', {}]])
  expect(ofAnother.filter(({ message }) => message.includes('reason Empty'))).toEqual([])
})

test('cases 3 and 4: not where there is nothing to allow, nor where nodes out of order use it up', async () => {
  const others: readonly (readonly [string, NodeOptions])[] = [
    ['a', { initialized: false }],
    ['b', { pool: 'full' }],
  ]
  // Evaluated for the other pool's node, and 0 for this one as well.
  expect(await budgetEvents('10%', others, ['default', 'full'])).toEqual([])
  const zero = await budgetEvents('0', others, ['default', 'full'])
  expect(new Set(zero.map(({ object }) => object.metadata.name))).toEqual(new Set(['full']))
  const ten = Array.from({ length: 10 }, (_, index) => [`n${index}`, { ready: index > 0 ? 'True' : 'False' }] as const)
  expect(await budgetEvents('10%', ten)).toEqual([])
})
