import { expect, test } from 'vitest'
import { parseRFC3339, parseTimestamp, toGoTime, toMicroTimestamp, toTimestamp } from '../../../src/api/time.ts'

const accepted: Record<string, string> = {
  '2026-01-01T00:00:00Z': '2026-01-01T00:00:00.000Z',
  '2026-01-01T02:30:00+02:30': '2026-01-01T00:00:00.000Z',
  '2025-12-31T16:00:00-08:00': '2026-01-01T00:00:00.000Z',
  '2024-02-29T12:00:00Z': '2024-02-29T12:00:00.000Z',
  '2026-01-01T00:00:00.5Z': '2026-01-01T00:00:00.500Z',
  '2026-01-01T00:00:00.123456789Z': '2026-01-01T00:00:00.123Z',
  // Go's reader is not as strict as its RFC in these.
  '2026-01-01T00:00:00,5Z': '2026-01-01T00:00:00.500Z',
  '2026-01-01T1:00:00Z': '2026-01-01T01:00:00.000Z',
  '2026-01-02T00:00:00+24:00': '2026-01-01T00:00:00.000Z',
}

test.each(Object.entries(accepted))('%s', (text, want) => {
  expect(new Date(parseRFC3339(text) ?? Number.NaN).toISOString()).toBe(want)
})

test.each([
  '',
  '10',
  'soon',
  'tomorrow 5',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01t00:00:00z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00+0100',
  '2026-01-01T00:00:00+25:00',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z\n',
])('%j is no RFC 3339 time', (text) => {
  expect(parseRFC3339(text)).toBeUndefined()
})

const sayable: Record<string, { at: number; want: string }> = {
  'a time': { at: Date.parse('2026-01-01T00:00:00.999Z'), want: '2026-01-01T00:00:00' },
  'the last second': { at: Date.parse('9999-12-31T23:59:59.999Z'), want: '9999-12-31T23:59:59' },
  'the day after a freeze without end': { at: Date.parse('+010000-01-01T00:00:00Z'), want: '9999-12-31T23:59:59' },
  'a time that no Date holds': { at: 8.64e15 + 1_000, want: '9999-12-31T23:59:59' },
  never: { at: Number.POSITIVE_INFINITY, want: '9999-12-31T23:59:59' },
  'a time before the first year': { at: Date.parse('-000001-12-31T23:59:59Z'), want: '0000-01-01T00:00:00' },
}

test.each(Object.entries(sayable))('%s is written as the API server takes it', (_name, { at, want }) => {
  expect(toTimestamp(at)).toBe(`${want}Z`)
  expect(toGoTime(at)).toBe(`${want.replace('T', ' ')} +0000 UTC`)
  expect(parseTimestamp(toTimestamp(at))).toBe(Date.parse(`${want}Z`))
})

test('times with microseconds stay within the same years', () => {
  expect(toMicroTimestamp(Date.parse('2026-01-01T00:00:00.999Z'))).toBe('2026-01-01T00:00:00.999000Z')
  expect(toMicroTimestamp(Date.parse('+010000-01-01T00:00:00.5Z'))).toBe('9999-12-31T23:59:59.500000Z')
})
