import { describe, expect, test } from 'vitest'
import {
  type Breaker,
  closedBreaker,
  isTrying,
  type OpenBreaker,
  record,
  restored,
  type BreakerScope,
  type Stage,
} from '../../../src/disruption/circuit-breaker.ts'

const settings = { failuresInARow: 3, window: 10, backOffMs: 60_000, backOffMaxMs: 480_000 }

/** `x` a failure, `.` a success; upper case letters are failures of another pool. One outcome a second. */
function after(outcomes: string, scope: BreakerScope = 'pool', stage: Stage = 'launch'): Breaker {
  return outcomes
    .split('')
    .reduce<Breaker>(
      (breaker, mark, second) =>
        record(
          breaker,
          { stage, pool: mark === 'X' ? 'other' : 'general', ok: mark === '.', message: `number ${second}`, bornAt: 0 },
          second * 1_000,
          settings,
          scope,
        ),
      closedBreaker,
    )
}

function open(outcomes = 'xxx'): OpenBreaker {
  const breaker = after(outcomes)
  if (breaker.kind !== 'open') throw new Error('not open')
  return breaker
}

describe('a breaker opens', () => {
  const cases: Record<string, { outcomes: string; scope?: BreakerScope; want: 'open' | 'closed' }> = {
    'after three failures in a row': { outcomes: 'xxx', want: 'open' },
    'not after two': { outcomes: 'xx', want: 'closed' },
    'not when a success comes between them': { outcomes: 'xx.xx.xx', want: 'closed' },
    'when half of the last ten failed': { outcomes: '.x.x.x.x.x', want: 'open' },
    'not when fewer than half of ten failed': { outcomes: '.x.x.x.x..', want: 'closed' },
    'not on half of fewer than ten': { outcomes: 'x.x.x.x.', want: 'closed' },
    'not on failures that nine outcomes and this one have followed': { outcomes: 'xx.xx.........x', want: 'closed' },
    'for the cluster when pools fail one after the other': { outcomes: 'xXx', scope: 'cluster', want: 'open' },
    'not for the cluster while only one pool fails': { outcomes: 'xxxxxxxxxx', scope: 'cluster', want: 'closed' },
    'not for the cluster when the failures of the other pool are older than a success': {
      outcomes: 'X.xxx',
      scope: 'cluster',
      want: 'closed',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { outcomes, scope, want }) => {
    expect(after(outcomes, scope).kind).toBe(want)
  })

  test('stages are counted apart', () => {
    const launches = after('xx')
    const registrations = record(
      launches,
      { stage: 'registration', pool: 'general', ok: false, message: '', bornAt: 0 },
      0,
      settings,
    )
    expect(registrations.kind).toBe('closed')
  })

  test('with the text of the last failure', () => {
    expect(open().message).toBe('3 in a row: launches failed: number 2')
    expect(open('.x.x.x.x.x').message).toBe('5 of the last 10: launches failed: number 9')
  })
})

describe('an open breaker', () => {
  test('lets the first node try after a minute', () => {
    expect(isTrying(open(), 2_000 + 59_999)).toBe(false)
    expect(isTrying(open(), 2_000 + 60_000)).toBe(true)
  })

  test('doubles the wait with every try that fails, up to eight minutes', () => {
    const waits: number[] = []
    let breaker: Breaker = open()
    for (let index = 0; index < 5; index += 1) {
      if (breaker.kind !== 'open') throw new Error('closed')
      const now: number = breaker.retryAt
      breaker = record(
        breaker,
        { stage: 'launch', pool: 'general', ok: false, message: '', bornAt: now },
        now,
        settings,
      )
      if (breaker.kind === 'open') waits.push((breaker.retryAt - now) / 60_000)
    }
    expect(waits).toEqual([2, 4, 8, 8, 8])
  })

  test('learns nothing from a node that was asked for before it opened', () => {
    const late = { stage: 'launch' as const, pool: 'general', ok: false, message: '', bornAt: 1_000 }
    expect(record(open(), late, 100_000, settings)).toEqual(open())
  })

  test('closes on a success of the stage that failed, and only on that', () => {
    const ok = { pool: 'general', ok: true, message: '', bornAt: 90_000 }
    expect(record(open(), { ...ok, stage: 'launch' }, 100_000, settings)).toEqual(closedBreaker)
    expect(record(open(), { ...ok, stage: 'registration' }, 100_000, settings).kind).toBe('open')
  })
})

describe('after a restart', () => {
  const at = (openForMs: number): number => {
    const now = 10_000_000
    return restored({ stage: 'launch', message: '', openedAt: now - openForMs }, now, settings).retryAt - now
  }
  const minute = 60_000
  const cases: Record<string, { openForMs: number; wantMs: number }> = {
    'a breaker that has just opened waits its minute': { openForMs: 0, wantMs: minute },
    'the second try comes three minutes after the opening': { openForMs: 2 * minute, wantMs: minute },
    'the third comes seven minutes after it': { openForMs: 3 * minute, wantMs: 4 * minute },
    'one that has been open for hours tries at once': { openForMs: 600 * minute, wantMs: 0 },
    'a clock that was set back does not postpone the try beyond the longest wait': {
      openForMs: -90 * minute,
      wantMs: 8 * minute,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { openForMs, wantMs }) => {
    expect(at(openForMs)).toBe(wantMs)
  })

  test('a back-off of nothing lets a node try at once', () => {
    const now = 10_000_000
    const memory = { stage: 'launch' as const, message: '', openedAt: now - minute }
    expect(restored(memory, now, { ...settings, backOffMs: 0 }).retryAt).toBe(now)
  })
})
