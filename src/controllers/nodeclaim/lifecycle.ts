import type { NodeClaim } from '../../api/karpenter.ts'
import { messageOf } from '../../api/error-text.ts'
import { finalizerTermination } from '../../api/labels.ts'
import type { Node } from '../../api/kubernetes.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import type { ClusterState } from '../../cluster/index.ts'
import {
  backOff,
  type Caches,
  type Controller,
  done,
  type ReconcileContext,
  type ReconcileResult,
  source,
} from '../../kube/controller.ts'
import { isConflict, isNotFound, isRefusal } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes, resourceSlices } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { nodeNameOf } from '../../model/resource-slices.ts'
import { scaledConcurrency } from '../concurrency.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { draftOf, saveDraft } from './claim-draft.ts'
import { claimLog } from './claim-log.ts'
import { firstMissingDriver, sliceLookup } from './dra-gate.ts'
import { initializationStep } from './initialization.ts'
import { hasInstance, isLaunchOutOfDate, launchStep } from './launch.ts'
import type { LaunchFailures } from './launch-failures.ts'
import { LaunchResults } from './launch-results.ts'
import { claimLiveness } from './liveness.ts'
import { claimKeysOf, isManagedClaim, machineLookup } from './lookup.ts'
import type { RegistrationHealth } from './registration-health.ts'
import { RegistrationOutcomes } from './registration-outcomes.ts'
import { registrationStep } from './registration.ts'
import { type ClaimStep, type ClaimStepOutcome, combineOutcomes } from './step.ts'
import { terminateClaim } from './termination.ts'
import { truncated } from '../truncated.ts'

export interface LifecycleDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'create' | 'delete' | 'registrationHooks' | 'nodeClassKinds'>
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
  readonly health: RegistrationHealth
  readonly launches: LaunchFailures
  readonly cluster: Pick<ClusterState, 'observeLaunch'>
  /** Called with the name of a claim before its node may take pods; absent when pods are not nominated. */
  readonly announce?: (claim: string) => Promise<void>
  /** IGNORE_DRA_REQUESTS; default true: what DRA drivers offer does not hold back initialization. */
  readonly ignoreDRARequests?: boolean
  readonly cpuMilli: number
}

/** After a write the cached read needs a moment to catch up; without it the next pass would repeat the steps on old data. */
const settleMs = 1_000

/** Follows each claim from launch to the day its node is ready, and takes it apart when it is deleted. */
export function nodeClaimLifecycle(deps: LifecycleDeps): Controller {
  const { kube, clock } = deps
  const lookup = machineLookup(deps.caches)
  const results = new LaunchResults(clock)
  const registrations = new RegistrationOutcomes(deps.health)
  const slices = deps.ignoreDRARequests === false ? sliceLookup(deps.caches) : undefined
  const missingDRADriver = (claim: NodeClaim, node: Node): string | undefined =>
    slices === undefined ? undefined : firstMissingDriver(claim, slices.of(node))
  const shared = { ...deps, lookup, results, registrations, missingDRADriver }
  // The order matters: each step builds on what the ones before it wrote into the same draft.
  const liveness = claimLiveness(shared)
  const steps = [launchStep(shared), registrationStep(shared), initializationStep(shared), liveness.step]
  const concurrency = scaledConcurrency(1_000, 5_000, deps.cpuMilli)
  const perSecond = Math.max(1, Math.ceil(concurrency / 100))

  async function live(claim: NodeClaim, context: ReconcileContext): Promise<ReconcileResult> {
    if (await isLaunchOutOfDate(kube, claim, results)) return backOff
    let finalized: NodeClaim | undefined
    try {
      finalized = await withFinalizer(kube, claim)
    } catch (error) {
      if (!isRefusal(error) || hasInstance(claim) || results.get(claim.metadata.uid) !== undefined) throw error
      // What holds all others up until it is launched is given up in time, like any other launch that fails.
      return pass(claim, [launchRefused(error), liveness.step], context)
    }
    return finalized === undefined ? done : pass(finalized, steps, context)
  }

  async function pass(
    claim: NodeClaim,
    inOrder: readonly ClaimStep[],
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const draft = draftOf(claim, clock)
    const outcomes: ClaimStepOutcome[] = []
    for (const step of inOrder) {
      const outcome = await step(draft, context).catch((error: unknown): ClaimStepOutcome => ({ error }))
      // NotFound of something else, such as the node: it vanished after it was read, so try again from a current view.
      outcomes.push(isNotFound(outcome.error) ? { conflict: true } : outcome)
    }
    try {
      if (await saveDraft(kube, draft)) await clock.sleep(settleMs, context.signal)
    } catch (error) {
      if (isNotFound(error)) return done
      outcomes.push(isConflict(error) ? { conflict: true } : { error })
      if (isRefusal(error) && !hasInstance(claim)) {
        // Everybody else goes on, and counts with the machine that is there.
        if (hasInstance(draft.current)) deps.cluster.observeLaunch(draft.judged)
        outcomes.push(await liveness.unwritten(draft, context, error))
      }
    }
    return combineOutcomes(outcomes)
  }

  return {
    name: 'nodeclaim.lifecycle',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [
      source(nodeClaims, ({ after, before }) => {
        const claim = after ?? before
        return claim !== undefined && isManagedClaim(claim, deps.cloud) ? [keyOf(claim)] : []
      }),
      source(nodes, ({ after, before }) => claimKeysOf(lookup, after, before)),
      ...(slices === undefined
        ? []
        : [
            source(resourceSlices, (change) => {
              const node = lookup.nodes.get({ name: nodeNameOf(change.after ?? change.before) ?? '' })
              return claimKeysOf(lookup, node)
            }),
          ]),
    ],
    concurrency,
    rateLimit: { baseMs: 1_000, maxMs: 60_000, perSecond, burst: perSecond * 10 },
    async reconcile(key, context) {
      const claim = lookup.claims.get(key)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      const traced = { ...context, log: claimLog(context.log, claim) }
      if (claim.metadata.deletionTimestamp !== undefined) return terminateClaim(shared, claim, traced)
      try {
        return await live(claim, traced)
      } catch (error) {
        if (isConflict(error)) return backOff
        throw error
      }
    },
  }
}

/** Nothing is launched for a claim that could vanish without its instance being ended. Undefined when it is gone already. */
async function withFinalizer(kube: KubeClient, claim: NodeClaim): Promise<NodeClaim | undefined> {
  const finalizers = claim.metadata.finalizers ?? []
  if (finalizers.includes(finalizerTermination)) return claim
  const { resourceVersion, name } = claim.metadata
  const body = { metadata: { resourceVersion, finalizers: [...finalizers, finalizerTermination] } }
  try {
    return await kube.patch(nodeClaims, { name }, { kind: 'merge', body })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Stands for the launch of a claim that may not have the finalizer. */
function launchRefused(error: unknown): ClaimStep {
  return async ({ conditions }) => {
    const message = `adding the finalizer ${finalizerTermination} was refused, ${truncated(messageOf(error))}`
    conditions.set('Launched', 'Unknown', 'LaunchFailed', message)
    return { error }
  }
}
