import { nillableDurationMs } from '../../api/duration.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { type Caches, type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { scaledConcurrency } from '../concurrency.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { type Braked, type DisruptionBrake, underBrake } from '../disruption-brake.ts'
import { claimLog } from './claim-log.ts'
import { deleteClaim } from './delete-claim.ts'
import { countDisruption } from './disrupted-metrics.ts'
import { isManagedClaim, machineLookup } from './lookup.ts'

export interface ExpirationDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly recorder: EventRecorder
  readonly brake: DisruptionBrake
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsDisrupted' | 'podDisruptionsInitiated'>
  /** When an expired claim may go, for those whose pool has windows for that; in ms since the epoch. */
  readonly expiryTime?: (claim: NodeClaim, dueAt: number, now: number) => number
  readonly cpuMilli: number
}

/** Gives the cached read time to show the deletion, which would otherwise be made and counted twice. */
const settleMs = 1_000
/** A window that was moved forward is noticed within this time. */
const deferredAgainMs = 300_000
const brakedDedupeMs = 600_000

/**
 * Deletes claims that have lived long enough. Nothing holds it back: not budgets, not pods, not a missing replacement; only windows of a
 * RolloutPolicy that says so, and the brake, where one is set.
 */
export function nodeClaimExpiration(deps: ExpirationDeps): Controller {
  const lookup = machineLookup(deps.caches)

  function publishBraked(claim: NodeClaim, { message }: Braked): void {
    // What keeps it from being disrupted otherwise is told with every pass.
    const event = {
      type: 'Normal',
      reason: 'DisruptionBlocked',
      dedupeValues: [claim.metadata.uid, 'expired'],
    } as const
    deps.recorder.publish({
      object: claim,
      ...event,
      message: `Nodeclaim is expired, and ${message}`,
      dedupeMs: brakedDedupeMs,
    })
  }

  return {
    name: 'nodeclaim.expiration',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [source(nodeClaims, ({ after }) => (after === undefined ? [] : [keyOf(after)]))],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    async reconcile(key, { log, signal }) {
      const claim = lookup.claims.get(key)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      const lifetimeMs = nillableDurationMs(claim.spec.expireAfter)
      const createdAt = parseTimestamp(claim.metadata.creationTimestamp)
      if (lifetimeMs === undefined || createdAt === undefined) return done
      if (claim.metadata.deletionTimestamp !== undefined) return done
      const now = deps.clock.now()
      const dueAt = createdAt + lifetimeMs
      if (dueAt > now) return requeueAfter(dueAt - now)
      const mayGoAt = deps.expiryTime?.(claim, dueAt, now) ?? dueAt
      if (mayGoAt > now) return requeueAfter(Math.min(mayGoAt - now, deferredAgainMs))
      const braked = deps.brake.take('Expired')
      if (braked !== undefined) {
        publishBraked(claim, braked)
        return requeueAfter(Math.min(braked.waitMs, deferredAgainMs))
      }
      if (!(await underBrake(deps.brake, 'Expired', () => deleteClaim(deps.kube, claim)))) return done
      claimLog(log, claim).debug({}, 'deleting expired nodeclaim')
      countDisruption({ metrics: deps.metrics, lookup }, claim, 'expired')
      await deps.clock.sleep(settleMs, signal)
      return done
    },
  }
}
