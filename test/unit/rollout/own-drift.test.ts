import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, NodePool, RolloutPolicySpec } from '../../../src/api/karpenter.ts'
import { decideOwnDrift, ownDriftOf, type OwnDriftInput } from '../../../src/rollout/own-drift.ts'
import { aClaim } from '../../support/controller-builders.ts'
import { aFleetClass, aFleetPool, aMachine, annotated } from '../../support/fleet-objects.ts'

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

describe('what is asked of a node', () => {
  const [claim] = aMachine('n1', aFleetPool(), aFleetClass(), { createdAt: '2026-05-01T00:00:00Z' })
  const restart = (at: string) => ({ 'joinery.dev/restart-at': at })

  function asked(
    {
      pool = aFleetPool(),
      nodeClass,
      spec,
    }: { pool?: NodePool; nodeClass?: EC2NodeClass; spec?: Partial<RolloutPolicySpec> },
    at = made + 105 * hour,
  ) {
    const policy = spec && {
      apiVersion: 'joinery.dev/v1alpha1' as const,
      kind: 'RolloutPolicy' as const,
      metadata: { name: 'p', uid: 'p', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { nodePoolSelector: {}, ...spec },
    }
    return ownDriftOf(claim, { pool, nodeClass, policy }, at)
  }

  test('a restart of its pool and one of its class count alike, the later of them', () => {
    const [early, late] = [restart('2026-04-01T00:00:00Z'), restart('2026-05-02T00:00:00Z')]
    const reasons = [early, late].flatMap((own) =>
      [early, late].map((ofClass) => {
        const found = asked({ pool: annotated(aFleetPool(), own), nodeClass: annotated(aFleetClass(), ofClass) })
        return found.kind === 'drifted' ? found.reason : found.kind
      }),
    )
    expect(reasons).toEqual(['kept', 'RestartRequested', 'RestartRequested', 'RestartRequested'])
    expect(asked({ pool: annotated(aFleetPool(), late) })).toMatchObject({ reason: 'RestartRequested' })
    expect(asked({ nodeClass: annotated(aFleetClass(), late) })).toMatchObject({ reason: 'RestartRequested' })
  })

  test('a policy that only observes lets no node expire', () => {
    const spec = { softExpireAfter: '100h', softExpireJitter: '0%' }
    expect(asked({ spec })).toMatchObject({ reason: 'SoftExpired' })
    expect(asked({ spec: { ...spec, mode: 'Observe' } })).toEqual({ kind: 'kept', dueAt: undefined })
    expect(asked({ spec: {} })).toEqual({ kind: 'kept', dueAt: undefined })
  })

  test('nodes expire over a tenth of their age longer, unless the policy says otherwise', () => {
    const dueAt = (spec: Partial<RolloutPolicySpec>): number => {
      const found = asked({ spec: { softExpireAfter: '100h', ...spec } }, made)
      return found.kind === 'kept' ? ((found.dueAt ?? 0) - made) / hour - 100 : 0
    }
    const [usual, wider] = [dueAt({}), dueAt({ softExpireJitter: '50%' })]
    expect(usual).toBeGreaterThan(0)
    expect(usual).toBeLessThan(10)
    expect(wider).toBeCloseTo(5 * usual, 6)
    expect(dueAt({ softExpireJitter: '0%' })).toBe(0)
  })
})
