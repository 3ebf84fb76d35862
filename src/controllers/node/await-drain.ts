import { conditionOf } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { decideDrain } from '../../disruption/drain.ts'
import { pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import type { SteadyMoments } from '../steady-moments.ts'
import type { EvictionQueue } from './eviction-queue.ts'
import type { Termination, Waiting } from './termination-state.ts'

export interface AwaitDrainDeps {
  readonly kube: Pick<KubeClient, 'list'>
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly evictions: Pick<EvictionQueue, 'add'>
  readonly moments: SteadyMoments
}

const pollMs = 1_000
/** A pod that the scheduler bound before it saw the taint shows up within this time. */
const drainMinMs = 5_000
/** Of pods that only the API server has; the watch should tell of them before long. */
const unseenPollMs = 5_000

/**
 * Waits until every pod that must go has gone, handing them to the eviction queue tier by tier. At the end the API server is asked: a watch
 * that has died without a word shows no pod that has come since, and with the machine it would be gone unasked.
 */
export async function awaitDrain(deps: AwaitDrainDeps, termination: Termination): Promise<Waiting> {
  const { node, draft, lookup } = termination
  const { name } = node.metadata
  if (draft !== undefined && draft.conditions.get('Drained') === undefined) {
    draft.conditions.set('Drained', 'Unknown', 'Draining', 'Draining')
  }
  if (isDraining(deps, termination, lookup.podsOn(name))) return { afterMs: pollMs }
  if (draft === undefined || draft.conditions.isTrue('Drained')) return undefined
  // As it is written: where nobody may write it, each pass sets it anew.
  const beganAt = parseTimestamp(conditionOf(draft.before, 'Drained')?.lastTransitionTime)
  const drainingSince = deps.moments.begun(`${draft.before.metadata.uid}/draining`, beganAt)
  if (deps.clock.now() - drainingSince < drainMinMs) return { afterMs: pollMs }
  const present = await deps.kube.list(pods, { fieldSelector: `spec.nodeName=${name}` })
  if (isDraining(deps, termination, present.items)) return { afterMs: unseenPollMs }
  draft.conditions.setTrue('Drained')
  return undefined
}

/** Whether some of these pods are waited for; those whose turn it is are handed over. */
function isDraining(deps: AwaitDrainDeps, { node, terminationTime }: Termination, onNode: readonly Pod[]): boolean {
  const infos = onNode.map((pod) => withSteadyEnd(podInfoOf(pod), deps.moments))
  const { waiting, evict } = decideDrain(infos, { now: deps.clock.now(), terminationTime })
  for (const pod of evict) deps.evictions.add(pod, terminationTime)
  if (waiting.length === 0) return false
  deps.recorder.publish({
    object: node,
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Failed to drain node, ${waiting.length} pods are waiting to be evicted`,
    dedupeValues: [node.metadata.name],
  })
  return true
}

/** A clock that is set makes no pod look stuck that is still within its grace. */
function withSteadyEnd(pod: PodInfo, moments: SteadyMoments): PodInfo {
  if (pod.deletedAt === undefined) return pod
  const deletedAt = moments.onWallClock(`${pod.uid}/deleted`, pod.deletedAt)
  return deletedAt === pod.deletedAt ? pod : { ...pod, deletedAt }
}
