import { conditionReady, isConditionTrue } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { finalizerTermination, labelNodePool, labelZone } from '../../api/labels.ts'
import { type CloudProvider, NodeClaimNotFoundError } from '../../cloud/provider.ts'
import {
  type Caches,
  type Controller,
  done,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  source,
} from '../../kube/controller.ts'
import { isNotFound, isRefusal } from '../../kube/errors.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { scaledConcurrency } from '../concurrency.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { type ClaimDraft, draftOf, saveStatus } from '../nodeclaim/claim-draft.ts'
import { deleteClaim } from '../nodeclaim/delete-claim.ts'
import { isManagedClaim, isManagedNode, machineLookup, type MachineLookup } from '../nodeclaim/lookup.ts'
import { deleteInstance, instancePollMs } from '../nodeclaim/termination.ts'
import type { EvictionQueue } from './eviction-queue.ts'
import { awaitUnseenClaim } from './await-claim.ts'
import { awaitDrain } from './await-drain.ts'
import { awaitVolumeDetachment } from './await-volumes.ts'
import { SteadyMoments } from '../steady-moments.ts'
import { truncated } from '../truncated.ts'
import { taintDisruptedNode } from './taint.ts'
import type { Termination, Waiting } from './termination-state.ts'
import { terminationTimeOf } from './termination-time.ts'
import { type VolumeLookup, volumeLookup } from './volume-lookup.ts'

export interface NodeTerminationDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'get' | 'delete' | 'nodeClassKinds'>
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
  readonly evictions: Pick<EvictionQueue, 'add'>
  readonly cpuMilli: number
}

/** Empties a deleted node, waits for its volumes and its instance, and lets it go. */
export function nodeTermination(deps: NodeTerminationDeps): Controller {
  const lookup = machineLookup(deps.caches)
  const volumes = volumeLookup(deps.caches)
  const moments = new SteadyMoments(deps.clock)
  const concurrency = scaledConcurrency(100, 5_000, deps.cpuMilli)
  const perSecond = Math.max(1, Math.ceil(concurrency / 10))
  const isOurs = (node: Node): boolean =>
    isManagedNode(node, deps.cloud) || lookup.claimsOf(node).some((claim) => isManagedClaim(claim, deps.cloud))

  return {
    name: 'node.termination',
    kind: { group: '', kind: 'Node' },
    sources: [
      source(nodes, ({ after }) =>
        after?.metadata.deletionTimestamp !== undefined && isOurs(after) ? [keyOf(after)] : [],
      ),
    ],
    concurrency,
    rateLimit: { baseMs: 100, maxMs: 10_000, perSecond, burst: perSecond * 10 },
    async reconcile(key, context) {
      const node = lookup.nodes.get(key)
      if (node?.metadata.deletionTimestamp === undefined || !isOurs(node)) return done
      if (!(node.metadata.finalizers ?? []).includes(finalizerTermination)) return done
      return unlessRaceIsLost(() => terminate({ ...deps, moments, lookup, volumes }, node, context))
    },
  }
}

interface TerminationParts extends NodeTerminationDeps {
  readonly moments: SteadyMoments
  readonly lookup: MachineLookup
  readonly volumes: VolumeLookup
}

async function terminate(deps: TerminationParts, node: Node, context: ReconcileContext): Promise<ReconcileResult> {
  const { lookup, volumes } = deps
  const claim = managedClaimOf(node, lookup, deps.cloud)
  if (claim !== undefined && claim.metadata.deletionTimestamp === undefined) await deleteClaim(deps.kube, claim)
  if (!isConditionTrue(node, conditionReady) && (await isInstanceGone(deps.cloud, node))) {
    await removeFinalizer(deps, node, claim, context)
    return done
  }
  const written = claim === undefined ? undefined : terminationTimeOf(deps.recorder, node, claim)
  const terminationTime =
    claim === undefined || written === undefined
      ? undefined
      : deps.moments.onWallClock(`${claim.metadata.uid}/termination`, written)
  if (terminationTime !== undefined) announceTerminationTime(deps.recorder, node, terminationTime)
  const log = claim === undefined ? context.log : context.log.child({ NodeClaim: { name: claim.metadata.name } })
  const tainted = await taintDisruptedNode(deps.kube, node, log).catch((error: unknown) => {
    if (isRefusal(error)) tellTaintRefused(deps.recorder, node, error)
    throw error
  })
  const draft = claim === undefined ? undefined : draftOf(claim, deps.clock)
  const wasDrained = draft?.conditions.isTrue('Drained') ?? false
  const termination: Termination = { node: tainted, terminationTime, draft, lookup, volumes }

  const outcome = await untilFirstWait([
    () => awaitDrain(deps, termination),
    () => awaitVolumeDetachment(deps, termination),
    () => awaitInstanceTermination(deps, draft),
    () => awaitUnseenClaim(deps, termination),
  ])
  if (draft !== undefined) {
    await saveStatus(deps.kube, draft, 'optimistic').catch((error: unknown) => {
      // The claim may be gone already, or nobody may write it, which the passes before have told; the node still has to follow it.
      const isOver = outcome.error === undefined && outcome.waiting === undefined
      if (!isNotFound(error) && !(isOver && isRefusal(error))) throw error
    })
    if (!wasDrained && draft.conditions.isTrue('Drained')) {
      deps.metrics.nodesDrained.increment({ nodepool: node.metadata.labels?.[labelNodePool] ?? '' })
    }
  }
  if (outcome.error !== undefined) throw outcome.error
  if (outcome.waiting !== undefined) return requeueAfter(outcome.waiting.afterMs)
  await removeFinalizer(deps, tainted, claim, context)
  return done
}

