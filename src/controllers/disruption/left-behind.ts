import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { labelNodePool, taintDisrupted } from '../../api/labels.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { byIdentity } from '../../model/by-identity.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { matchesTaint } from '../../model/taints.ts'

/** The nodes that stay, and say that they are disrupted. */
export const markedNodes = byIdentity((nodes: readonly StateNode[]): readonly StateNode[] =>
  nodes.filter(({ node, nodeClaim, initialized, markedForDeletion }) => {
    if (node === undefined || nodeClaim === undefined || !initialized) return false
    if (markedForDeletion || node.metadata.deletionTimestamp !== undefined) return false
    const isTainted = node.spec.taints?.some((taint) => matchesTaint(taint, taintDisrupted)) ?? false
    return isTainted || conditionOf(nodeClaim, 'DisruptionReason') !== undefined
  }),
)

/** Which nodes a replacement was to replace, and why. */
export interface LeftBehind {
  readonly reason: VoluntaryReason
  /** Names of the claims that were to go. */
  readonly claims: ReadonlySet<string>
}

/** How far the clock of the process that marked the nodes may be ahead of the API server's, which dates claims. */
const skewMs = 30_000

/**
 * By the names of claims, what they replace: no command is written down, but nodes are marked before what replaces them is made. A claim made
 * since then is taken to replace a marked node of its pool, each another one, or else any of the nodes.
 */
export function leftBehind(nodes: readonly StateNode[], claims: readonly NodeClaim[]): ReadonlyMap<string, LeftBehind> {
  const marked = markedNodes(nodes).flatMap(({ nodeClaim }) => (nodeClaim === undefined ? [] : [toMarked(nodeClaim)]))
  const old = new Set(marked.map(({ name }) => name))
  const free = new Set(marked)
  const left = new Map<string, LeftBehind>()
  for (const claim of claims.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))) {
    const { name, labels, deletionTimestamp } = claim.metadata
    if (deletionTimestamp !== undefined || old.has(name)) continue
    const possible = marked.filter((one) => mayReplace(claim, one))
    const own = possible.find((one) => free.has(one) && one.pool === labels?.[labelNodePool])
    if (own !== undefined) free.delete(own)
    const [first, ...others] = own === undefined ? possible : [own]
    if (first === undefined) continue
    left.set(name, { reason: first.reason, claims: new Set([first, ...others].map((one) => one.name)) })
  }
  return left
}

interface Marked {
  readonly name: string
  readonly pool: string | undefined
  readonly reason: VoluntaryReason
  /** In ms since the epoch; undefined where only the taint tells of it. */
  readonly since: number | undefined
}

function toMarked(claim: NodeClaim): Marked {
  const condition = conditionOf(claim, 'DisruptionReason')
  return {
    name: claim.metadata.name,
    pool: claim.metadata.labels?.[labelNodePool],
    reason:
      reasons.find((each) => each === condition?.reason) ??
      (isConditionTrue(claim, 'Drifted') ? 'Drifted' : 'Underutilized'),
    since: parseTimestamp(condition?.lastTransitionTime),
  }
}

const reasons: readonly VoluntaryReason[] = ['Drifted', 'Empty', 'Underutilized']

function mayReplace(claim: NodeClaim, { reason, since }: Marked): boolean {
  if (reason === 'Empty') return false
  if (since === undefined) return !isConditionTrue(claim, 'Initialized')
  return (parseTimestamp(claim.metadata.creationTimestamp) ?? 0) >= since - skewMs
}
