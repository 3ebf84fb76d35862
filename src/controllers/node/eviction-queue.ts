import { getIfPresent } from '../../kube/get-if-present.ts'
import { toGoTime, toTimestamp } from '../../model/clock.ts'
import type { Clock } from '../../model/clock.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node, Pod } from '../../api/kubernetes.ts'
import { conditionOf } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import { forcedGracePeriodSeconds, isForceEligible } from '../../disruption/drain.ts'
import { isEvictable } from '../../disruption/pod-eviction.ts'
import {
  backOff,
  type Controller,
  done,
  type ReconcileContext,
  type ReconcileResult,
  source,
} from '../../kube/controller.ts'
import { hasCode, isRefusal, KubeError } from '../../kube/errors.ts'
import { pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf, keyText, type ObjectKey } from '../../kube/resource.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import { isActive, type PodInfo } from '../../model/pod.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import { scaledConcurrency } from '../concurrency.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { MachineLookup } from '../nodeclaim/lookup.ts'
import { truncated } from '../truncated.ts'
import { SteadyMoments } from '../steady-moments.ts'

export interface EvictionQueueDeps {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly lookup: MachineLookup
  readonly metrics: Pick<ControllerMetrics, 'podEvictionRequests' | 'podsDrained'>
  readonly cpuMilli: number
}

/** Hands pods to the eviction API, one by one, until each is gone; past its deadline a pod is deleted instead. */
export interface EvictionQueue {
  readonly controller: Controller
  /** `deadline` in milliseconds since the epoch; adding a pod again can only bring its deadline forward. */
  add(pod: Pick<PodInfo, 'namespace' | 'name' | 'uid'>, deadline: number | undefined): void
  has(pod: Pick<PodInfo, 'namespace' | 'name' | 'uid'>): boolean
}

/** A drain asks every second for the pods that its cache has; one that lags behind, or a watch that stands, would cost a read each time. */
const knownGoneMs = 10_000

const multipleBudgetsMessage =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'

