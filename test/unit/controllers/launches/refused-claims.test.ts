import { describe, expect, test } from 'vitest'
import { RefusedClaims } from '../../../../src/controllers/launches/refused-claims.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { aPod } from '../../../support/scheduling-world.ts'
import { aGuard, minute } from './a-guard.ts'

const web = aPod({ name: 'web-1', labels: { app: 'web' } })
const db = aPod({ name: 'db-1', labels: { app: 'db' } })
const denial = new KubeError('Forbidden', 403, 'no team')

function refusedOnce(error: unknown = denial) {
  const clock = new VirtualClock({ startMs: Date.parse('2026-01-05T10:00:00Z') })
  const refused = new RefusedClaims(clock)
  refused.note({ nodePool: 'first', pods: [web] }, error)
  return { clock, refused }
}

describe('a pool of which a claim was refused', () => {
  test('is left out for a minute, for pods that are alike', async () => {
    const { clock, refused } = refusedOnce()
    const again = aPod({ name: 'web-2', labels: { app: 'web' } })
    const planned = [{ nodePool: 'first', pods: [again] }]
    await clock.run({ forMs: minute - 1 })
    expect([...refused.poolsOf(planned)]).toEqual([
      ['first', 'no team; one is asked for again at 2026-01-05T10:01:00Z'],
    ])
    await clock.run({ forMs: 1 })
    expect([...refused.poolsOf(planned)]).toEqual([])
  })

  test.each([
    ['other pods', [{ nodePool: 'first', pods: [db] }]],
    ['such pods beside others', [{ nodePool: 'first', pods: [web, db] }]],
    [
      'such pods, where others need it, too',
      [
        { nodePool: 'first', pods: [web] },
        { nodePool: 'first', pods: [db] },
      ],
    ],
    ['such pods in another pool', [{ nodePool: 'second', pods: [web] }]],
  ])('is planned in for %s', (_who, planned) => {
    expect([...refusedOnce().refused.poolsOf(planned)]).toEqual([])
  })

  test.each(['Conflict', 'InternalError', 'TooManyRequests'] as const)('is planned in after %s', (code) => {
    const { refused } = refusedOnce(new KubeError(code, 500, 'no'))
    expect([...refused.poolsOf([{ nodePool: 'first', pods: [web] }])]).toEqual([])
  })

  test.each(['reset', 'forget'] as const)('is planned in again once it is changed or gone (%s)', (how) => {
    const { guard } = aGuard()
    guard.refused.note({ nodePool: 'first', pods: [web] }, denial)
    guard[how]('first')
    expect([...guard.refused.poolsOf([{ nodePool: 'first', pods: [web] }])]).toEqual([])
  })
})