/** The drain has not begun, and does not while this lasts: nothing else would say so on the node. */
function tellTaintRefused(recorder: EventRecorder, node: Node, error: unknown): void {
  recorder.publish({
    object: node,
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Failed to drain node, tainting it was refused, ${truncated(messageOf(error))}`,
    dedupeValues: [node.metadata.name],
  })
}

/** An unmanaged claim is as good as none: nobody would finish what were begun on it here. */
function managedClaimOf(
  node: Node,
  lookup: MachineLookup,
  cloud: Pick<CloudProvider, 'nodeClassKinds'>,
): NodeClaim | undefined {
  const claim = lookup.onlyClaimOf(node)
  return claim !== undefined && isManagedClaim(claim, cloud) ? claim : undefined
}

/** Conditions that earlier steps set are saved also when a later one fails. */
async function untilFirstWait(
  steps: readonly (() => Waiting | Promise<Waiting>)[],
): Promise<{ readonly waiting?: Waiting; readonly error?: unknown }> {
  for (const step of steps) {
    try {
      const waiting = await step()
      if (waiting !== undefined) return { waiting }
    } catch (error) {
      return { error }
    }
  }
  return {}
}

async function awaitInstanceTermination(
  deps: Pick<NodeTerminationDeps, 'cloud' | 'recorder'>,
  draft: ClaimDraft | undefined,
): Promise<Waiting> {
  if (draft === undefined) return undefined
  const gone = await deleteInstance(deps, draft.before)
  draft.conditions.setTrue('InstanceTerminating')
  return gone ? undefined : { afterMs: instancePollMs }
}

function announceTerminationTime(recorder: EventRecorder, node: Node, terminationTime: number): void {
  recorder.publish({
    object: node,
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${toTimestamp(terminationTime)}`,
    dedupeValues: [node.metadata.name],
  })
}

async function isInstanceGone(cloud: Pick<CloudProvider, 'get'>, node: Node): Promise<boolean> {
  const { providerID = '' } = node.spec
  if (providerID === '') return false
  try {
    await cloud.get(providerID)
    return false
  } catch (error) {
    if (error instanceof NodeClaimNotFoundError) return true
    throw error
  }
}

async function removeFinalizer(
  deps: NodeTerminationDeps,
  node: Node,
  claim: NodeClaim | undefined,
  { log }: ReconcileContext,
): Promise<void> {
  const { name, resourceVersion } = node.metadata
  const finalizers = (node.metadata.finalizers ?? []).filter((finalizer) => finalizer !== finalizerTermination)
  await deps.kube.patch(nodes, { name }, { kind: 'merge', body: { metadata: { resourceVersion, finalizers } } })
  const now = deps.clock.now()
  const nodepool = node.metadata.labels?.[labelNodePool] ?? ''
  deps.metrics.nodesTerminated.increment({ nodepool, zone: node.metadata.labels?.[labelZone] ?? '' })
  const secondsSince = (text: string | undefined): number => (now - (parseTimestamp(text) ?? now)) / 1_000
  deps.metrics.nodeTerminationDuration.observe({ nodepool }, secondsSince(node.metadata.deletionTimestamp))
  deps.metrics.nodeLifetimeDuration.observe({ nodepool }, secondsSince(node.metadata.creationTimestamp))
  log.info(claim === undefined ? {} : { NodeClaim: { name: claim.metadata.name } }, 'deleted node')
}
