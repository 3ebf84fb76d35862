import { expect, test } from 'vitest'
import { FreeAddresses } from '../../../../../src/cloud/aws/subnet/free-addresses.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'

const minute = 60_000
const subnets = ['a', 'b', 'c'].map((zone) => ({ id: `subnet-${zone}`, zone: `z-${zone}` }))

/** Three zones with a subnet of a hundred free addresses each; a launch may take ten. */
function world(refreshIntervalMs = minute) {
  const clock = new VirtualClock()
  const addresses = new FreeAddresses(clock, refreshIntervalMs)
  for (const { id } of subnets) addresses.observe(id, 100)
  const left = () => subnets.map(({ id }) => addresses.available(id))
  return { clock, addresses, left, pick: () => [...addresses.pick(subnets, () => 10).values()] }
}

test('what a launch may take counts as taken in every zone, until it is known which one it used', () => {
  const { addresses, left, pick } = world()
  const picked = pick()
  expect(left()).toEqual([90, 90, 90])
  addresses.settle(picked, new Set(['subnet-b']))
  expect(left()).toEqual([100, 90, 100])
})

test('a launch that failed gives everything back', () => {
  const { addresses, left, pick } = world()
  addresses.settle(pick(), new Set())
  expect(left()).toEqual([100, 100, 100])
})

test('launches at the same time add up', () => {
  const { addresses, left, pick } = world()
  const [first, second] = [pick(), pick()]
  expect(left()).toEqual([80, 80, 80])
  addresses.settle(first, new Set(['subnet-a']))
  addresses.settle(second, new Set(['subnet-a']))
  expect(left()).toEqual([80, 100, 100])
})

test('nothing is given back to a subnet that EC2 has counted again in the meantime', () => {
  const { addresses, left, pick } = world()
  const picked = pick()
  addresses.observe('subnet-a', 97)
  pick()
  addresses.settle(picked, new Set())
  expect(left()).toEqual([87, 90, 90])
})

test('one that has none left stays so', () => {
  const { addresses, left, pick } = world()
  const picked = pick()
  addresses.markExhausted('subnet-a')
  addresses.settle(picked, new Set(['subnet-b']))
  expect(left()).toEqual([0, 90, 100])
})

test.each([
  [minute, 5],
  [10 * minute, 14],
])('a count of a refresh every %d ms is good for %d minutes, then nothing is known', async (refreshMs, minutes) => {
  const { clock, left } = world(refreshMs)
  await clock.run({ forMs: minutes * minute - 1 })
  expect(left()).toEqual([100, 100, 100])
  await clock.run({ forMs: 1 })
  expect(left()).toEqual([0, 0, 0])
})
