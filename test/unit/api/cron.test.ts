import { describe, expect, test } from 'vitest'
import { nextActivation, parseCron } from '../../../src/api/cron.ts'

function next(text: string, after: string): string | undefined {
  const result = parseCron(text)
  if (result.kind === 'invalid') throw new Error(result.message)
  const ms = nextActivation(result.schedule, Date.parse(after))
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16)
}

describe('the next activation is the first one strictly later, in UTC', () => {
  const cases: Record<string, [schedule: string, after: string, want: string | undefined]> = {
    'every minute': ['* * * * *', '2026-03-01T10:00:00Z', '2026-03-01T10:01'],
    'at the instant itself it is the following one': ['@daily', '2026-03-01T00:00:00Z', '2026-03-02T00:00'],
    'a second before': ['@daily', '2026-02-28T23:59:59Z', '2026-03-01T00:00'],
    'steps start at the range’s beginning': ['5-59/20 * * * *', '2026-03-01T10:26:00Z', '2026-03-01T10:45'],
    'an open step runs to the end of the field': ['50/5 * * * *', '2026-03-01T10:51:00Z', '2026-03-01T10:55'],
    'names of days, in any case': ['30 6 * * SUN', '2026-03-02T00:00:00Z', '2026-03-08T06:30'],
    'names of months': ['0 0 1 Feb *', '2026-03-01T00:00:00Z', '2027-02-01T00:00'],
    'both day fields restricted: either may match': ['0 0 13 * FRI', '2026-03-01T00:00:00Z', '2026-03-06T00:00'],
    'a starred day of month leaves the weekday alone': ['0 0 * * MON', '2026-03-01T00:00:00Z', '2026-03-02T00:00'],
    'weekly is Sunday': ['@weekly', '2026-03-02T00:00:00Z', '2026-03-08T00:00'],
    yearly: ['@annually', '2026-03-02T00:00:00Z', '2027-01-01T00:00'],
    'the last minute of a year': ['59 23 31 12 *', '2026-03-02T00:00:00Z', '2026-12-31T23:59'],
    'the last day of the week': ['59 23 * * SAT', '2026-03-02T00:00:00Z', '2026-03-07T23:59'],
    'leap days come': ['0 0 29 2 *', '2026-03-02T00:00:00Z', '2028-02-29T00:00'],
    'a date that never comes': ['0 0 31 2 *', '2026-03-02T00:00:00Z', undefined],
    // robfig/cron v3.0.1 was asked about all of these.
    'commas too many separate nothing': ['0 9 * * mon,,tue,', '2026-03-01T00:00:00Z', '2026-03-02T09:00'],
    'a field of nothing but commas never matches': [', * * * *', '2026-03-01T00:00:00Z', undefined],
    'a plus sign before a number': ['+5 +9 * * *', '2026-03-01T00:00:00Z', '2026-03-01T09:05'],
    'the end of a range that begins with a star does not count': [
      '*-5 0 * * *',
      '2026-03-01T00:30:00Z',
      '2026-03-01T00:31',
    ],
    'nor does what stands behind it': ['?-2-x/20 * * * *', '2026-03-01T10:07:00Z', '2026-03-01T10:20'],
    'a step of one, in any spelling, leaves a star a star': [
      '0 0 */01 * MON',
      '2026-03-01T00:00:00Z',
      '2026-03-02T00:00',
    ],
    'white space beyond ASCII': ['0\u00a09\u2003* * *', '2026-03-01T00:00:00Z', '2026-03-01T09:00'],
    'a question mark is a star': ['0 12 ? * ?', '2026-03-02T00:00:00Z', '2026-03-02T12:00'],
  }
  test.each(Object.entries(cases))('%s', (_name, [schedule, after, want]) => {
    expect(next(schedule, after)).toBe(want)
  })
})

describe('what is not a standard schedule is refused', () => {
  const cases: Record<string, string> = {
    'four fields': '* * * *',
    'six fields, as a time zone prefix would make': 'TZ=UTC 0 0 * * *',
    'a descending range of names': '0 0 * * tue-mon',
    'day of week 7': '0 0 * * 7',
    'minute 60': '60 * * * *',
    'hour 24': '0 24 * * *',
    'day 0': '0 0 0 * *',
    'a step of 0': '*/0 * * * *',
    'a byte order mark, which is no white space to Go': '0 0 *\ufeff* *',
    'a number beyond 64 bits': '*/9999999999999999999 * * * *',
    'a fraction': '1.5 * * * *',
    'an unknown macro': '@fortnightly',
    words: 'every day at nine am',
    'a text longer than any schedule': `0 0 * * ${' '.repeat(1_024)}*`,
    nothing: '',
  }
  test.each(Object.entries(cases))('%s', (_name, text) => {
    expect(parseCron(text).kind).toBe('invalid')
  })
})
