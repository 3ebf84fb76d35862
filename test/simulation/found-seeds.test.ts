import { expect, test } from 'vitest'
import { policyOfSeed } from './rollout-policies.ts'
import { simulate } from './run.ts'

interface Found {
  readonly seed: number
  readonly what: string
  /** As long as it took to show, where a morning was not enough. */
  readonly hours?: number
}

const morningHours = 2.75

/** Seeds that once showed a violation, with what it was, in days without and with a policy (`simulate:faults --rollout`). */
const foundInPlainDays: readonly Found[] = [
  { seed: 1, what: 'I6, I31: a node ended by a clock that had jumped forward and back', hours: 10.25 },
  { seed: 5, what: 'I27: a pod that waits, counted where one that runs had taken its place' },
  { seed: 17, what: 'I27: two passes within two seconds, told as one', hours: 11.75 },
  { seed: 40, what: 'I27: a plan of which a half could not be written, told as one with the next' },
  { seed: 64, what: 'I35: a node whose replacement the limits refused kept all others waiting', hours: 16 },
  { seed: 302, what: 'I17: a consolidation whose replacement would have come from another pool', hours: 16.75 },
]
const foundInRollouts: readonly Found[] = [
  { seed: 52, what: 'more nodes replaced than the step has, counted for an older revision' },
  { seed: 312, what: 'I17: a pool beyond its limits after a drift command was broken off' },
  { seed: 409, what: 'I14: a node that an old answer did not show was deleted without its taint' },
  { seed: 417, what: 'I17: a consolidation whose replacement had moved to a pool at its limit' },
  {
    seed: 418,
    what: 'I17: a pool beyond its limits after a drift command was broken off; a replacement beyond the rate',
  },
  { seed: 427, what: 'I17: replacements planned on the room of a node that was kept after all' },
  { seed: 501, what: 'I14: a node whose taint somebody had taken off was deleted without it', hours: 17.25 },
]

test.each(foundInPlainDays)(
  'seed $seed stays sound without a policy ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours })
    expect(violations).toEqual([])
  },
  600_000,
)

test.each(foundInRollouts)(
  'seed $seed stays sound ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours, policy: policyOfSeed(seed) })
    expect(violations).toEqual([])
  },
  600_000,
)
