import { expect, test } from 'vitest'
import { simulate } from '../run.ts'
import { type Found, morningHours } from './found.ts'

/** Seeds that once showed a violation with all features on: `simulate:faults -- --features`. */
const found: readonly Found[] = [
  {
    seed: 49,
    what: 'I31: a node repaired at once, unready again at a time that a clock set back showed twice',
    hours: 4.5,
  },
  { seed: 50, what: 'two leaders that answered each other about a buffer without end', hours: 9.25 },
]

test.each(found)(
  'seed $seed stays sound with all features ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours, features: true })
    expect(violations).toEqual([])
  },
  600_000,
)
