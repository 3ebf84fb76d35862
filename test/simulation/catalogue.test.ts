import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults, faultsNamed } from './faults/index.ts'
import type { FaultContext } from './faults/fault.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { scenarios } from './patterns/scenarios.ts'
import { minute } from './world.ts'

test('all forty faults can be asked for by name, and nothing else', () => {
  const ids = Array.from({ length: 40 }, (_, index) => `F${index + 1}`)
  expect(faultsNamed(ids).map(({ id }) => id)).toEqual(ids)
  expect(faults).toHaveLength(40)
  expect(() => faultsNamed(['F41'])).toThrow('unknown fault F41')
})

test('docs/reliability.md counts the faults and the scenarios of the patterns', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8')
  expect(page).toContain(`All ${faults.length} faults of the catalogue`)
  expect(page).toContain(`over ${scenarios.length} small scenarios`)
})

/** Injects one fault for so long; draws are what the list says, then 0. */
async function during(scenario: Scenario, id: string, draws: readonly number[], ms: number): Promise<void> {
  const [fault] = faultsNamed([id])
  const left = [...draws]
  const random = scenario.world.random.fork(id)
  random.below = () => left.shift() ?? 0
  const context: FaultContext = { ...scenario, random, restart: () => scenario.crash() }
  const heal = await fault?.inject(context)
  await scenario.run(ms)
  heal?.()
  await scenario.run(minute)
}

test.each([
  ['a bundle of the wrong key', 1, /certificate|signature|issuer/],
  ['an expired certificate', 2, /expired/],
])('F35: with %s the API server trusts no answer, and what people apply goes through', async (_how, kind, why) => {
  const scenario = await startScenario({ settleMs: minute })
  const { admission } = scenario.world
  await during(scenario, 'F35', [kind], 2 * minute)
  expect(admission.answers).toBe(0)
  expect(admission.failed).toBeGreaterThan(5)
  expect([...admission.failures.keys()]).toEqual([expect.stringMatching(why)])
  expect(await scenario.end()).toEqual([])
})

test('F35: while certificates rotate every review is answered', async () => {
  const scenario = await startScenario({ settleMs: minute })
  const { admission } = scenario.world
  await during(scenario, 'F35', [0], 3 * minute)
  expect(admission.failures).toEqual(new Map())
  expect(admission.answers).toBeGreaterThan(10)
  expect(await scenario.end()).toEqual([])
})

test('F36: an attacked webhook answers the API server after each attack, and nothing is blocked', async () => {
  const scenario = await startScenario({ settleMs: minute })
  const { admission } = scenario.world
  await during(scenario, 'F36', [], 2 * minute)
  expect(admission.answers).toBeGreaterThan(5)
  expect(await scenario.end()).toEqual([])
})
