import { nillableDurationMs } from '../../api/duration.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { type Candidate, isEmpty, isStatic, surveyCandidates } from '../../disruption/candidates.ts'
import { decideConsolidatable } from '../../disruption/conditions.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { JudgedNode, NodeVerdict } from './node-verdicts.ts'

/** A node that emptiness will take because of the change, unless it gets pods before. */
export interface EmptyNode {
  readonly candidate: Candidate
  /** Milliseconds since the epoch: when `consolidateAfter` has passed. */
  readonly readyAt: number
}

interface OpenedBy {
  /** The pools before the change. */
  readonly present: readonly NodePool[]
  readonly after: Snapshot
  /** Keys of nodes on which capacity buffers hold room. */
  readonly held: Pick<ReadonlySet<string>, 'has'>
}

/**
 * What a change of `consolidateAfter` or `consolidationPolicy` makes of nodes: empty ones go, those with pods that stay otherwise become
 * open to consolidation. What consolidation could do before goes on as it did and is nothing of the change's.
 */
export function openedConsolidation(
  nodes: readonly JudgedNode[],
  { present, after, held }: OpenedBy,
): { readonly nodes: readonly JudgedNode[]; readonly empties: readonly EmptyNode[] } {
  const opened = openedPools(present, after.nodePools)
  if (opened.size === 0) return { nodes, empties: [] }
  const { candidates } = surveyCandidates(after, { disruptionClass: 'graceful', queued: new Set() })
  const candidateOf = new Map(candidates.map((candidate) => [candidate.providerID, candidate]))
  const empties: EmptyNode[] = []
  const revised = (judged: JudgedNode): NodeVerdict => {
    const { stateNode, verdict } = judged
    const candidate = candidateOf.get(stateNode.key)
    const change = opened.get(stateNode.nodePool)
    if (verdict.kind === 'remove' || candidate === undefined || change === undefined) return verdict
    const decision = decideConsolidatable(candidate.nodeClaim, candidate.pool, after.now)
    const waitMs = decision.kind === 'consolidatable' ? 0 : 'remainingMs' in decision ? decision.remainingMs : undefined
    if (waitMs === undefined) return verdict
    const empty = isEmpty(candidate) && !held.has(stateNode.key)
    const goes = change.forEmpty && empty
    if (goes) empties.push({ candidate, readyAt: after.now + waitMs })
    // A drifted node goes in any case, by whichever comes first.
    if (verdict.kind !== 'inPlace') return verdict
    if (goes) return { kind: 'remove', reason: 'Empty', fields: verdict.fields }
    return change.forUsed && !empty ? { ...verdict, reason: 'Consolidatable' } : verdict
  }
  return { nodes: nodes.map((judged) => ({ ...judged, verdict: revised(judged) })), empties }
}

function openedPools(present: readonly NodePool[], proposed: readonly NodePool[]) {
  const before = new Map(present.map((pool) => [pool.metadata.name, pool]))
  return new Map(
    proposed.flatMap((pool) => {
      const { name } = pool.metadata
      const known = before.get(name)
      if (known === undefined || isStatic(pool)) return []
      const forEmpty = consolidates(pool) && !consolidates(known)
      const forUsed = consolidatesUsed(pool) && !consolidatesUsed(known)
      return forEmpty || forUsed ? [[name, { forEmpty, forUsed }] as const] : []
    }),
  )
}

function consolidates({ spec }: NodePool): boolean {
  return nillableDurationMs(spec.disruption?.consolidateAfter ?? '0s') !== undefined
}

/** Whether consolidation takes nodes of the pool that run pods. */
export function consolidatesUsed(pool: NodePool): boolean {
  return consolidates(pool) && pool.spec.disruption?.consolidationPolicy !== 'WhenEmpty'
}
