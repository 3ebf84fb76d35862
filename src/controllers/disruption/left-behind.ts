import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import { annotationReplaces } from '../../api/joinery-annotations.ts'
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

/** What a claim carries that is made for them. */
export function replacesAnnotation(reason: VoluntaryReason, claims: readonly NodeClaim[]): Record<string, string> {
  return { [annotationReplaces]: [reason, ...claims.map(({ metadata }) => metadata.name)].join(' ') }
}

/** A command waits for an hour at the longest, and what it launched is of use for a while after that. */
const toldMs = 90 * 60_000

/** How far the clock of the process that marked the nodes may be ahead of the API server's, which dates claims. */
const skewMs = 30_000

/**
 * By the names of claims, what they replace. Those that an earlier version has made, or Karpenter, do not say so, but nodes are marked before
 * what replaces them is made: a claim made since then is taken to replace a marked node of its pool for which none says so, each another one,
 * or else any of these nodes.
 */
export function leftBehind(
  nodes: readonly StateNode[],
  claims: readonly NodeClaim[],
  now: number,
): ReadonlyMap<string, LeftBehind> {
  const there = claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const told = new Map(there.flatMap((claim) => toldBy(claim, now)))
  const replaced = new Set([...told.values()].flatMap((one) => [...one.claims]))
  const marked = markedNodes(nodes).flatMap(({ nodeClaim }) => (nodeClaim === undefined ? [] : [toMarked(nodeClaim)]))
  const old = new Set(marked.map(({ name }) => name))
  const untold = marked.filter(({ name }) => !replaced.has(name))
  const free = new Set(untold)
  const left = new Map<string, LeftBehind>()
  const staying = new Set(
    nodes.flatMap((node) => (node.markedForDeletion ? [] : (node.nodeClaim?.metadata.name ?? []))),
  )
  for (const claim of there.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))) {
    const { name, labels } = claim.metadata
    if (old.has(name)) continue
    const own = told.get(name)
    if (own !== undefined) {
      const replaces = own.claims.intersection(staying)
      if (replaces.size > 0) left.set(name, { ...own, claims: replaces })
      continue
    }
    const possible = untold.filter((one) => mayReplace(claim, one))
    const ofPool = possible.find((one) => free.has(one) && one.pool === labels?.[labelNodePool])
    if (ofPool !== undefined) free.delete(ofPool)
    const [first, ...others] = ofPool === undefined ? possible : [ofPool]
    if (first === undefined) continue
    left.set(name, { reason: first.reason, claims: new Set([first, ...others].map((one) => one.name)) })
  }
  return left
}

function toldBy({ metadata }: NodeClaim, now: number): readonly [string, LeftBehind][] {
  const [word, ...names] = metadata.annotations?.[annotationReplaces]?.split(' ') ?? []
  const reason = reasons.find((each) => each === word)
  const isOld = now - (parseTimestamp(metadata.creationTimestamp) ?? 0) >= toldMs
  return reason === undefined || isOld ? [] : [[metadata.name, { reason, claims: new Set(names) }]]
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
