import { expect, test } from 'vitest'
import { simulate } from '../run.ts'
import { hour } from '../world.ts'
import { type Found, morningHours } from './found.ts'

/** Seeds that once showed a violation in a grown estate: `simulate:faults -- --estate`. */
const found: readonly Found[] = [
  {
    seed: 19,
    what: 'I16: a consolidation that took the room of pods on a node that cannot end, repeated every minute and a half',
    hours: 17.75,
  },
]

test.each(found)(
  'seed $seed stays sound in a grown estate ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours, estate: true })
    expect(violations).toEqual([])
  },
  600_000,
)

test('seed 506 stays sound over four days in which little happens, with features (I27: pods placed earlier in a pass did not count for the spread of one that tolerated a soft taint late)', async () => {
  const { violations } = await simulate({ seed: 506, hours: 89, pauseMaxMs: 12 * hour, estate: true, features: true })
  expect(violations).toEqual([])
}, 900_000)
