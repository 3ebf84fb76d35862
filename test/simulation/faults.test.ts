import { expect, test } from 'vitest'
import { faults } from './faults/index.ts'
import { simulate } from './run.ts'
import { policyOfSeed } from './rollout-policies.ts'
import { usualPolicy } from './world.ts'

/** A few hours of mixed faults each; `npm run simulate:faults` runs days of many seeds. */
test.each([1, 2])('seed %i: no invariant is violated under mixed faults', async (seed) => {
  const { violations } = await simulate({ seed, hours: 1 })
  expect(violations).toEqual([])
})

test.each([
  ['with all features', { seed: 11, hours: 2, features: true }],
  ['in a grown estate', { seed: 2, hours: 2, estate: true }],
])(
  'the same %s',
  async (_where, options) => {
    const { violations, claimsLaunched } = await simulate(options)
    expect(violations).toEqual([])
    expect(claimsLaunched).toBeGreaterThan(20)
  },
  180_000,
)

test('rollouts under a policy: no more nodes are in replacement than policy, budgets and PDBs allow, whatever fails meanwhile', async () => {
  const { violations, claimsLaunched } = await simulate({ seed: 4, hours: 2, policy: usualPolicy })
  expect(violations).toEqual([])
  expect(claimsLaunched).toBeGreaterThan(20)
}, 180_000)

// Of the seeds with this policy one that launches much in an hour.
test('rollouts at a rate, by zone: the same, and never beyond the rate', async () => {
  const { violations, claimsLaunched } = await simulate({ seed: 402, hours: 1, policy: policyOfSeed(402) })
  expect(violations).toEqual([])
  expect(claimsLaunched).toBeGreaterThan(15)
}, 180_000)

test('the same seed gives the same run', async () => {
  const one = await simulate({ seed: 7, hours: 0.25 })
  const other = await simulate({ seed: 7, hours: 0.25 })
  expect(other).toEqual(one)
}, 180_000)

test('each fault has an id and a name of its own', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
})
