import type { NodeClaimRequirement } from '../../api/karpenter.ts'
import type { LabelVocabulary } from '../../api/label-rules.ts'
import type { BlockCode } from '../../disruption/candidates.ts'
import type { DisruptionMethod } from '../../disruption/command.ts'
import { cheapestFirst } from '../../model/offering-price.ts'
import { compareText } from '../../model/order.ts'
import { type PodInfo, podKey } from '../../model/pod.ts'
import { toResourceList } from '../../model/resources.ts'
import { type NodePlan, type Placement, toNodeClaim } from '../../scheduling/index.ts'

/** What `joinery simulate -o json` prints; other tools rely on it. Quantities are canonical, prices US dollars per hour. */
export interface SimulationAnswer {
  /** In the order in which the solver opened them. */
  readonly nodeClaims: readonly PlannedNodeClaim[]
  readonly existing: readonly { readonly node: string; readonly pods: readonly string[] }[]
  readonly unschedulable: readonly UnschedulablePod[]
  /** Of the new nodes, beside what nodes for their pods cost at least; absent without new nodes. */
  readonly cost?: { readonly pricePerHour: number; readonly lowerBound: number } | undefined
  /** Only with `--disrupt`. */
  readonly disruption?: DisruptionAnswer
}

export interface PlannedNodeClaim {
  readonly nodePool: string
  readonly requirements: readonly NodeClaimRequirement[]
  /** Every type that remains after the cut to 600, by price, then name. */
  readonly instanceTypes: readonly string[]
  readonly requests: Readonly<Record<string, string>>
  /** `namespace/name`, in byte order. */
  readonly pods: readonly string[]
  /** Of the cheapest launch; null when nothing can be launched at the moment. */
  readonly price: number | null
}

export interface UnschedulablePod {
  readonly pod: string
  /** `nodePool` is empty where no pool is concerned. */
  readonly reasons: readonly { readonly nodePool: string; readonly message: string }[]
}

export interface DisruptionAnswer {
  readonly commands: readonly {
    readonly reason: 'Empty' | 'Drifted' | 'Underutilized' | 'Unhealthy'
    readonly method: DisruptionMethod | 'repair'
    readonly candidates: readonly string[]
    readonly replacements: readonly PlannedNodeClaim[]
    /** Null where prices are not known. */
    readonly savingsPerHour: number | null
  }[]
  /** By node, then code. */
  readonly blocked: readonly { readonly node: string; readonly reason: BlockCode; readonly message: string }[]
}

export function plannedNode(plan: NodePlan, vocabulary: LabelVocabulary): PlannedNodeClaim {
  const ordered = cheapestFirst(plan.instanceTypes, plan.requirements, vocabulary.wellKnown)
  return {
    nodePool: plan.nodePool,
    requirements: toNodeClaim(plan, vocabulary).spec.requirements,
    instanceTypes: ordered.map(({ name }) => name),
    requests: toResourceList(plan.requests),
    pods: podNames(plan.pods),
    price: plan.price ?? null,
  }
}

export function existingNodes({ existing }: Placement): SimulationAnswer['existing'] {
  return existing
    .map(({ node, pods }) => ({ node: node.name, pods: podNames(pods) }))
    .toSorted((a, b) => compareText(a.node, b.node))
}

export function unschedulablePods(
  { failures, deferred, unattempted, unresolvedPools }: Placement,
  rejected: readonly { readonly pod: PodInfo; readonly text: string }[],
): readonly UnschedulablePod[] {
  const ofNoPool = (pod: PodInfo, message: string): UnschedulablePod => ({
    pod: podKey(pod),
    reasons: [{ nodePool: '', message }],
  })
  const barred = unresolvedPools.flatMap(({ nodePool, message, error = '' }) =>
    message === 'skipping, circuit breaker is open' ? [{ nodePool, message: `circuit breaker is open: ${error}` }] : [],
  )
  const unresolved = unresolvedPools.flatMap(({ nodePool, error }) =>
    error === undefined || barred.some((one) => one.nodePool === nodePool) ? [] : [{ nodePool, message: error }],
  )
  const leftOut = [...unresolved, ...barred]
  return [
    ...rejected.map(({ pod, text }) => ofNoPool(pod, text)),
    ...failures.map(({ pod, text, because }): UnschedulablePod => {
      // That none of no types is left would sound as if the pools' requirements were at fault.
      if (because.kind === 'noTemplates' && leftOut.length > 0) return { pod: podKey(pod), reasons: leftOut }
      if (because.kind !== 'pools') return ofNoPool(pod, text)
      const refusals = because.pools.map(({ nodePool, text: message }) => ({ nodePool, message }))
      return { pod: podKey(pod), reasons: [...refusals, ...barred] }
    }),
    ...deferred.map((pod) => ofNoPool(pod, 'waits for reserved capacity that other pods of this pass take up')),
    ...unattempted.map((pod) => ofNoPool(pod, 'scheduling simulation timed out')),
  ].toSorted((a, b) => compareText(a.pod, b.pod))
}

function podNames(pods: readonly PodInfo[]): readonly string[] {
  return pods.map(podKey).toSorted(compareText)
}
