import type { PodInfo } from '../model/pod.ts'
import type { StateNode } from '../model/snapshot.ts'

/** By pod UID, for pods that the operator itself nominated: the key of their planned node, where that is still there. */
export function promisedByNomination(
  pods: readonly PodInfo[],
  nodes: readonly StateNode[],
): ReadonlyMap<string, string> {
  const keyOf = new Map(nodes.flatMap(({ key, node }) => (node === undefined ? [] : [[node.metadata.name, key]])))
  return new Map(
    pods.flatMap(({ uid, ownNomination, nominatedNodeName }) => {
      const key = ownNomination === true ? keyOf.get(nominatedNodeName) : undefined
      return key === undefined ? [] : [[uid, key]]
    }),
  )
}
