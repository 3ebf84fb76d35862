import type { CapacityReservation } from '@aws-sdk/client-ec2'
import { expect, test } from 'vitest'
import { ReservationProvider } from '../../../../../src/cloud/aws/capacity-reservation/reservation-provider.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'

const terms = [{ id: 'cr-1' }]
const hour = 3_600_000

/** A provider, and what EC2 tells of the reservation that is asked for by its id; an error is thrown. */
function aProvider() {
  const clock = new VirtualClock()
  const told: { answer: readonly CapacityReservation[] | Error } = {
    answer: [{ CapacityReservationId: 'cr-1', AvailableInstanceCount: 5 }],
  }
  let asked = 0
  const reservations = new ReservationProvider({
    clock,
    ec2: {
      describeCapacityReservations: async () => {
        asked += 1
        await Promise.resolve()
        if (told.answer instanceof Error) throw told.answer
        return { CapacityReservations: [...told.answer] }
      },
    },
  })
  return { clock, told, reservations, asked: () => asked }
}

test('EC2 is asked once a minute, for all who ask', async () => {
  const { clock, reservations, asked } = aProvider()
  const lists = await Promise.all([reservations.list(terms), reservations.list(terms)])
  expect(lists.map((list) => list.length)).toEqual([1, 1])
  await clock.run({ forMs: 59_999 })
  await reservations.list(terms)
  expect(asked()).toBe(1)
  await clock.run({ forMs: 1 })
  await reservations.list(terms)
  expect(asked()).toBe(2)
  await reservations.listFresh(terms)
  expect(asked()).toBe(3)
})

test('they come in the same order, however EC2 lists them', async () => {
  const { told, reservations } = aProvider()
  told.answer = ['cr-2', 'cr-3', 'cr-1'].map((CapacityReservationId) => ({ CapacityReservationId }))
  const found = await reservations.list([{ instanceMatchCriteria: 'open' }])
  expect(found.map(({ CapacityReservationId }) => CapacityReservationId)).toEqual(['cr-1', 'cr-2', 'cr-3'])
})

test('a refusal is not remembered, and neither forgets nor counts anything', async () => {
  const { clock, told, reservations } = aProvider()
  await reservations.list(terms)
  await clock.run({ forMs: 60_000 })
  const { answer } = told
  told.answer = new Error('throttled')
  await expect(reservations.list(terms)).rejects.toThrow('throttled')
  expect(reservations.remaining('cr-1')).toBe(5)
  told.answer = answer
  expect(await reservations.list(terms)).toHaveLength(1)
})

test('an id that EC2 does not know selects nothing', async () => {
  const { told, reservations } = aProvider()
  told.answer = Object.assign(new Error('gone'), { name: 'InvalidCapacityReservationId.NotFound' })
  expect(await reservations.list(terms)).toEqual([])
  expect(await reservations.describe(['cr-1'])).toEqual([])
})

test('what has ended by now is left out, also of what was asked before', async () => {
  const { clock, told, reservations } = aProvider()
  told.answer = [{ CapacityReservationId: 'cr-1', EndDate: new Date(clock.now() + 30_000) }]
  expect(await reservations.list(terms)).toHaveLength(1)
  await clock.run({ forMs: 30_000 })
  expect(await reservations.list(terms)).toEqual([])
})

test('what is left is counted on between two looks, and each look sets it right', async () => {
  const { told, reservations } = aProvider()
  const left = (): number => reservations.remaining('cr-1')
  expect(left()).toBe(0)
  reservations.markTerminated('cr-1', 'before')
  expect(left()).toBe(0)
  await reservations.list(terms)
  reservations.markLaunched('cr-1')
  expect(left()).toBe(4)
  reservations.markTerminated('cr-1', 'claim')
  reservations.markTerminated('cr-1', 'claim')
  expect(left()).toBe(5)
  reservations.markTerminated('cr-1', 'another')
  expect(left()).toBe(6)
  reservations.markExhausted('cr-1')
  expect(left()).toBe(0)
  await reservations.describe(['cr-1'])
  expect(left()).toBe(0)
  await reservations.listFresh(terms)
  expect(left()).toBe(5)
  told.answer = [{ CapacityReservationId: 'cr-1' }]
  await reservations.listFresh(terms)
  expect(left()).toBe(0)
})

test('a count of which nothing was heard for a day is none', async () => {
  const { clock, reservations } = aProvider()
  await reservations.list(terms)
  await clock.run({ forMs: 24 * hour - 1 })
  expect(reservations.remaining('cr-1')).toBe(5)
  await clock.run({ forMs: 1 })
  expect(reservations.remaining('cr-1')).toBe(0)
})

test('who needs counts asks while any is missing, and not for none', async () => {
  const { reservations, asked } = aProvider()
  await reservations.ensureCounted(terms, [])
  expect(asked()).toBe(0)
  await reservations.ensureCounted(terms, ['cr-1'])
  await reservations.ensureCounted(terms, ['cr-1'])
  expect(asked()).toBe(1)
  // One that EC2 does not tell of costs no more than a look a minute.
  await reservations.ensureCounted(terms, ['cr-1', 'cr-2'])
  expect(asked()).toBe(1)
})
