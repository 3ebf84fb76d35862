import { expect, test } from 'vitest'
import type { RolloutRateStatus } from '../../../../src/api/karpenter.ts'
import { type RateResult, spendRate } from '../../../../src/rollout/engine/rate.ts'

const start = Date.parse('2026-05-01T00:00:00Z')
const minute = 60_000
const rate = { nodes: 2, per: '1h' }

function look(
  previous: RolloutRateStatus | undefined,
  atMs: number,
  going: readonly string[],
  present = going,
): RateResult {
  return spendRate({ rate, previous, going: new Set(going), present: new Set(present), now: start + atMs })
}

test('without a rate nothing is bounded or remembered', () => {
  const result = spendRate({
    rate: undefined,
    previous: undefined,
    going: new Set(['a']),
    present: new Set(),
    now: start,
  })
  expect(result).toEqual({
    status: undefined,
    allowed: Number.POSITIVE_INFINITY,
    nextAt: undefined,
    lapsesAt: undefined,
  })
})

test('the bucket is full at first, and a full one needs no memory', () => {
  expect(look(undefined, 0, [])).toEqual({ status: undefined, allowed: 2, nextAt: undefined, lapsesAt: undefined })
})

test('each node pays once, however often it is seen going', () => {
  const first = look(undefined, 0, ['a'])
  expect(first).toMatchObject({ allowed: 1, nextAt: undefined, status: { tokens: '1.000000', paid: ['a'] } })
  const second = look(first.status, 0, ['a', 'b'])
  expect(second).toMatchObject({ allowed: 0, nextAt: start + 30 * minute, status: { paid: ['a', 'b'] } })
  expect(look(second.status, 10 * minute, ['a', 'b'])).toMatchObject({ allowed: 0, nextAt: start + 30 * minute })
  expect(look(second.status, 30 * minute, ['a', 'b'])).toMatchObject({ allowed: 1 })
})

test('a look that finds nothing new changes nothing that is remembered', () => {
  const { status } = look(undefined, 0, ['a', 'b'])
  expect(look(status, 7 * minute, ['a', 'b']).status).toEqual(status)
  expect(look(status, 8 * minute, [], ['a', 'b']).status).toEqual(status)
})

test('a replacement that a crash broke off and that begins again pays nothing', () => {
  const begun = look(undefined, 0, ['a'])
  const brokenOff = look(begun.status, minute, [], ['a'])
  expect(brokenOff.allowed).toBe(1)
  expect(look(brokenOff.status, 2 * minute, ['a'])).toMatchObject({ allowed: 1, status: { paid: ['a'] } })
})

test('once the bucket is full again, one that was broken off pays like any other', () => {
  const brokenOff = look(look(undefined, 0, ['a', 'b']).status, minute, [], ['a', 'b'])
  expect(brokenOff).toMatchObject({ status: { paid: ['a', 'b'] }, lapsesAt: start + 60 * minute })
  expect(look(brokenOff.status, 59 * minute, ['a'], ['a', 'b']).status?.paid).toEqual(['a', 'b'])
  const full = look(brokenOff.status, 60 * minute, [], ['a', 'b'])
  expect(full).toEqual({ status: undefined, allowed: 2, nextAt: undefined, lapsesAt: undefined })
  expect(look(full.status, 61 * minute, ['a'], ['a', 'b'])).toMatchObject({ allowed: 1, status: { paid: ['a'] } })
})

test('one that takes longer than its token took to come back has paid all the same', () => {
  const { status } = look(undefined, 0, ['a'])
  expect(look(status, 600 * minute, ['a'])).toMatchObject({ allowed: 2, status: { paid: ['a'] } })
  // Nor is anything written for it with every look.
  expect(look(status, 601 * minute, ['a']).status).toEqual(status)
})

test('nodes that began while nobody looked are paid for afterwards', () => {
  const late = look(undefined, 0, ['a', 'b', 'c'])
  expect(late).toMatchObject({ allowed: 0, nextAt: start + 60 * minute, status: { tokens: '-1.000000' } })
})

test('it never holds more than its size, and is forgotten once it is full and nobody is on the way', () => {
  const { status } = look(undefined, 0, ['a'])
  expect(look(status, 600 * minute, [], ['a'])).toMatchObject({ allowed: 2 })
  expect(look(status, 600 * minute, [], [])).toEqual({
    status: undefined,
    allowed: 2,
    nextAt: undefined,
    lapsesAt: undefined,
  })
})

test('parts of a second are not given twice', () => {
  let status = look(undefined, 0, ['a', 'b']).status
  // Ten thousand looks at odd moments, each with a node that is gone again, so that the bucket is written each time.
  for (let index = 1; index <= 100; index += 1) status = look(status, index * 999, [`n${index}`]).status
  const spent = 102
  const filled = (100 * 999) / (30 * minute)
  expect(Number(status?.tokens)).toBeLessThanOrEqual(2 + filled - spent + 0.001)
  // Nor kept back.
  expect(Number(status?.tokens)).toBeGreaterThanOrEqual(2 + filled - spent - 0.002)
})

test('a time that lies ahead, as a clock that was ahead wrote it, counts from when it is first seen: the bucket fills all the same', () => {
  const { status } = look(undefined, 6_000 * minute, ['a', 'b'])
  const setBack = look(status, 0, ['a', 'b'])
  expect(setBack).toMatchObject({ allowed: 0, nextAt: start + 30 * minute, status: { paid: ['a', 'b'] } })
  expect(look(setBack.status, 30 * minute, ['a', 'b'])).toMatchObject({ allowed: 1 })
})
