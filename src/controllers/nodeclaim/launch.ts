import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import { isWellKnownLabel } from '../../api/label-rules.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import {
  type CloudProvider,
  CreateError,
  InsufficientCapacityError,
  type LaunchedInstance,
  NodeClassNotReadyError,
} from '../../cloud/provider.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'
import { toResourceList } from '../../model/resources.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, labelZone } from '../../api/labels.ts'
import type { ClaimDraft } from './claim-draft.ts'
import { deleteClaim } from './delete-claim.ts'
import type { LaunchFailures } from './launch-failures.ts'
import type { LaunchResult, LaunchResults } from './launch-results.ts'
import { truncated } from '../truncated.ts'
import type { ClaimStep, ClaimStepContext, ClaimStepOutcome } from './step.ts'

export interface LaunchDeps {
  readonly kube: KubeClient
  readonly cloud: Pick<CloudProvider, 'create'>
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsDisrupted'>
  readonly results: LaunchResults
  readonly launches: LaunchFailures
}

/** Starts the claim's instance, once. */
export function launchStep(deps: LaunchDeps): ClaimStep {
  return async (draft, context) => {
    const { claim, conditions } = draft
    if (!conditions.isUnknown('Launched')) {
      if (conditions.isTrue('Launched')) settle(deps.results, claim)
      conditions.refresh('Launched')
      return {}
    }
    // Its condition was overwritten, or the process died between two writes: the instance it names is its own.
    if (hasInstance(claim)) {
      conditions.setTrue('Launched')
      return {}
    }
    let result = deps.results.get(claim.metadata.uid)
    if (result === undefined) {
      try {
        const instance = await deps.cloud.create(draft.before)
        result = { instance, replaces: wasAdopted(draft.before, instance) }
      } catch (error) {
        return launchFailed(deps, draft, context, error)
      }
      deps.results.put(claim.metadata.uid, result)
      reportLaunch(claim, result, context)
    }
    adopt(claim, result)
    conditions.setTrue('Launched')
    return {}
  }
}

/**
 * Whether the claim may be about to be launched from a view of it that is out of date: a cache that is behind, above all when a process
 * has just started, may show it as it was before an earlier process launched it. A second instance would take the first one's place, and
 * that one's node would go as garbage; so the API server itself is asked.
 */
export async function isLaunchOutOfDate(
  kube: KubeClient,
  claim: NodeClaim,
  results: Pick<LaunchResults, 'get'>,
): Promise<boolean> {
  const { name, uid } = claim.metadata
  if (hasInstance(claim) || conditionOf(claim, 'Launched')?.status === 'False' || results.get(uid) !== undefined)
    return false
  const present = await getIfPresent(kube, nodeClaims, { name })
  if (present === undefined) return true
  return present.metadata.uid !== uid || present.metadata.deletionTimestamp !== undefined || hasInstance(present)
}

export function hasInstance(claim: NodeClaim): boolean {
  return isConditionTrue(claim, 'Launched') || (claim.status?.providerID ?? '') !== ''
}

function reportLaunch(claim: NodeClaim, result: LaunchResult, { log }: ClaimStepContext): void {
  const { instance } = result
  const labels = labelsAfter(claim, result)
  log.info(
    {
      'provider-id': instance.providerID,
      'instance-type': labels[labelInstanceType] ?? '',
      zone: labels[labelZone] ?? '',
      'capacity-type': labels[labelCapacityType] ?? '',
      allocatable: toResourceList(instance.allocatable),
    },
    'launched nodeclaim',
  )
}

/**
 * Whether a claim without an instance carries what a launch writes: metadata is written before the status, and the process that launched
 * died in between. All annotations that a launch brings must be there, since a change of the hash's version brings some of them alone.
 */
function wasAdopted({ metadata }: NodeClaim, { annotations }: LaunchedInstance): boolean {
  const keys = Object.keys(annotations)
  return keys.length > 0 && keys.every((key) => metadata.annotations?.[key] !== undefined)
}

