import { isConditionTrue } from '../api/conditions.ts'
import type { NodeClaim, NodePool } from '../api/karpenter.ts'
import { parseTimestamp } from '../model/clock.ts'
import { compareText } from '../model/order.ts'
import { isActive, isOwnedByDaemonSet, type PodInfo } from '../model/pod.ts'
import { tryParseQuantity } from '../model/quantity.ts'
import type { StateNode } from '../model/snapshot.ts'
import { evictionCost, lifetimeRemaining } from './disruption-cost.ts'
import { isDoNotDisruptActive } from './do-not-disrupt.ts'

export interface ScaleDownChoice {
  readonly claim: NodeClaim
  readonly because: 'replaced' | 'notLaunched' | 'empty' | 'leastDisruption'
  /** State-node key; undefined for claims without an instance. */
  readonly key: string | undefined
}

export interface ScaleDownInput {
  /** How many claims are too many. */
  readonly excess: number
  /** All claims of the pool, in the order in which the API lists them. */
  readonly claims: readonly NodeClaim[]
  /** All nodes of the pool. */
  readonly nodes: readonly StateNode[]
  readonly now: number
  /** Claims that came to replace others, later than that was waited for, and those others, by name. */
  readonly late?: ReadonlyMap<string, string>
}

/** `limits.nodes`; without it there is no limit. */
export function nodeLimitOf(pool: NodePool): number {
  const limit = pool.spec.limits?.['nodes']
  if (limit === undefined) return Number.MAX_SAFE_INTEGER
  const parsed = tryParseQuantity(limit)
  // One that cannot be read allows nothing.
  return parsed === undefined ? 0 : Number(parsed.units)
}

/** Which claims of a static pool go when it has too many: those whose loss is felt least. */
export function chooseScaleDown(input: ScaleDownInput): readonly ScaleDownChoice[] {
  const { claims, nodes, now } = input
  const late = lateMachines(input)
  const excess = input.excess - late.waiting
  const isOpen = ({ metadata: { name } }: NodeClaim): boolean => !late.names.has(name)
  const notLaunched = claims
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && (status?.providerID ?? '') === '')
    .filter(isOpen)
    .map((claim): ScaleDownChoice => ({ claim, because: 'notLaunched', key: undefined }))
  const running = runningOf(nodes).filter(({ claim }) => isOpen(claim))
  const empty = running
    .filter(({ node }) => isIdle(node.pods, now))
    .toSorted(driftedFirst)
    .map(({ node, claim }): ScaleDownChoice => ({ claim, because: 'empty', key: node.key }))
  const busy = running
    .filter(({ node }) => !isIdle(node.pods, now))
    .map((machine) => ({ ...machine, held: isHeld(machine.node.pods, now), cost: cost(machine, now) }))
    .toSorted(
      (a, b) =>
        Number(a.held) - Number(b.held) ||
        a.cost - b.cost ||
        driftedFirst(a, b) ||
        compareText(a.claim.metadata.name, b.claim.metadata.name),
    )
    .map(({ node, claim }): ScaleDownChoice => ({ claim, because: 'leastDisruption', key: node.key }))
  return [...late.replaced, ...notLaunched, ...empty, ...busy].slice(0, Math.max(0, excess))
}

interface Machine {
  readonly node: StateNode
  readonly claim: NodeClaim
}

function runningOf(nodes: readonly StateNode[]): readonly Machine[] {
  return nodes.flatMap((node) =>
    node.nodeClaim === undefined || node.markedForDeletion ? [] : [{ node, claim: node.nodeClaim }],
  )
}

/**
 * Machines that came late for drifted ones which are still there: by what they run they would go first, and be launched again for the same
 * old ones. When such a machine is ready, the old one goes for it; until then it is not counted as one too many.
 */
function lateMachines({ claims, nodes, now, late = new Map() }: ScaleDownInput): {
  /** Of both. */
  readonly names: ReadonlySet<string>
  readonly replaced: readonly ScaleDownChoice[]
  readonly waiting: number
} {
  const running = new Map(runningOf(nodes).map((machine) => [machine.claim.metadata.name, machine]))
  const names = new Set<string>()
  const replaced: ScaleDownChoice[] = []
  let waiting = 0
  for (const { metadata } of claims) {
    const old = running.get(late.get(metadata.name) ?? '')
    if (old === undefined || metadata.deletionTimestamp !== undefined) continue
    const { node, claim } = old
    if (names.has(claim.metadata.name)) continue
    names.add(metadata.name)
    names.add(claim.metadata.name)
    const isReady = running.get(metadata.name)?.node.initialized === true && !isHeld(node.pods, now)
    if (isReady) replaced.push({ claim, because: 'replaced', key: node.key })
    else waiting += 1
  }
  return { names, replaced, waiting }
}

/** Of nodes whose loss costs the same a drifted one goes first: it would be replaced anyway. */
function driftedFirst(a: { readonly claim: NodeClaim }, b: { readonly claim: NodeClaim }): number {
  return Number(isConditionTrue(b.claim, 'Drifted')) - Number(isConditionTrue(a.claim, 'Drifted'))
}

/** No pods, or only daemons that may go. */
function isIdle(pods: readonly PodInfo[], now: number): boolean {
  return pods.length === 0 || (pods.every(isOwnedByDaemonSet) && !isHeld(pods, now))
}

function isHeld(pods: readonly PodInfo[], now: number): boolean {
  return pods.some((pod) => isActive(pod) && isDoNotDisruptActive(pod, now))
}

/** What its pods lose by moving now rather than when the node would have expired anyway. */
function cost({ node, claim }: Machine, now: number): number {
  const sum = node.pods.reduce((total, pod) => total + evictionCost(pod), 0)
  const createdAt = parseTimestamp(claim.metadata.creationTimestamp) ?? now
  return sum * lifetimeRemaining(claim.spec.expireAfter, createdAt, now)
}
