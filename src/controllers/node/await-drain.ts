import { decideDrain } from '../../disruption/drain.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import type { SteadyMoments } from '../steady-moments.ts'
import type { EvictionQueue } from './eviction-queue.ts'
import type { Termination, Waiting } from './termination-state.ts'

export interface AwaitDrainDeps {
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly evictions: Pick<EvictionQueue, 'add'>
  readonly moments: SteadyMoments
}

const pollMs = 1_000
/** A pod that the scheduler bound before it saw the taint shows up within this time. */
const drainMinMs = 5_000

/** Waits until every pod that must go has gone, handing them to the eviction queue tier by tier. */
export function awaitDrain(deps: AwaitDrainDeps, { node, terminationTime, draft, lookup }: Termination): Waiting {
  const now = deps.clock.now()
  if (draft !== undefined && draft.conditions.get('Drained') === undefined) {
    draft.conditions.set('Drained', 'Unknown', 'Draining', 'Draining')
  }
  const pods = lookup.podsOn(node.metadata.name).map((pod) => withSteadyEnd(podInfoOf(pod), deps.moments))
  const { waiting, evict } = decideDrain(pods, { now, terminationTime })
  for (const pod of evict) deps.evictions.add(pod, terminationTime)
  if (waiting.length > 0) {
    deps.recorder.publish({
      object: node,
      type: 'Warning',
      reason: 'FailedDraining',
      message: `Failed to drain node, ${waiting.length} pods are waiting to be evicted`,
      dedupeValues: [node.metadata.name],
    })
    return { afterMs: pollMs }
  }
  const drained = draft?.conditions.get('Drained')
  if (draft === undefined || drained?.status === 'True') return undefined
  const beganAt = parseTimestamp(drained?.lastTransitionTime)
  const drainingSince = deps.moments.begun(`${draft.before.metadata.uid}/draining`, beganAt)
  if (now - drainingSince < drainMinMs) return { afterMs: pollMs }
  draft.conditions.setTrue('Drained')
  return undefined
}

/** A clock that is set makes no pod look stuck that is still within its grace. */
function withSteadyEnd(pod: PodInfo, moments: SteadyMoments): PodInfo {
  if (pod.deletedAt === undefined) return pod
  const deletedAt = moments.onWallClock(`${pod.uid}/deleted`, pod.deletedAt)
  return deletedAt === pod.deletedAt ? pod : { ...pod, deletedAt }
}
