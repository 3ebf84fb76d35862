import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { LaunchGuard } from '../../../../src/controllers/launches/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { guardDefaults } from '../../../support/controller-world.ts'

export const minute = 60_000

/** A guard with its defaults, and claims that end as a test says. */
export function aGuard() {
  const clock = new VirtualClock()
  const guard = new LaunchGuard(clock, guardDefaults)
  let born = 0
  const claim = (reached: readonly string[] = [], pool = 'general', uid = `uid-${(born += 1)}`): NodeClaim => {
    const base = aClaim()
    const conditions = reached.map((type) => ({ type, status: 'True' as const, lastTransitionTime: '' }))
    const labels = { 'karpenter.sh/nodepool': pool }
    const metadata = { uid, name: uid, labels, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    return { ...base, metadata, status: { ...base.status, conditions } }
  }
  return {
    clock,
    guard,
    claim,
    /** So many claims of the pool are written, and end like this. */
    fail(times: number, stage: Parameters<LaunchGuard['failed']>[1], pool = 'general') {
      for (let index = 0; index < times; index += 1) {
        const young = claim([], pool)
        guard.observe(young)
        guard.failed(young, stage, 'because')
        guard.gone(young.metadata.uid)
      }
    },
    /** A node of the pool goes; how its pods fare is told by `guard.moved` with its UID. */
    leave(pool = 'general'): string {
      const leaving = claim([], pool)
      guard.moving(leaving)
      return leaving.metadata.uid
    },
    launch(pool = 'general'): NodeClaim {
      const young = claim([], pool)
      guard.observe(young)
      guard.observe(claim(['Launched'], pool, young.metadata.uid))
      return young
    },
    admit: (count: number, pool = 'general') =>
      guard.admit(Array.from({ length: count }, () => ({ nodePool: pool }))).admitted.length,
    pass: (ms: number) => clock.run({ forMs: ms }),
  }
}
