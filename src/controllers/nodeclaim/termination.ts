import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import {
  annotationTerminationTimestamp,
  finalizerTermination,
  labelCapacityType,
  labelNodePool,
  labelRegistered,
  labelZone,
} from '../../api/labels.ts'
import { nillableDurationMs } from '../../api/duration.ts'
import { type CloudProvider, InstanceNotOwnedError, NodeClaimNotFoundError } from '../../cloud/provider.ts'
import { done, type ReconcileContext, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { type Clock, parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { draftOf, saveStatus } from './claim-draft.ts'
import type { LaunchResults } from './launch-results.ts'
import type { RegistrationOutcomes } from './registration-outcomes.ts'
import type { MachineLookup } from './lookup.ts'

export interface TerminationDeps {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'delete'>
  readonly recorder: EventRecorder
  readonly lookup: MachineLookup
  readonly results: LaunchResults
  readonly registrations: RegistrationOutcomes
  readonly metrics: Pick<
    ControllerMetrics,
    'nodeClaimsTerminated' | 'nodeClaimTerminationDuration' | 'nodeClaimInstanceTerminationDuration'
  >
}

/** How often the cloud is asked whether a terminating instance is gone: terminations take tens of seconds to minutes. */
export const instancePollMs = 5_000

/** Of a node that only the API server has; the watch should tell of it before long. */
const unseenPollMs = 5_000

/** Takes a deleted claim apart: first its nodes, then its instance, then itself. */
export async function terminateClaim(
  deps: TerminationDeps,
  claim: NodeClaim,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  if (!(claim.metadata.finalizers ?? []).includes(finalizerTermination)) return done
  return unlessRaceIsLost(async () => {
    const annotated = await annotateTerminationTime(deps, claim, context)
    return takeApart(deps, annotated, context)
  })
}

async function takeApart(deps: TerminationDeps, claim: NodeClaim, context: ReconcileContext): Promise<ReconcileResult> {
  const draft = draftOf(claim, deps.clock)
  const { conditions } = draft
  const own = deps.lookup.nodesOf(claim)
  // A node is opened to pods before its claim says so, and whoever came in between is drained, too.
  if (conditions.isTrue('Registered') || own.some(isOpen)) {
    for (const node of own) {
      if (node.metadata.deletionTimestamp !== undefined) continue
      await deleteNode(deps.kube, node.metadata.name, node.metadata.uid)
    }
    if (own.length > 0) return done
    const unseen = await unseenNode(deps.kube, claim)
    if (unseen !== undefined) {
      await deleteNode(deps.kube, unseen.metadata.name, unseen.metadata.uid)
      return requeueAfter(unseenPollMs)
    }
  }
  const launched = withProviderID(claim, deps.results)
  if (launched !== undefined) {
    const gone = await deleteInstance(deps, launched)
    const since = parseTimestamp(conditions.get('InstanceTerminating')?.lastTransitionTime)
    conditions.setTrue('InstanceTerminating')
    if (!gone) {
      await saveStatus(deps.kube, draft, 'optimistic')
      return requeueAfter(instancePollMs)
    }
    deps.metrics.nodeClaimInstanceTerminationDuration.observe(
      { nodepool: claim.metadata.labels?.[labelNodePool] ?? '' },
      since === undefined ? 0 : (deps.clock.now() - since) / 1_000,
    )
  }
  await removeFinalizer(deps, claim, context)
  return done
}

/** A watch that lags or has died without a word shows no node, and with the machine its pods would end undrained. */
async function unseenNode(kube: KubeClient, { status }: NodeClaim): Promise<Node | undefined> {
  const { nodeName: name = '', providerID = '' } = status ?? {}
  const present = name === '' ? undefined : await getIfPresent(kube, nodes, { name })
  return present?.spec.providerID === providerID ? present : undefined
}

/** From here on draining has an end: see the node's termination. */
async function annotateTerminationTime(
  deps: TerminationDeps,
  claim: NodeClaim,
  { log }: ReconcileContext,
): Promise<NodeClaim> {
  const graceMs = nillableDurationMs(claim.spec.terminationGracePeriod)
  const deletedAt = parseTimestamp(claim.metadata.deletionTimestamp)
  if (graceMs === undefined || deletedAt === undefined) return claim
  if (claim.metadata.annotations?.[annotationTerminationTimestamp] !== undefined) return claim
  const at = toTimestamp(deletedAt + graceMs)
  const annotated = await deps.kube.patch(
    nodeClaims,
    { name: claim.metadata.name },
    {
      kind: 'merge',
      body: {
        metadata: {
          resourceVersion: claim.metadata.resourceVersion,
          annotations: { [annotationTerminationTimestamp]: at },
        },
      },
    },
  )
  log.info({ [annotationTerminationTimestamp]: at }, 'annotated nodeclaim')
  deps.recorder.publish({
    object: annotated,
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${at}`,
    dedupeValues: [claim.metadata.name],
  })
  return annotated
}

/** A launch that was never written down still has an instance to end. */
function withProviderID(claim: NodeClaim, results: LaunchResults): NodeClaim | undefined {
  const providerID = claim.status?.providerID ?? ''
  if (providerID !== '') return claim
  const unrecorded = results.get(claim.metadata.uid)?.instance.providerID
  return unrecorded === undefined ? undefined : { ...claim, status: { ...claim.status, providerID: unrecorded } }
}

/** Whether it is gone; false while the cloud is still at it. */
export async function deleteInstance(
  { cloud, recorder }: Pick<TerminationDeps, 'cloud' | 'recorder'>,
  claim: NodeClaim,
): Promise<boolean> {
  try {
    await cloud.delete(claim)
    return false
  } catch (error) {
    if (error instanceof NodeClaimNotFoundError) return true
    if (error instanceof InstanceNotOwnedError) publishNotOwned(recorder, claim, error)
    throw error
  }
}

function publishNotOwned(recorder: EventRecorder, claim: NodeClaim, { code, message }: InstanceNotOwnedError): void {
  recorder.publish({ object: claim, type: 'Warning', reason: code, message, dedupeValues: [claim.metadata.uid] })
}

function isOpen({ metadata }: Node): boolean {
  return metadata.labels?.[labelRegistered] === 'true'
}

async function deleteNode(kube: KubeClient, name: string, uid: string): Promise<void> {
  try {
    await kube.delete(nodes, { name }, { preconditions: { uid } })
  } catch (error) {
    if (!hasCode(error, 'NotFound', 'Conflict')) throw error
  }
}

async function removeFinalizer(deps: TerminationDeps, claim: NodeClaim, { log }: ReconcileContext): Promise<void> {
  const finalizers = (claim.metadata.finalizers ?? []).filter((name) => name !== finalizerTermination)
  const body = { metadata: { resourceVersion: claim.metadata.resourceVersion, finalizers } }
  await deps.kube.patch(nodeClaims, { name: claim.metadata.name }, { kind: 'merge', body })
  deps.results.drop(claim.metadata.uid)
  log.info({}, 'deleted nodeclaim')
  await deps.registrations.leave(claim, log)
  const labels = claim.metadata.labels ?? {}
  const nodepool = labels[labelNodePool] ?? ''
  const deletedAt = parseTimestamp(claim.metadata.deletionTimestamp) ?? deps.clock.now()
  deps.metrics.nodeClaimTerminationDuration.observe({ nodepool }, (deps.clock.now() - deletedAt) / 1_000)
  deps.metrics.nodeClaimsTerminated.increment({
    nodepool,
    capacity_type: labels[labelCapacityType] ?? '',
    zone: labels[labelZone] ?? '',
  })
}
