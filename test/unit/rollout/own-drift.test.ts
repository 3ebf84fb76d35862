import { describe, expect, test } from 'vitest'
import { decideOwnDrift, type OwnDriftInput } from '../../../src/rollout/own-drift.ts'
import { aClaim } from '../../support/controller-builders.ts'

const made = Date.parse('2026-05-01T00:00:00Z')
const hour = 3_600_000

function ask(input: Partial<OwnDriftInput>, uid = 'uid') {
  const claim = aClaim()
  return decideOwnDrift({
    claim: {
      ...claim,
      metadata: { name: 'claim', resourceVersion: '1', uid, creationTimestamp: '2026-05-01T00:00:00Z' },
    },
    retiring: false,
    restartAt: undefined,
    softExpireAfterMs: undefined,
    softExpireJitter: 0,
    now: made + 10 * hour,
    ...input,
  })
}

describe('reasons of our own', () => {
  test('without a wish a node is kept for ever', () => {
    expect(ask({})).toEqual({ kind: 'kept', dueAt: undefined })
  })

  test('a retiring pool gives all its nodes up', () => {
    expect(ask({ retiring: true, restartAt: made + 1 })).toMatchObject({ kind: 'drifted', reason: 'Retiring' })
  })

  test('nodes made before the restart are to be replaced, those made at it or later are not', () => {
    expect(ask({ restartAt: made + 1 })).toMatchObject({
      reason: 'RestartRequested',
      detail: 'made at 2026-05-01T00:00:00Z, before 2026-05-01T00:00:00Z',
    })
    expect(ask({ restartAt: made })).toEqual({ kind: 'kept', dueAt: undefined })
  })

  test('a node is soft-expired from its age on, inclusive', () => {
    expect(ask({ softExpireAfterMs: 10 * hour })).toMatchObject({ reason: 'SoftExpired' })
    expect(ask({ softExpireAfterMs: 10 * hour, now: made + 10 * hour - 1 })).toEqual({
      kind: 'kept',
      dueAt: made + 10 * hour,
    })
  })

  test('jitter makes it later by a share of the age, spread over the nodes, and the same whenever asked', () => {
    const dueAt = (uid: string): number => {
      const answer = ask({ softExpireAfterMs: 100 * hour, softExpireJitter: 0.1 }, uid)
      return answer.kind === 'kept' ? (answer.dueAt ?? 0) : 0
    }
    const dues = Array.from({ length: 50 }, (_, index) => dueAt(`uid-${index}`))
    expect(Math.min(...dues)).toBeGreaterThanOrEqual(made + 100 * hour)
    expect(Math.max(...dues)).toBeLessThan(made + 110 * hour)
    expect(new Set(dues).size).toBeGreaterThan(40)
    expect(dueAt('uid-7')).toBe(dues[7])
  })
})