/** Its launch is written down: the result is of use only while its labels and annotations are refused, which are brought again. */
function settle(results: LaunchResults, claim: NodeClaim): void {
  const result = results.get(claim.metadata.uid)
  if (result === undefined) return
  const { annotations } = result.instance
  const isWritten = Object.keys(annotations).length === 0 || wasAdopted(claim, result.instance)
  if (isWritten) results.drop(claim.metadata.uid)
  else adoptMetadata(claim, result)
}

function adoptMetadata({ metadata }: NodeClaim, result: LaunchResult): void {
  metadata.labels = labelsAfter({ metadata }, result)
  // About annotations the provider knows better.
  metadata.annotations = { ...metadata.annotations, ...result.instance.annotations }
}

function adopt(claim: NodeClaim, result: LaunchResult): void {
  const { instance } = result
  adoptMetadata(claim, result)
  claim.status = {
    ...claim.status,
    providerID: instance.providerID,
    imageID: instance.imageID,
    capacity: toResourceList(instance.capacity),
    allocatable: toResourceList(instance.allocatable),
  }
}

/**
 * The claim's labels win. After a half-recorded launch they describe another instance: then the provider's win, and labels of the old one,
 * e.g. its reservation, go.
 */
function labelsAfter(
  { metadata }: Pick<NodeClaim, 'metadata'>,
  { instance, replaces }: LaunchResult,
): Record<string, string> {
  const own = metadata.labels ?? {}
  if (!replaces) return { ...instance.labels, ...own }
  // Well-known labels tell what a machine is like, except that of the pool. A template's are requirements, too, so this one has them as well.
  const kept = Object.entries(own).filter(([key]) => key === labelNodePool || !isWellKnownLabel(key))
  return { ...Object.fromEntries(kept), ...instance.labels }
}

async function launchFailed(
  deps: LaunchDeps,
  { before, conditions }: ClaimDraft,
  { log }: ClaimStepContext,
  error: unknown,
): Promise<ClaimStepOutcome> {
  if (error instanceof InsufficientCapacityError) {
    const text = `insufficient capacity, ${error.message}`
    deps.recorder.publish({
      object: before,
      type: 'Warning',
      reason: 'InsufficientCapacityError',
      message: `NodeClaim ${before.metadata.name} event: ${truncated(text)}`,
      dedupeValues: [before.metadata.uid],
    })
    log.error({ err: new Error(text, { cause: error }) }, 'failed launching nodeclaim')
    deps.launches.failed(before, 'capacity', truncated(text))
    return giveUp(deps, before, 'insufficient_capacity')
  }
  if (error instanceof NodeClassNotReadyError) {
    const text = `NodeClassRef not ready, ${error.message}`
    log.error({ err: new Error(text, { cause: error }) }, 'failed launching nodeclaim')
    deps.launches.failed(before, 'launch', truncated(messageOf(error)))
    return giveUp(deps, before, 'nodeclass_not_ready')
  }
  if (error instanceof CreateError) {
    conditions.set('Launched', 'Unknown', error.conditionReason, truncated(error.conditionMessage))
    return { error: new LaunchFailedError(`creating nodeclaim, ${error.message}`, error) }
  }
  conditions.set('Launched', 'Unknown', 'LaunchFailed', truncated(messageOf(error)))
  return { error: new LaunchFailedError(messageOf(error), error) }
}

async function giveUp(deps: LaunchDeps, claim: NodeClaim, reason: string): Promise<ClaimStepOutcome> {
  if (!(await deleteClaim(deps.kube, claim))) return {}
  deps.metrics.nodeClaimsDisrupted.increment({
    reason,
    nodepool: claim.metadata.labels?.[labelNodePool] ?? '',
    capacity_type: claim.metadata.labels?.[labelCapacityType] ?? '',
  })
  return {}
}

class LaunchFailedError extends Error {
  readonly code = 'LaunchFailed'
  override readonly name = 'LaunchFailedError'

  constructor(text: string, cause: unknown) {
    super(`launching nodeclaim, ${text}`, { cause })
  }
}
