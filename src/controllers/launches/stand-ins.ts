import { conditionOf } from '../../api/conditions.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/** What a solve made of the stand-ins of capacity buffers. */
export interface SolvedStandIns {
  /** Those that it placed on no node that is there. */
  readonly elsewhere: readonly PodInfo[]
  /** All that it placed on nodes that are there, by state-node key, pods among them. */
  readonly existing: readonly { readonly key: string; readonly pods: readonly PodInfo[] }[]
}

/** Stand-ins on managed nodes that have been up for so long, with the node's key and since when it is. */
export function settledStandIns(
  { nodes, now }: Snapshot,
  existing: SolvedStandIns['existing'],
  forMs: number,
): readonly { readonly pod: PodInfo; readonly key: string; readonly since: number }[] {
  const nodeOf = new Map(nodes.map((node) => [node.key, node]))
  return existing.flatMap(({ key, pods }) => {
    const { nodeClaim, initialized = false } = nodeOf.get(key) ?? {}
    if (nodeClaim === undefined || !initialized) return []
    const since = parseTimestamp(conditionOf(nodeClaim, 'Initialized')?.lastTransitionTime)
    if (since === undefined || now - since < forMs) return []
    return pods.filter(({ virtualBuffer }) => virtualBuffer !== undefined).map((pod) => ({ pod, key, since }))
  })
}
