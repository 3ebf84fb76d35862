import { describe, expect, test } from 'vitest'
import { UnavailableOfferings } from '../../../../src/cloud/aws/unavailable-offerings.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'

const pool = { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'on-demand' } as const
const minute = 60_000

function world() {
  const clock = new VirtualClock()
  const offerings = new UnavailableOfferings(clock, recordingLogger())
  /** For how many minutes the offering rests after one more failure. */
  const rest = async (): Promise<number> => {
    offerings.markPool(pool, 'InsufficientInstanceCapacity')
    let minutes = 0
    for (; offerings.isUnavailable(pool, []); minutes += 1) await clock.run({ forMs: minute })
    return minutes
  }
  return { clock, offerings, rest }
}

describe('an offering without capacity', () => {
  test('case 51: rests for three minutes', async () => {
    expect(await world().rest()).toBe(3)
  })

  test('rests twice as long each time it is tried in vain, up to eight minutes', async () => {
    const { rest } = world()
    expect([await rest(), await rest(), await rest(), await rest()]).toEqual([3, 6, 8, 8])
  })

  test('rests for three minutes again when a launch has found capacity in between', async () => {
    const { rest, offerings } = world()
    await rest()
    await rest()
    offerings.markLaunched(pool)
    expect(await rest()).toBe(3)
  })

  test('rests for three minutes again when nobody has failed for as long as the last rest', async () => {
    const { rest, clock } = world()
    await rest()
    await rest()
    await clock.run({ forMs: 6 * minute })
    expect(await rest()).toBe(3)
  })

  test('learns of one shortage from launches that fail side by side', async () => {
    const { rest, offerings } = world()
    for (let index = 0; index < 5; index += 1) offerings.markPool(pool, 'InsufficientInstanceCapacity')
    expect(await rest()).toBe(3)
  })

  test('says nothing about another zone', async () => {
    const { rest, offerings } = world()
    await rest()
    offerings.markPool(pool, 'InsufficientInstanceCapacity')
    expect(offerings.isUnavailable({ ...pool, zone: 'us-west-2b' }, [])).toBe(false)
  })
})

describe('a pool whose machines the cloud takes back', () => {
  const interruptedFor = async ({ clock, offerings }: ReturnType<typeof world>): Promise<number> => {
    offerings.markInterrupted(pool, 'spot_interrupted')
    let minutes = 0
    for (; offerings.isUnavailable(pool, []); minutes += 1) await clock.run({ forMs: minute })
    return minutes
  }

  test('rests for three minutes each time, and no launch counts as failed for it', async () => {
    const it = world()
    expect([await interruptedFor(it), await interruptedFor(it), await interruptedFor(it)]).toEqual([3, 3, 3])
    expect(await it.rest()).toBe(3)
  })

  test('rests no shorter for want of capacity', async () => {
    const it = world()
    await it.rest()
    it.offerings.markPool(pool, 'InsufficientInstanceCapacity')
    expect(await interruptedFor(it)).toBe(6)
  })

  test('and has no capacity when tried again while it rests: that is a shortage that lasts', async () => {
    const it = world()
    await it.rest()
    it.offerings.markInterrupted(pool, 'spot_interrupted')
    expect(await it.rest()).toBe(6)
  })

  test('changes what is known of its type, and again when it is open', async () => {
    const { clock, offerings } = world()
    const sequences = [offerings.sequence('m5.large')]
    offerings.markInterrupted(pool, 'spot_interrupted')
    sequences.push(offerings.sequence('m5.large'))
    await clock.run({ forMs: 4 * minute })
    sequences.push(offerings.sequence('m5.large'))
    expect(new Set(sequences).size).toBe(3)
    offerings.markInterrupted(pool, 'spot_interrupted')
    offerings.clear()
    expect(offerings.isUnavailable(pool, [])).toBe(false)
  })
})

test.each([
  ['a capacity type', (offerings: UnavailableOfferings) => offerings.markCapacityType('on-demand')],
  ['a subnet without addresses', (offerings: UnavailableOfferings) => offerings.markSubnet('subnet-1')],
])('%s rests for three minutes, and whoever remembers what was open learns that it is again', async (_what, mark) => {
  const { clock, offerings } = world()
  mark(offerings)
  const closed = offerings.sequence('m5.large')
  await clock.run({ forMs: 3 * minute - 1_000 })
  expect(offerings.isUnavailable(pool, ['subnet-1'])).toBe(true)
  await clock.run({ forMs: minute })
  expect(offerings.isUnavailable(pool, ['subnet-1'])).toBe(false)
  expect(offerings.sequence('m5.large')).not.toBe(closed)
})

test('a shortage in a placement group is one in its partition, or in all where the launch named none, and nowhere else', () => {
  const { offerings: unavailable } = world()
  const where = (): string[] =>
    ['', 'pg-1/', 'pg-1/1', 'pg-1/2', 'pg-2/1'].filter((text) => {
      const [groupID = '', partition = ''] = text.split('/')
      return unavailable.isUnavailable(pool, [], text === '' ? undefined : { groupID, partition })
    })
  unavailable.markPool(pool, 'ICE', { groupID: 'pg-1', partition: '2' })
  expect(where()).toEqual(['pg-1/2'])
  unavailable.markPool(pool, 'ICE', { groupID: 'pg-1', partition: '' })
  expect(where()).toEqual(['pg-1/', 'pg-1/1', 'pg-1/2'])
})
