import { isProvisionable, type PodInfo, podKey } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { promisedByNomination } from '../../scheduling/index.ts'

/**
 * Nominates the nodes that pods wait for by the operator's own word in their status. The operator renews a nomination with each pass for
 * as long as the pod waits, so that no end of it can be told.
 */
export function withNominations(snapshot: Snapshot): Snapshot {
  const promised = new Set(promisedByNomination(waitingIn(snapshot), snapshot.nodes).values())
  if (promised.size === 0) return snapshot
  const nominate = (node: StateNode): StateNode =>
    promised.has(node.key) ? { ...node, nominatedUntil: Number.POSITIVE_INFINITY } : node
  return { ...snapshot, nodes: snapshot.nodes.map(nominate) }
}

/** The pods, as `namespace/name`, that wait for the node of this key. */
export function nominatedFor(key: string, snapshot: Snapshot): readonly string[] {
  const promised = promisedByNomination(waitingIn(snapshot), snapshot.nodes)
  return snapshot.unboundPods.filter(({ uid }) => promised.get(uid) === key).map(podKey)
}

function waitingIn({ unboundPods }: Snapshot): readonly PodInfo[] {
  return unboundPods.filter(isProvisionable)
}
