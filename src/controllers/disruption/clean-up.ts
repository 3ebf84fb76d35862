import { conditionOf } from '../../api/conditions.ts'
import { taintDisrupted } from '../../api/labels.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { matchesTaint } from '../../model/taints.ts'
import type { DisruptionDeps } from './deps.ts'
import { clearDisruption } from './marking.ts'

/**
 * Takes the taint and the reason off nodes that no command works on: what a crash, a failed start or a restart left behind. A node
 * that is being deleted keeps its taint.
 */
export async function cleanUpAbandoned(
  snapshot: Snapshot,
  queued: ReadonlySet<string>,
  deps: Pick<DisruptionDeps<never>, 'kube' | 'clock'>,
): Promise<void> {
  for (const { key, node, nodeClaim, initialized, markedForDeletion } of snapshot.nodes) {
    if (node === undefined || nodeClaim === undefined || !initialized) continue
    if (markedForDeletion || queued.has(key) || node.metadata.deletionTimestamp !== undefined) continue
    const isTainted = node.spec.taints?.some((taint) => matchesTaint(taint, taintDisrupted)) ?? false
    if (isTainted || conditionOf(nodeClaim, 'DisruptionReason') !== undefined) {
      await clearDisruption(deps, node, nodeClaim)
    }
  }
}
