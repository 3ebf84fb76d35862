import { expect, test } from 'vitest'
import { simulate } from '../run.ts'
import { type Found, morningHours, ofThisProject } from './found.ts'

/** Seeds that once showed a violation with all features on: `simulate:faults -- --features`. */
const found: readonly Found[] = [
  {
    seed: 49,
    what: 'I31: a node repaired at once, unready again at a time that a clock set back showed twice',
    hours: 4.5,
  },
  { seed: 50, what: 'two leaders that answered each other about a buffer without end', hours: 9.25 },
  {
    seed: 52,
    what: 'I23: a consolidation that took the room of stand-ins, repeated every minute and a half',
    hours: 24,
  },
  {
    seed: 59,
    what: 'I18: admitted launches that were never written, after an event that could not be made',
    hours: 23,
  },
  { seed: 55, what: 'I23: the same, of pods that kube-scheduler had put elsewhere', hours: 24 },
]

test.each(ofThisProject(found))(
  'seed $seed stays sound with all features ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours, features: true })
    expect(violations).toEqual([])
  },
  600_000,
)
