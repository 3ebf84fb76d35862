import { expect, test } from 'vitest'
import { policyOfSeed } from '../rollout-policies.ts'
import { simulate } from '../run.ts'
import { type Found, morningHours, ofThisProject } from './found.ts'

/** Seeds that once showed a violation in days with a RolloutPolicy, with what it was: `simulate:faults --rollout`. */
const found: readonly Found[] = [
  { seed: 52, what: 'more nodes replaced than the step has, counted for an older revision' },
  { seed: 311, what: 'I22: every subnet was asked whether an image is there', hours: 20.75 },
  { seed: 312, what: 'I17: a pool beyond its limits after a drift command was broken off' },
  { seed: 314, what: 'replacements beyond the rate, paid for hours before', hours: 5 },
  { seed: 330, what: 'the same, after a rollout that was broken off', hours: 3.25 },
  { seed: 367, what: 'I22: a status of a policy refused with each claim that changed', hours: 18.1 },
  { seed: 409, what: 'I14: a node that an old answer did not show was deleted without its taint' },
  { seed: 417, what: 'I17: a consolidation whose replacement had moved to a pool at its limit' },
  {
    seed: 418,
    what: 'I17: a pool beyond its limits after a drift command was broken off; a replacement beyond the rate',
  },
  { seed: 427, what: 'I17: replacements planned on the room of a node that was kept after all' },
  {
    seed: 2006,
    what: 'a replacement beyond the rate, while watches were dead and its claim did not tell why it goes',
    hours: 17,
  },
  { seed: 501, what: 'I14: a node whose taint somebody had taken off was deleted without it', hours: 17.25 },
]

test.each(ofThisProject(found))(
  'seed $seed stays sound ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours, policy: policyOfSeed(seed) })
    expect(violations).toEqual([])
  },
  600_000,
)
