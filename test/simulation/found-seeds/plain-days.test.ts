import { expect, test } from 'vitest'
import { simulate } from '../run.ts'
import { type Found, morningHours, ofThisProject } from './found.ts'

/** Seeds that once showed a violation, with what it was: `simulate:faults`. */
const found: readonly Found[] = [
  { seed: 1, what: 'I6, I31: a node ended by a clock that had jumped forward and back', hours: 10.25 },
  { seed: 4, what: 'I24: a node that EC2 ended while its replacement started, taken for one that we ended', hours: 10 },
  { seed: 5, what: 'I27: a pod that waits, counted where one that runs had taken its place' },
  { seed: 13, what: 'I22: a throttled dry run asked for again in each subnet at once', hours: 11.75 },
  { seed: 17, what: 'I27: two passes within two seconds, told as one', hours: 11.75 },
  {
    seed: 26,
    what: 'I16: a node launched every three minutes for pods that waited for another zone',
    hours: 16.25,
  },
  { seed: 39, what: 'I16: machines that were launched for many pods, counted as launched for one', hours: 8.25 },
  { seed: 40, what: 'I27: a plan of which a half could not be written, told as one with the next' },
  { seed: 64, what: 'I35: a node whose replacement the limits refused kept all others waiting', hours: 16 },
  { seed: 89, what: 'I5: a machine whose claim a webhook kept from naming it, ended as an orphan', hours: 15.5 },
  { seed: 91, what: 'I27: a plan told in part, whose other pods took the places', hours: 22.5 },
  { seed: 98, what: 'I22: instances asked for one by one, and each twice, while EC2 refused all of them', hours: 22 },
  { seed: 107, what: 'two leaders that answered each other about the images of an alias without end', hours: 12.5 },
  { seed: 123, what: 'I14: a node deleted as empty by what a lagging API server had told', hours: 9.75 },
  { seed: 141, what: 'I22: pods that only a stale cache still had, read every second by a drain', hours: 22 },
  {
    seed: 151,
    what: 'I22: a status computed from what a watch had left behind, refused again and again',
    hours: 12.5,
  },
  {
    seed: 152,
    what: 'I20: a consolidation asked for spot, of which there was none, every quarter of a minute',
    hours: 18.5,
  },
  {
    seed: 166,
    what: 'I23: a consolidation undone by kube-scheduler and repeated every four minutes, or after an hour while somebody looked',
    hours: 24,
  },
  { seed: 184, what: 'I27: pods planned to one zone, since a pool with an open breaker had none', hours: 13.25 },
  {
    seed: 194,
    what: 'I17: a consolidation under limits of which a claim in the middle of its launch took a part',
    hours: 15.5,
  },
  { seed: 209, what: 'I27: a plan of which EC2 refused one machine, judged by what was left', hours: 17.5 },
  {
    seed: 232,
    what: 'I17: a replacement launched after the node that it was for was kept, since the other one did not come up',
    hours: 1,
  },
  { seed: 302, what: 'I17: a consolidation whose replacement would have come from another pool', hours: 16.75 },
  { seed: 532, what: 'I22: a deletion that a webhook refused, asked for every second' },
  {
    seed: 744,
    what: 'I16: a claim that a stale answer did not have, forgotten while its launch was under way',
    hours: 4.5,
  },
]

test.each(ofThisProject(found))(
  'seed $seed stays sound without a policy ($what)',
  async ({ seed, hours = morningHours }) => {
    const { violations } = await simulate({ seed, hours })
    expect(violations).toEqual([])
  },
  600_000,
)
