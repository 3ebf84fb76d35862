import { messageOf } from '../../api/error-text.ts'
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
import { truncated } from '../truncated.ts'
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

const launchLimit = { ttlMs: launchTTLMs, ttl: '5m0s', reason: 'launch_timeout', stage: 'launch' } as const
const registrationLimit = {
  ttlMs: registrationTTLMs,
  ttl: '15m0s',
  reason: 'registration_timeout',
  stage: 'registration',
} as const

export interface Liveness {
  readonly step: ClaimStep
  /** For a claim without a written launch whose status is refused: nothing that it says tells since when. */
  unwritten(draft: ClaimDraft, context: ClaimStepContext, refusal: unknown): Promise<ClaimStepOutcome>
}

/** Gives up on claims that do not come to life. There is no such limit on initialization. */
export function claimLiveness(deps: LivenessDeps): Liveness {
  const parts: LivenessParts = {
    ...deps,
    moments: new SteadyMoments(deps.clock),
    told: new ExpiringMap<string, true>({ clock: deps.clock, ttlMs: toldTTLMs, cleanMs: toldTTLMs }),
  }
  return {
    async step(draft, context) {
      const { conditions } = draft
      if (conditions.isTrue('Registered')) return {}
      if (!conditions.isTrue('Launched')) {
        const launch = await expireWritten(parts, draft, context, conditions.get('Launched'), launchLimit)
        if (Object.keys(launch).length > 0) return launch
      }
      return expireWritten(parts, draft, context, conditions.get('Registered'), registrationLimit)
    },
    unwritten(draft, context, refusal) {
      const since = parts.moments.begun(`${draft.before.metadata.uid}/unwritten`, undefined)
      const message = `writing the status was refused, ${truncated(messageOf(refusal))}`
      // Nobody will read it there, but the pool repeats it.
      draft.conditions.set('Launched', 'Unknown', 'LaunchFailed', message)
      return expire(parts, draft, context, { ...launchLimit, since, message })
    },
  }
}

interface LivenessParts extends LivenessDeps {
  readonly moments: SteadyMoments
  /** UIDs of claims whose pool has heard of the failure: while their deletion is refused it is still one. */
  readonly told: ExpiringMap<string, true>
}

interface Limit {
  readonly ttlMs: number
  readonly ttl: string
  readonly reason: string
  readonly stage: Stage
}

async function expireWritten(
  parts: LivenessParts,
  draft: ClaimDraft,
  context: ClaimStepContext,
  condition: Condition | undefined,
  limit: Limit,
): Promise<ClaimStepOutcome> {
  const written = parseTimestamp(condition?.lastTransitionTime)
  if (written === undefined) return {}
  const since = parts.moments.begun(`${draft.before.metadata.uid}/${limit.stage}`, written)
  return expire(parts, draft, context, { ...limit, since, message: condition?.message ?? '' })
}

async function expire(
  deps: LivenessParts,
  { before, judged }: ClaimDraft,
  { log }: ClaimStepContext,
  limit: Limit & { readonly since: number; readonly message: string },
): Promise<ClaimStepOutcome> {
  const { told } = deps
  const { uid } = before.metadata
  const remainingMs = limit.since + limit.ttlMs - deps.clock.now()
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
    deps.launches.failed(before, limit.stage, `not within ${limit.ttl}: ${limit.message}`)
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
