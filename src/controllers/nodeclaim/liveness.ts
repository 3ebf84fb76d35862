import type { Condition } from '../../api/kubernetes.ts'
import { isConflict, isRefusal } from '../../kube/errors.ts'
import type { KubeClient } from '../../kube/port.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { labelCapacityType, labelNodePool } from '../../api/labels.ts'
import type { ClaimDraft } from './claim-draft.ts'
import { deleteClaim } from './delete-claim.ts'
import type { Stage } from '../../disruption/circuit-breaker.ts'
import { SteadyMoments } from '../steady-moments.ts'
import type { LaunchFailures } from './launch-failures.ts'
import type { RegistrationHealth } from './registration-health.ts'
import type { ClaimStep, ClaimStepContext, ClaimStepOutcome } from './step.ts'

export interface LivenessDeps {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly health: RegistrationHealth
  readonly launches: LaunchFailures
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsDisrupted'>
}

/** A launch that has not succeeded by then will not: another claim may choose differently. */
const launchTTLMs = 5 * 60_000
/** An instance that takes longer to join is taken to have failed to boot. */
const registrationTTLMs = 15 * 60_000
/** A deletion that is refused is tried again sooner. */
const toldTTLMs = 3_600_000

/** Gives up on claims that do not come to life. There is no such limit on initialization. */
export function livenessStep(deps: LivenessDeps): ClaimStep {
  const parts: LivenessParts = {
    ...deps,
    moments: new SteadyMoments(deps.clock),
    told: new ExpiringMap<string, true>({ clock: deps.clock, ttlMs: toldTTLMs, cleanMs: toldTTLMs }),
  }
  return async (draft, context) => {
    const { conditions } = draft
    if (conditions.isTrue('Registered')) return {}
    if (!conditions.isTrue('Launched')) {
      const launch = await expireAt(parts, draft, context, {
        condition: conditions.get('Launched'),
        ttlMs: launchTTLMs,
        ttl: '5m0s',
        reason: 'launch_timeout',
        stage: 'launch',
      })
      if (Object.keys(launch).length > 0) return launch
    }
    return expireAt(parts, draft, context, {
      condition: conditions.get('Registered'),
      ttlMs: registrationTTLMs,
      ttl: '15m0s',
      reason: 'registration_timeout',
      stage: 'registration',
    })
  }
}

interface LivenessParts extends LivenessDeps {
  readonly moments: SteadyMoments
  /** UIDs of claims whose pool has heard of the failure: while their deletion is refused it is still one. */
  readonly told: ExpiringMap<string, true>
}

async function expireAt(
  deps: LivenessParts,
  { before, judged }: ClaimDraft,
  { log }: ClaimStepContext,
  limit: {
    readonly condition: Condition | undefined
    readonly ttlMs: number
    readonly ttl: string
    readonly reason: string
    readonly stage: Stage
  },
): Promise<ClaimStepOutcome> {
  const since = parseTimestamp(limit.condition?.lastTransitionTime)
  if (since === undefined) return {}
  const { moments, told } = deps
  const { uid } = before.metadata
  const remainingMs = moments.begun(`${uid}/${limit.stage}`, since) + limit.ttlMs - deps.clock.now()
  if (remainingMs > 0) return { requeueAfterMs: remainingMs }
  let untold: unknown
  try {
    if (told.renewed(uid) === undefined) {
      await deps.health.recordFailure(judged).catch((error: unknown) => {
        // What is refused is refused again: no machine is kept for the sake of its pool's health.
        if (!isRefusal(error)) throw error
        untold = error
      })
    }
    told.set(uid, true)
    if (!(await deleteClaim(deps.kube, before))) return {}
    deps.launches.failed(before, limit.stage, `not within ${limit.ttl}: ${limit.condition?.message ?? ''}`)
  } catch (error) {
    return isConflict(error) ? { conflict: true } : { error }
  }
  log.debug({ timeout: limit.ttl, reason: limit.reason }, 'terminating due to timeout')
  deps.metrics.nodeClaimsDisrupted.increment({
    reason: limit.reason,
    nodepool: before.metadata.labels?.[labelNodePool] ?? '',
    capacity_type: before.metadata.labels?.[labelCapacityType] ?? '',
  })
  return untold === undefined ? {} : { error: untold }
}
