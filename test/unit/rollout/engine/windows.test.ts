import { describe, expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import { windowState } from '../../../../src/rollout/engine/windows.ts'
import { instantOf, isTimeZone, localTime } from '../../../../src/model/zoned-time.ts'

const at = (text: string): number => Date.parse(text)
const text = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

type Times = Pick<RolloutPolicySpec, 'windows' | 'blackoutDates'>

const nightly: Times = { windows: [{ schedule: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' }] }
const office: Times = { windows: [{ schedule: '0 9 * * mon-fri', duration: '8h', timeZone: 'Europe/Berlin' }] }
const christmas = { from: '2026-12-24', to: '2026-12-26', timeZone: 'Europe/Berlin' }

describe('local time', () => {
  test.each([
    ['Europe/Berlin', '2026-01-15T12:00:00Z', '2026-01-15T13:00:00.000Z'],
    ['Europe/Berlin', '2026-07-15T12:00:00Z', '2026-07-15T14:00:00.000Z'],
    ['Asia/Kolkata', '2026-07-15T12:00:00Z', '2026-07-15T17:30:00.000Z'],
    ['UTC', '2026-07-15T12:00:00.250Z', '2026-07-15T12:00:00.250Z'],
  ])('%s at %s shows %s', (zone, instant, local) => {
    expect(text(localTime(zone, at(instant)))).toBe(local)
    expect(text(instantOf(zone, at(local)))).toBe(text(at(instant)))
  })

  test('a time that summer time skips means an hour later, one that comes twice means the first', () => {
    expect(text(instantOf('Europe/Berlin', at('2026-03-29T02:30:00Z')))).toBe('2026-03-29T01:30:00.000Z')
    expect(text(instantOf('Europe/Berlin', at('2026-10-25T02:30:00Z')))).toBe('2026-10-25T00:30:00.000Z')
  })

  test('a name that no zone has is told from one that exists', () => {
    expect(isTimeZone('Europe/Berlin')).toBe(true)
    expect(isTimeZone('Europe/Berln')).toBe(false)
  })
})

interface Open {
  readonly times: Times
  readonly now: string
  readonly until: string | undefined
}

const open: Record<string, Open> = {
  'without windows it is always open': { times: {}, now: '2026-05-01T00:00:00Z', until: undefined },
  'an empty list of windows is none': { times: { windows: [] }, now: '2026-05-01T00:00:00Z', until: undefined },
  'without windows it is open until the next blackout, whatever blackouts there have been': {
    times: { blackoutDates: [{ from: '2026-11-27' }, christmas] },
    now: '2026-12-01T00:00:00Z',
    until: '2026-12-23T23:00:00.000Z',
  },
  'from its start, inclusive': {
    times: office,
    now: '2026-05-04T07:00:00Z',
    until: '2026-05-04T15:00:00.000Z',
  },
  'of two that overlap, until the later ends': {
    times: {
      windows: [
        { schedule: '0 8 * * *', duration: '2h' },
        { schedule: '0 9 * * *', duration: '4h' },
      ],
    },
    now: '2026-05-04T09:30:00Z',
    until: '2026-05-04T13:00:00.000Z',
  },
  'a blackout that begins inside ends it': {
    times: { windows: [{ schedule: '0 22 * * *', duration: '4h' }], blackoutDates: [{ from: '2026-12-24' }] },
    now: '2026-12-23T23:00:00Z',
    until: '2026-12-24T00:00:00.000Z',
  },
  'on the night when 02:30 is skipped it opens an hour later by the wall clock': {
    times: nightly,
    now: '2026-03-29T01:45:00Z',
    until: '2026-03-29T02:30:00.000Z',
  },
  'on the night when 02:30 comes twice it opens the first time': {
    times: nightly,
    now: '2026-10-25T00:45:00Z',
    until: '2026-10-25T01:30:00.000Z',
  },
  'a window that began the day before is still open': {
    times: { windows: [{ schedule: '0 22 * * *', duration: '8h' }] },
    now: '2026-05-04T05:59:00Z',
    until: '2026-05-04T06:00:00.000Z',
  },
}

test.each(Object.entries(open))('open: %s', (_name, { times, now, until }) => {
  const state = windowState(times, at(now))
  expect(state).toMatchObject({ kind: 'open' })
  expect(state.kind === 'open' ? text(state.until) : 'closed').toBe(until)
})

interface Closed {
  readonly times: Times
  readonly now: string
  readonly opensAt: string | undefined
}

const closed: Record<string, Closed> = {
  'at its end, exclusive': { times: office, now: '2026-05-04T15:00:00Z', opensAt: '2026-05-05T07:00:00.000Z' },
  'over the weekend until Monday': { times: office, now: '2026-05-08T20:00:00Z', opensAt: '2026-05-11T07:00:00.000Z' },
  'just before 02:30 comes for the second time': {
    times: nightly,
    now: '2026-10-25T01:30:00Z',
    opensAt: '2026-10-26T01:30:00.000Z',
  },
  'in winter an hour later by UTC': { times: office, now: '2026-12-01T00:00:00Z', opensAt: '2026-12-01T08:00:00.000Z' },
  'in a blackout until a window after it': {
    times: { ...office, blackoutDates: [christmas] },
    now: '2026-12-24T09:00:00Z',
    opensAt: '2026-12-28T08:00:00.000Z',
  },
  'in a blackout without windows until its last day is over': {
    times: { blackoutDates: [christmas] },
    now: '2026-12-25T12:00:00Z',
    opensAt: '2026-12-26T23:00:00.000Z',
  },
  'in a blackout that ends inside a window until then': {
    times: { windows: [{ schedule: '0 22 * * *', duration: '8h' }], blackoutDates: [{ from: '2026-05-04' }] },
    now: '2026-05-04T23:00:00Z',
    opensAt: '2026-05-05T00:00:00.000Z',
  },
  'for ever when the schedule never comes': {
    times: { windows: [{ schedule: '0 0 31 2 *', duration: '1h' }] },
    now: '2026-05-04T00:00:00Z',
    opensAt: undefined,
  },
  'for ever when no window can be read': {
    times: { windows: [{ schedule: '0 9 * * *', duration: '1h', timeZone: 'Europe/Berln' }] },
    now: '2026-05-04T00:00:00Z',
    opensAt: undefined,
  },
  'for ever when the schedule cannot be read': {
    times: { windows: [{ schedule: '0 25 * * *', duration: '1h' }] },
    now: '2026-05-04T00:00:00Z',
    opensAt: undefined,
  },
  'from the first moment of a blackout on, by UTC where nobody knows its zone': {
    times: { blackoutDates: [{ from: '2026-05-04', timeZone: 'Europe/Berln' }] },
    now: '2026-05-04T00:00:00Z',
    opensAt: '2026-05-05T00:00:00.000Z',
  },
  'for ever when windows have no length': {
    times: { windows: [{ schedule: '0 9 * * *', duration: '0h' }] },
    now: '2026-05-04T09:00:00Z',
    opensAt: undefined,
  },
}

test.each(Object.entries(closed))('closed: %s', (_name, { times, now, opensAt }) => {
  const state = windowState(times, at(now))
  expect(state).toMatchObject({ kind: 'closed' })
  expect(state.kind === 'closed' ? text(state.opensAt) : 'open').toBe(opensAt)
})

test('the reason of a blackout is told, where it has one', () => {
  const state = windowState({ blackoutDates: [{ from: '2026-12-24', reason: 'freeze' }] }, at('2026-12-24T01:00:00Z'))
  expect(state).toMatchObject({ because: 'a blackout date (freeze)' })
  const silent = windowState({ blackoutDates: [{ from: '2026-12-24' }] }, at('2026-12-24T01:00:00Z'))
  expect(silent).toMatchObject({ because: 'a blackout date' })
})

test('a window opens when it said it would, through a year of changing clocks', () => {
  let now = at('2026-01-01T00:00:00Z')
  let openings = 0
  const end = at('2027-01-01T00:00:00Z')
  while (now < end) {
    const state = windowState(nightly, now)
    const next = state.kind === 'open' ? state.until : state.opensAt
    if (next === undefined) throw new Error('it never changes')
    expect(next).toBeGreaterThan(now)
    expect(windowState(nightly, next).kind).not.toBe(state.kind)
    if (state.kind === 'closed' && next < end) openings += 1
    now = next
  }
  expect(openings).toBe(365)
})
