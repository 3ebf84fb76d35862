import { conditionOf } from '../../api/conditions.ts'
import { type DisruptionGate, holdingGate, openGate } from '../../disruption/gate.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { isProvisionable, type PodInfo, podKey } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import type { SteadyMoments } from '../steady-moments.ts'
import type { PromisedPlace, Promises } from './promises.ts'

/** From its initialization on a node waits for its pods at the longest; who does not come by then will not come. */
export const patienceMs = 60 * 60_000

/**
 * By state-node key, nodes on their way and young ones for which a pod waits that was promised a place there, with one such pod. It may
 * have to wait for other nodes of the same plan: under a spread over zones nobody goes to the node that came, as long as the zone that is
 * behind has no capacity.
 */
export function awaitedPods(
  promises: Pick<Promises, 'placeOf'>,
  snapshot: Snapshot,
  moments: Pick<SteadyMoments, 'begun'>,
): ReadonlyMap<string, PodInfo> {
  const waiting = new Map<string, PodInfo>()
  for (const pod of snapshot.unboundPods) {
    const place = promises.placeOf(pod.uid)
    if (place !== undefined && isProvisionable(pod)) waiting.set(textOf(place), pod)
  }
  if (waiting.size === 0) return new Map()
  const awaited = new Map<string, PodInfo>()
  for (const node of snapshot.nodes) {
    const { key, nodeClaim } = node
    const pod = nodeClaim && (waiting.get(textOf({ claim: nodeClaim.metadata.name })) ?? waiting.get(textOf({ key })))
    if (pod !== undefined && isYoung(node, snapshot.now, moments)) awaited.set(key, pod)
  }
  return awaited
}

/**
 * Neither are such nodes empty, nor do they go for others: as soon as they were gone, others would come for the pods, every few minutes.
 * Drift goes on.
 */
export function awaitedPodsGate(awaited: ReadonlyMap<string, PodInfo>): DisruptionGate {
  if (awaited.size === 0) return openGate
  return holdingGate(({ stateNode }, reason) => {
    const pod = reason === 'Drifted' ? undefined : awaited.get(stateNode.key)
    return pod === undefined
      ? undefined
      : { code: 'PodsAwaited', message: `Pod ${podKey(pod)} is to run here and still waits` }
  })
}

function isYoung({ key, nodeClaim }: StateNode, now: number, moments: Pick<SteadyMoments, 'begun'>): boolean {
  const initialized =
    nodeClaim === undefined ? undefined : parseTimestamp(conditionOf(nodeClaim, 'Initialized')?.lastTransitionTime)
  return initialized !== undefined && now - moments.begun(key, initialized) < patienceMs
}

function textOf(place: PromisedPlace): string {
  return 'claim' in place ? `claim ${place.claim}` : `key ${place.key}`
}
