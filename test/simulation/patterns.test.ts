import { expect, test } from 'vitest'
import { KubeError } from '../../src/kube/errors.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { type PatternCase, patterns, titleOf } from './patterns/cases.ts'
import { scenarios } from './patterns/scenarios.ts'
import { judge, referenceOf } from './patterns/sweep.ts'
import { minute } from './world.ts'

/** Up and down again: launches, registrations, a consolidation, terminations. */
async function upAndDown(scenario: Scenario): Promise<void> {
  const { client } = scenario.world.stack.cluster
  const scale = (replicas: number): Promise<unknown> =>
    client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body: { spec: { replicas } } })
  await scale(16)
  await scenario.run(4 * minute)
  await scale(3)
  await scenario.run(16 * minute)
}

async function expectWhole(scenario: Scenario): Promise<void> {
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.machines()).toHaveLength((await scenario.claims()).length)
  expect(await scenario.end()).toEqual([])
}

/** Two of the four patterns for each scenario, one point each, so that all are met in turn; `npm run simulate:patterns` meets every one. */
function sampled(cases: readonly PatternCase[], turn: number): readonly PatternCase[] {
  return [turn % patterns.length, (turn + 2) % patterns.length].flatMap((index) => {
    const all = cases.filter(({ pattern }) => pattern === patterns[index])
    return all[(turn * 7) % all.length] ?? []
  })
}

test.each(scenarios.map((scenario, turn) => [scenario.name, scenario, turn] as const))(
  '%s: a crash, a stale read, a state that was not seen, a second leader are made good',
  async (_name, scenario, turn) => {
    const reference = await referenceOf(scenario)
    const cases = sampled(reference.cases, turn)
    expect(cases).toHaveLength(2)
    for (const each of cases)
      expect({ case: titleOf(each), problems: await judge(reference, each) }).toMatchObject({ problems: [] })
  },
)

test.each(['pods', 'nodes', 'nodeclaims'])(
  'stale reads of %s while the fleet changes are made good',
  async (plural) => {
    const scenario = await startScenario()
    const heal = scenario.hooks.addCall(({ verb, resource }) =>
      resource.plural === plural && (verb === 'get' || verb === 'list') ? { staleRevisions: 60 } : undefined,
    )
    const { allowances } = scenario.invariants
    allowances.readsAreStale = true
    await upAndDown(scenario)
    heal()
    allowances.readsAreStale = false
    await scenario.run(10 * minute)
    await expectWhole(scenario)
  },
)

test.each(['pods', 'nodes', 'nodeclaims'])('states of %s that no watch ever showed are made good', async (plural) => {
  const scenario = await startScenario()
  let seen = 0
  const heal = scenario.hooks.addMessage((call, message) => {
    if (call.resource.plural !== plural || message.type === 'BOOKMARK') return [message]
    seen += 1
    return seen % 3 === 0 ? [] : [message]
  })
  const { allowances } = scenario.invariants
  allowances.healedAt = Number.POSITIVE_INFINITY
  await upAndDown(scenario)
  heal()
  allowances.healedAt = scenario.world.stack.cluster.clock.monotonicMs()
  // The net state is seen by a new list, as after a reconnect.
  const breaking = scenario.hooks.addMessage(() => new KubeError('Expired', 410, 'too old resource version'))
  await scenario.run(2 * minute)
  breaking()
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test('two processes that both believe they lead for a while do no harm', async () => {
  const scenario = await startScenario()
  const { stack } = scenario.world
  const old = stack.operator
  // The old leader's renewals are lost; it acts until it notices, while the next one waits for the lease.
  const heal = scenario.hooks.addCall(({ resource, verb }) =>
    resource.plural === 'leases' && verb === 'update'
      ? { failBefore: new KubeError('Timeout', 504, 'timeout') }
      : undefined,
  )
  stack.startOperator()
  await scenario.run(20_000)
  heal()
  await upAndDown(scenario)
  expect(old.lifecycle.state).toBe('stopped')
  await expectWhole(scenario)
})
