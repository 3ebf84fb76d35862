import { conditionOf } from '../../api/conditions.ts'
import { type DisruptionGate, openGate } from '../../disruption/gate.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { Breakers } from './breakers.ts'
import type { LaunchGuard } from './launch-guard.ts'

/** Nodes stay while their replacements would only fail; one at a time goes while that is not known. */
export function breakerGate(
  guard: Pick<LaunchGuard, 'hold' | 'limit'> & { readonly breakers: Pick<Breakers, 'isAnyOpen'> },
  nodes: readonly StateNode[],
): DisruptionGate {
  if (!guard.breakers.isAnyOpen) return openGate
  const aboutToMove = new Set(nodes.filter(isAboutToMove).map(({ nodePool }) => nodePool))
  return {
    hold: ({ pool }, reason) => guard.hold(pool.metadata.name, reason, aboutToMove),
    limit: (pool, reason) => guard.limit(pool, reason),
    driftOrder: undefined,
  }
}

/** Its replacements are on their way; once its claim is deleted the guard is told. */
function isAboutToMove({ markedForDeletion, nodeClaim }: StateNode): boolean {
  if (!markedForDeletion || nodeClaim === undefined || nodeClaim.metadata.deletionTimestamp !== undefined) return false
  const reason = conditionOf(nodeClaim, 'DisruptionReason')
  return reason?.status === 'True' && reason.reason !== 'Empty'
}
