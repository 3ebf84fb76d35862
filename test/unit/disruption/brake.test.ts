import { describe, expect, test } from 'vitest'
import { begunBeforeStart, brakeGate, brakeState } from '../../../src/disruption/brake.ts'
import { throughGate } from '../../../src/disruption/gate.ts'
import { aCandidate } from '../../support/disruption-builders.ts'

const limit = { nodes: 3, windowMs: 600 }

describe('the room of a cause', () => {
  test.each([
    ['nothing begun', [], 1_000, 3, 0],
    ['some begun', [900, 950], 1_000, 1, 0],
    ['all begun: until the first leaves the window', [500, 900, 950], 1_000, 0, 100],
    ['the first has just left the window', [400, 900, 950], 1_000, 1, 0],
    ['one moment before that', [401, 900, 950], 1_000, 0, 1],
    ['more than all: until there is room for one', [500, 600, 700, 800], 1_000, 0, 200],
  ])('with %s', (_what, begunAt, now, room, waitMs) => {
    expect(brakeState(begunAt, limit, now)).toMatchObject({ room, waitMs })
  })

  test('what has left the window is forgotten', () => {
    expect(brakeState([100, 400, 900], limit, 1_000).begunAt).toEqual([900])
  })
})

describe('after a start, of whose past nothing is known', () => {
  test('nothing goes within one window', () => {
    const before = begunBeforeStart(limit, 1_000)
    expect([1_000, 1_599, 1_600].map((now) => brakeState(before, limit, now).room)).toEqual([0, 0, 3])
  })

  test('a process that is restarted all the time begins no more than it may', () => {
    const begun: number[] = []
    for (let startedAt = 0; startedAt < 9_000; startedAt += 610) {
      let known = begunBeforeStart(limit, startedAt)
      for (let now = startedAt; now < startedAt + 610; now += 10) {
        if (brakeState(known, limit, now).room === 0) continue
        known = [...known, now]
        begun.push(now)
      }
    }
    const most = Math.max(...begun.map((from) => begun.filter((at) => at >= from && at < from + 600).length))
    expect(begun.length).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(3)
  })
})

describe('the gate', () => {
  const open = brakeState([], limit, 1_000)
  const shut = brakeState([900, 950, 990], limit, 1_000)
  const holdOf = (_reason: string, waitMs: number) => ({ code: 'Braked' as const, message: `${waitMs} ms` })
  const candidates = ['a', 'b', 'c', 'd', 'e'].map((name) => aCandidate(name))

  test('holds the nodes of a reason that has no room, and no others', () => {
    const gate = brakeGate((reason) => (reason === 'Drifted' ? shut : open), holdOf)
    expect(throughGate(candidates, 'Drifted', gate)).toMatchObject({
      eligible: [],
      blocked: candidates.map(() => ({ code: 'Braked', message: '500 ms', reported: 'silently' })),
    })
    expect(throughGate(candidates, 'Empty', gate).eligible).toHaveLength(5)
    expect(gate.common?.('any', 'Drifted')).toEqual([{ name: 'brake', nodes: 0 }])
    expect(gate.common?.('any', 'Empty')).toEqual([{ name: 'brake', nodes: 3 }])
  })

  test('where nodes of several pools go in one pass, lets as many through as there is room for', () => {
    const gate = brakeGate(() => open, holdOf)
    const { eligible, blocked } = throughGate(candidates, 'Drifted', gate, () => 5)
    expect(eligible).toHaveLength(3)
    expect(blocked).toHaveLength(2)
  })
})
