import type { CSINode, Node, Taint } from '../api/kubernetes.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import {
  isKnownEphemeralTaint,
  labelHostname,
  labelInitialized,
  labelNodePool,
  labelRegistered,
} from '../api/labels.ts'
import { isClaimDeleting } from '../model/deleting-claim.ts'
import type { PodInfo } from '../model/pod.ts'
import { Quantity } from '../model/quantity.ts'
import { addResources, readableResources, type Resources, toResources } from '../model/resources.ts'
import type { StateNode } from '../model/snapshot.ts'
import { matchesTaint } from '../model/taints.ts'

/** The two halves of one machine, and what is known about it beside them. */
export interface StateNodeParts {
  readonly key: string
  readonly node: Node | undefined
  readonly nodeClaim: NodeClaim | undefined
  readonly csiNode: CSINode | undefined
  /** Sorted, without terminal ones. */
  readonly pods: readonly PodInfo[]
  readonly nominatedUntil: number
  readonly marked: boolean
}

const noText: Readonly<Record<string, string>> = Object.freeze({})
const noTaints: readonly Taint[] = Object.freeze([])
const oneNode: Resources = new Map([['nodes', Quantity.of(1)]])

/** Decides once which half is authoritative for what. At least one half is there. */
export function toStateNode(parts: StateNodeParts): StateNode {
  const { key, node, nodeClaim } = parts
  const managed = nodeClaim !== undefined
  const registered = !managed || node?.metadata.labels?.[labelRegistered] === 'true'
  const initialized = !managed || node?.metadata.labels?.[labelInitialized] === 'true'
  const identity = registered && node !== undefined ? node.metadata : (nodeClaim ?? node)?.metadata
  const labels = identity?.labels ?? noText
  const name = identity?.name ?? key
  return {
    key,
    node,
    nodeClaim,
    name,
    hostname: labels[labelHostname] ?? name,
    labels,
    annotations: identity?.annotations ?? noText,
    taints: taintsOf(parts, { registered, initialized }),
    capacity: addResources(amountsOf(parts, 'capacity', initialized), oneNode),
    allocatable: amountsOf(parts, 'allocatable', initialized),
    managed,
    registered,
    initialized,
    markedForDeletion: isMarkedForDeletion(parts),
    nominatedUntil: parts.nominatedUntil,
    pods: parts.pods,
    volumeLimits: volumeLimitsOf(parts.csiNode),
    nodePool: labels[labelNodePool] ?? '',
  }
}

/** A managed node that is being deleted counts only through its claim. */
function isMarkedForDeletion(parts: Pick<StateNodeParts, 'node' | 'nodeClaim' | 'marked'>): boolean {
  const { node, nodeClaim, marked } = parts
  if (marked) return true
  return nodeClaim === undefined ? node?.metadata.deletionTimestamp !== undefined : isClaimDeleting(nodeClaim)
}

function taintsOf(
  { node, nodeClaim }: StateNodeParts,
  { registered, initialized }: { readonly registered: boolean; readonly initialized: boolean },
): readonly Taint[] {
  const taints =
    (registered && node !== undefined ? node.spec.taints : (nodeClaim?.spec ?? node?.spec)?.taints) ?? noTaints
  if (initialized || nodeClaim === undefined) return taints
  const startup = nodeClaim.spec.startupTaints ?? noTaints
  return taints.filter(
    (taint) => !isKnownEphemeralTaint(taint) && !startup.some((expected) => matchesTaint(expected, taint)),
  )
}

/** What the kubelet has not reported yet is taken from the claim, where the cloud promised it. */
function amountsOf(
  { node, nodeClaim }: StateNodeParts,
  field: 'capacity' | 'allocatable',
  initialized: boolean,
): Resources {
  // The pattern of a claim's status admits what is no quantity (`1e1.5`): one such claim must not keep the others from being looked at.
  const promised = readableResources(nodeClaim?.status?.[field])
  if (node === undefined) return promised
  const reported = toResources(node.status?.[field])
  if (initialized || promised.size === 0) return reported
  const amounts = new Map(reported)
  for (const [name, amount] of promised) {
    const known = amounts.get(name)
    if (known === undefined || known.isZero) amounts.set(name, amount)
  }
  return amounts
}

function volumeLimitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  }
  return limits
}
