import { expect, test } from 'vitest'
import { policyOfSeed } from './rollout-policies.ts'
import { simulate } from './run.ts'

/** Seeds that once showed a violation, with what it was, in days without and with a policy (`simulate:faults --rollout`). */
const foundInPlainDays: readonly { readonly seed: number; readonly what: string }[] = [
  { seed: 40, what: 'I27: a plan of which a half could not be written, told as one with the next' },
  { seed: 5, what: 'I27: a pod that waits, counted where one that runs had taken its place' },
]
const foundInRollouts: readonly { readonly seed: number; readonly what: string }[] = [
  { seed: 312, what: 'I17: a pool beyond its limits after a drift command was broken off' },
  { seed: 409, what: 'I14: a node that an old answer did not show was deleted without its taint' },
  { seed: 417, what: 'I17: a consolidation whose replacement had moved to a pool at its limit' },
  {
    seed: 418,
    what: 'I17: a pool beyond its limits after a drift command was broken off; a replacement beyond the rate',
  },
  { seed: 427, what: 'I17: replacements planned on the room of a node that was kept after all' },
]

test.each(foundInPlainDays)(
  'seed $seed stays sound without a policy ($what)',
  async ({ seed }) => {
    const { violations } = await simulate({ seed, hours: 2.75 })
    expect(violations).toEqual([])
  },
  180_000,
)

test.each(foundInRollouts)(
  'seed $seed stays sound ($what)',
  async ({ seed }) => {
    const { violations } = await simulate({ seed, hours: 2.75, policy: policyOfSeed(seed) })
    expect(violations).toEqual([])
  },
  180_000,
)
