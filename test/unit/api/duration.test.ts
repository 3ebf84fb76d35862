import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  durationMs,
  formatDuration,
  formatDurationMs,
  nillableDurationMs,
  parseDuration,
  parseNillableDuration,
} from '../../../src/api/duration.ts'

const second = 1_000_000_000n

test.each([
  ['720h', 2_592_000n * second],
  ['1h30m5s', 5_405n * second],
  ['1.5s', 1_500_000_000n],
  ['-1m', -60n * second],
  ['+.5m', 30n * second],
  ['0', 0n],
  ['1us', 1_000n],
  ['3µs', 3_000n],
  ['9223372036854775807ns', 9_223_372_036_854_775_807n],
])('%s is read', (text, nanoseconds) => {
  expect(parseDuration(text)).toEqual({ kind: 'ok', nanoseconds })
})

test.each([
  ['', 'time: invalid duration ""'],
  ['soon', 'time: invalid duration "soon"'],
  ['5', 'time: missing unit in duration "5"'],
  ['5d', 'time: unknown unit "d" in duration "5d"'],
  ['1h.m', 'time: invalid duration "1h.m"'],
])('%j is refused in the words of Go', (text, message) => {
  expect(parseDuration(text)).toEqual({ kind: 'invalid', message })
  expect(() => durationMs(text)).toThrow(message)
})

test.each([
  ['99999999h', 2n ** 63n - 1n],
  [`${'9'.repeat(40)}h`, 2n ** 63n - 1n],
  ['9223372036854775808ns', 2n ** 63n - 1n],
  ['-9223372036854775809ns', -(2n ** 63n)],
])(
  '%j, beyond 64 bits, is refused in the words of Go, and counts as the nearest there is where it was admitted',
  (text, nearest) => {
    expect(parseDuration(text)).toEqual({ kind: 'invalid', message: `time: invalid duration "${text}"`, nearest })
    expect(durationMs(text)).toBe(Number(nearest / 1_000_000n))
    expect(nillableDurationMs(text)).toBe(durationMs(text))
  },
)

test.each([
  [0n, '0s'],
  [1n, '1ns'],
  [1_500n, '1.5µs'],
  [20_000_000n, '20ms'],
  [1_500_000_000n, '1.5s'],
  [60n * second, '1m0s'],
  [90n * second, '1m30s'],
  [24n * 3600n * second, '24h0m0s'],
  [-90n * second, '-1m30s'],
])('%d nanoseconds are printed as Go does', (nanoseconds, text) => {
  expect(formatDuration(nanoseconds)).toBe(text)
})

test('what is printed is read back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
      expect(parseDuration(formatDuration(nanoseconds))).toEqual({ kind: 'ok', nanoseconds })
    }),
  )
})

describe('a duration that may be off', () => {
  test('is off when it is Never or absent', () => {
    expect([parseNillableDuration('Never'), parseNillableDuration(undefined), nillableDurationMs('Never')]).toEqual([
      { kind: 'never' },
      { kind: 'never' },
      undefined,
    ])
  })

  test('is a duration otherwise, also when zero', () => {
    expect([nillableDurationMs('0s'), nillableDurationMs('1m30s'), formatDurationMs(90_000)]).toEqual([
      0,
      90_000,
      '1m30s',
    ])
  })
})
