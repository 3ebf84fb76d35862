import { expect, test } from 'vitest'
import { parseSchedule, zonedTimestamp } from '../../../../src/embedded/workloads/cron-schedule.ts'

function following(text: string, zone: string | undefined, after: string, count: number): readonly string[] {
  const parsed = parseSchedule(text, zone)
  if (parsed.kind === 'invalid') throw new Error(parsed.message)
  let at = Date.parse(after)
  return Array.from({ length: count }, () => {
    at = parsed.schedule.next(at) ?? Number.NaN
    return new Date(at).toISOString().slice(0, 16)
  })
}

test.each([
  ['*/20 9 * * mon', undefined, '2026-01-01T00:00:00Z', ['2026-01-05T09:00', '2026-01-05T09:20', '2026-01-05T09:40']],
  ['@daily', undefined, '2026-01-01T00:00:00Z', ['2026-01-02T00:00', '2026-01-03T00:00']],
  ['@every 90m', undefined, '2026-01-01T00:00:30.500Z', ['2026-01-01T01:30', '2026-01-01T03:00']],
  ['0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', ['2026-01-01T03:30', '2026-01-02T03:30']],
  // What is skipped in spring does not come,
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', ['2026-03-28T01:30', '2026-03-30T00:30']],
  ['0 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', ['2026-03-29T01:00', '2026-03-29T02:00']],
  // and what comes twice in autumn does.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30']],
])('%s in %s', (text, zone, after, want) => {
  expect(following(text, zone, after, want.length)).toEqual(want)
})

test('a schedule that never comes, and one that is none', () => {
  expect(() => following('0 0 31 2 *', 'Europe/Berlin', '2026-01-01T00:00:00Z', 1)).toThrow(/Invalid time/)
  expect(parseSchedule('@every soon')).toMatchObject({ kind: 'invalid' })
  expect(parseSchedule('0 25 * * *')).toMatchObject({ kind: 'invalid' })
})

test('a moment by the clocks of a zone', () => {
  const at = Date.parse('2026-01-01T00:00:00Z')
  expect(zonedTimestamp('UTC', at)).toBe('2026-01-01T00:00:00Z')
  expect(zonedTimestamp('Asia/Kolkata', at)).toBe('2026-01-01T05:30:00+05:30')
  expect(zonedTimestamp('America/New_York', at)).toBe('2025-12-31T19:00:00-05:00')
})