export function evictionQueue(deps: EvictionQueueDeps): EvictionQueue {
  const { clock } = deps
  /** Deadlines by `namespace/name`, then by UID: a new pod of the same name is not evicted by an old entry. */
  const entries = new Map<string, Map<string, number | undefined>>()
  /** Seconds of grace given to pods that were deleted past their deadline, by UID, while they are there. */
  const granted = new Map<string, number>()
  /** UIDs of pods that were found to be gone. */
  const gone = new ExpiringMap<string, true>({ clock, ttlMs: knownGoneMs, cleanMs: knownGoneMs })
  const moments = new SteadyMoments(clock)
  const steady = (uid: string, deadline: number | undefined): number | undefined =>
    deadline === undefined ? undefined : moments.onWallClock(uid, deadline)
  const wake = new Set<(key: ObjectKey) => void>()
  const concurrency = scaledConcurrency(100, 5_000, deps.cpuMilli)

  async function process(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult> {
    const known = entries.get(keyText(key))
    if (known === undefined) return done
    const pod = await getIfPresent(deps.kube, pods, key)
    if (pod === undefined || !known.has(pod.metadata.uid)) {
      for (const uid of known.keys()) gone.set(uid, true)
      return drop(key)
    }
    const info = podInfoOf(pod)
    const deadline = steady(pod.metadata.uid, known.get(pod.metadata.uid))
    const now = clock.now()
    if (deadline !== undefined && isForceEligible(info, { now, terminationTime: deadline })) {
      await forceDelete({ ...deps, granted }, pod, deadline, context)
      return drop(key)
    }
    if (!isActive(info)) return drop(key)
    if (!isEvictable(info, now)) return backOff
    return (await evict(deps, pod, context)) === 'later' ? backOff : drop(key)
  }

  function drop(key: ObjectKey): ReconcileResult {
    entries.delete(keyText(key))
    return done
  }

  return {
    add({ namespace, name, uid }, deadline) {
      if (gone.has(uid)) return
      const key = { namespace, name }
      const text = keyText(key)
      const known = entries.get(text) ?? new Map<string, number | undefined>()
      entries.set(text, known)
      const isKnown = known.has(uid)
      const earliest = isKnown ? earlier(known.get(uid), deadline) : deadline
      known.set(uid, earliest)
      // Counts from now, not from when its turn comes.
      steady(uid, earliest)
      if (isKnown) return
      for (const enqueue of wake) enqueue(key)
    },
    has: ({ namespace, name, uid }) => entries.get(keyText({ namespace, name }))?.has(uid) ?? false,
    controller: {
      name: 'eviction-queue',
      sources: [
        source(pods, ({ before, after }) => {
          if (before !== undefined && before.metadata.uid !== after?.metadata.uid) granted.delete(before.metadata.uid)
          return []
        }),
      ],
      triggers: [
        (enqueue) => {
          wake.add(enqueue)
          return () => wake.delete(enqueue)
        },
      ],
      concurrency,
      rateLimit: { baseMs: 100, maxMs: 10_000, perSecond: concurrency, burst: concurrency * 10 },
      reconcile: process,
    },
  }
}

async function evict(deps: EvictionQueueDeps, pod: Pod, { log }: ReconcileContext): Promise<'gone' | 'later'> {
  const { node, reason } = evictionReason(deps.lookup, pod, log)
  try {
    await deps.kube.evict(keyOf(pod), { preconditions: { uid: pod.metadata.uid } })
  } catch (error) {
    if (error instanceof KubeError && error.status > 0) {
      deps.metrics.podEvictionRequests.increment({ code: String(error.status) })
    }
    if (hasCode(error, 'NotFound', 'Conflict')) return 'gone'
    const why = refusal(error)
    if (node !== undefined && why !== undefined) tellKept(deps.recorder, node, pod, why)
    // What a policy or rights refuse is logged as well: it does not end by itself.
    if (why === undefined || isRefusal(error)) throw error
    return 'later'
  }
  deps.metrics.podEvictionRequests.increment({ code: '200' })
  deps.metrics.podsDrained.increment({ reason })
  deps.recorder.publish({
    object: pod,
    type: 'Normal',
    reason: 'Evicted',
    message: `Evicted pod: ${reason}`,
    dedupeValues: [pod.metadata.name],
  })
  return 'gone'
}

/** Beside how many pods are waited for, which is told every second and would leave this no turn. */
function tellKept(recorder: EventRecorder, node: Node, pod: Pod, why: string): void {
  recorder.publish({
    object: node,
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Failed to drain node, ${why} (Pod=${keyText(keyOf(pod))})`,
    dedupeValues: [node.metadata.name, 'pod'],
  })
}

/** What the eviction API said, where waiting is the answer to it. */
function refusal(error: unknown): string | undefined {
  if (error instanceof KubeError && error.code === 'TooManyRequests') {
    // The API server also answers so when it has too much to do, and webhooks do that need time for the pod.
    const isBudget = error.details?.causes?.some(({ reason }) => reason === 'DisruptionBudget') === true
    return isBudget ? 'evicting pod violates a PDB' : `eviction was refused, ${truncated(error.message)}`
  }
  if (error instanceof KubeError && error.message.includes(multipleBudgetsMessage)) {
    return 'eviction does not support multiple PDBs'
  }
  return isRefusal(error) ? `eviction was refused, ${truncated(messageOf(error))}` : undefined
}

/** Deletes the pod with what time is left, or does nothing if it has no more than that already: the API server only ever shortens a grace. */
async function forceDelete(
  deps: EvictionQueueDeps & { readonly granted: Map<string, number> },
  pod: Pod,
  terminationTime: number,
  { log }: ReconcileContext,
): Promise<void> {
  const { uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  const before = deps.granted.get(uid)
  const present = Math.min(before ?? Infinity, deletionGracePeriodSeconds ?? Infinity)
  const gracePeriodSeconds = forcedGracePeriodSeconds(terminationTime, deps.clock.now())
  if (deletionTimestamp !== undefined && present <= gracePeriodSeconds) return
  const { node, claim, reason } = evictionReason(deps.lookup, pod, log)
  const own = podInfoOf(pod).terminationGracePeriodSeconds
  log.debug(
    {
      ...(node === undefined ? {} : { Node: { name: node.metadata.name } }),
      ...(claim === undefined ? {} : { NodeClaim: { name: claim.metadata.name } }),
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      'pod.terminationGracePeriodSeconds': own,
      'delete.gracePeriodSeconds': gracePeriodSeconds,
      'nodeclaim.terminationTime': toTimestamp(terminationTime),
    },
    'deleting pod',
  )
  // Noted first: the pod may be seen to go before the answer is here.
  deps.granted.set(uid, gracePeriodSeconds)
  try {
    await deps.kube.delete(pods, keyOf(pod), { preconditions: { uid }, gracePeriodSeconds })
  } catch (error) {
    if (before === undefined) deps.granted.delete(uid)
    else deps.granted.set(uid, before)
    if (hasCode(error, 'NotFound', 'Conflict')) return
    if (node !== undefined && isRefusal(error)) {
      tellKept(deps.recorder, node, pod, `deletion was refused, ${truncated(messageOf(error))}`)
    }
    throw error
  }
  if (before === undefined) deps.metrics.podsDrained.increment({ reason })
  deps.recorder.publish({
    object: pod,
    type: 'Normal',
    reason: 'Disrupted',
    message: `Deleting the pod to accommodate the terminationTime ${toGoTime(terminationTime)} of the node. The pod was granted ${gracePeriodSeconds} seconds of grace-period of its ${own ?? 0} terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.`,
    dedupeValues: [pod.metadata.name],
  })
}

/** Why the pod's node goes; empty when that cannot be told. */
function evictionReason(
  lookup: MachineLookup,
  pod: Pod,
  log: ReconcileContext['log'],
): { readonly node?: Node; readonly claim?: NodeClaim; readonly reason: string } {
  const node = lookup.nodes.get({ name: pod.spec.nodeName ?? '' })
  if (node === undefined) {
    log.debug({}, 'pod has no node, failed looking up pod eviction reason')
    return { reason: '' }
  }
  const claim = lookup.onlyClaimOf(node)
  if (claim === undefined) {
    log.debug({}, 'node has no nodeclaim, failed looking up pod eviction reason')
    return { node, reason: '' }
  }
  const condition = conditionOf(claim, 'DisruptionReason')
  return { node, claim, reason: condition?.status === 'True' ? (condition.reason ?? '') : 'Forceful Termination' }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b)
}
