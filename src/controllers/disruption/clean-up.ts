import { isConflict } from '../../kube/errors.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { DisruptionDeps } from './deps.ts'
import { markedNodes } from './left-behind.ts'
import { clearDisruption } from './marking.ts'

/**
 * Takes the taint and the reason off nodes that no command works on: what a crash, a failed start or a restart left behind. A node
 * that is being deleted keeps its taint.
 * @throws when some node could not be written, once all others are done: tainted, but counted by no budget, it would be one too many
 */
export async function cleanUpAbandoned(
  snapshot: Snapshot,
  queued: ReadonlySet<string>,
  deps: Pick<DisruptionDeps<never>, 'kube' | 'clock'>,
): Promise<void> {
  const failures: unknown[] = []
  for (const { key, node, nodeClaim } of markedNodes(snapshot.nodes)) {
    if (node === undefined || nodeClaim === undefined || queued.has(key)) continue
    try {
      await clearDisruption(deps, node, nodeClaim)
    } catch (error) {
      failures.push(error)
    }
  }
  // A conflict is over in the next pass; what is refused is told, each by itself.
  const refusals = failures.filter((error) => !isConflict(error))
  if (refusals.length > 0) throw combineErrors(refusals)
  if (failures.length > 0) throw failures[0]
}
