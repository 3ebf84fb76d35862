import type { PodAffinityTerm, TopologySpreadConstraint } from '../../src/api/kubernetes.ts'
import { selects } from '../../src/model/label-selector.ts'
import { type PodInfo, podKey } from '../../src/model/pod.ts'
import type { StateNode } from '../../src/model/snapshot.ts'
import type { NodePlan, Placement } from '../../src/scheduling/index.ts'

/** A pod, and whether the placement put it there. */
interface Placed {
  readonly pod: PodInfo
  /** Of the label in question; undefined on a planned node that may come up with several. */
  readonly value: string | undefined
  readonly isAdded: boolean
}

const keys = ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'] as const

/**
 * Spread, affinity and anti-affinity over zones and capacity types, as Kubernetes documents them, where nothing is left to chance: planned
 * nodes that may still come up in several zones prove nothing. `nodes`: all of the cluster.
 */
export function domainErrors(
  placement: Pick<Placement, 'newNodePlans' | 'existing'>,
  nodes: readonly StateNode[],
): string[] {
  return keys.flatMap((key) => {
    const placed = placedBy(key, placement, nodes)
    return [...tooNear(key, placed), ...scattered(key, placed), ...skewed(key, placed)]
  })
}

function placedBy(
  key: string,
  { newNodePlans, existing }: Pick<Placement, 'newNodePlans' | 'existing'>,
  nodes: readonly StateNode[],
): Placed[] {
  const found: Placed[] = []
  const note = (value: string | undefined, pods: readonly PodInfo[], isAdded: boolean): void => {
    for (const pod of pods) if (counts(pod)) found.push({ pod, value, isAdded })
  }
  // Of nodes without the label nobody is near or far.
  for (const { labels, pods } of nodes) if (labels[key] !== undefined) note(labels[key], pods, false)
  for (const { node, pods } of existing) if (node.labels[key] !== undefined) note(node.labels[key], pods, true)
  for (const plan of newNodePlans) note(valueOf(plan, key), plan.pods, true)
  return found
}

function counts({ deletedAt, phase }: PodInfo): boolean {
  return deletedAt === undefined && phase !== 'Succeeded' && phase !== 'Failed'
}

/** The only value that a node of the plan may have; undefined while there are several. */
function valueOf({ requirements, instanceTypes, labels }: NodePlan, key: string): string | undefined {
  const values = new Set<string>()
  for (const { offerings } of instanceTypes) {
    for (const offering of offerings) {
      const isPossible = [...offering.requirements].every(([label, offered]) => {
        const required = requirements.get(label)
        return (
          required === undefined ||
          [...offered.values].every((value) => required.values.has(value) !== required.complement)
        )
      })
      if (!offering.available || !isPossible) continue
      for (const value of offering.requirements.get(key)?.values ?? []) values.add(value)
    }
  }
  return values.size === 1 ? [...values][0] : values.size === 0 ? labels[key] : undefined
}

function tooNear(key: string, placed: readonly Placed[]): string[] {
  return placed.flatMap((owner) =>
    termsOn(key, owner.pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution)
      .flatMap((term) => placed.filter(({ pod, value }) => value === owner.value && matches(term, owner.pod, pod)))
      .filter(({ pod, isAdded, value }) => value !== undefined && pod !== owner.pod && (isAdded || owner.isAdded))
      .map(({ pod, value }) => `${podKey(owner.pod)} and ${podKey(pod)}, which keep apart, are both in ${value}`),
  )
}

/** Terms that look into other namespaces, or at label keys, are left to others. */
function termsOn(key: string, terms: readonly PodAffinityTerm[] = []): readonly PodAffinityTerm[] {
  return terms.filter(({ topologyKey, labelSelector: _selector, ...more }) => {
    return topologyKey === key && Object.keys(more).length === 0
  })
}

function matches({ labelSelector }: PodAffinityTerm, owner: PodInfo, pod: PodInfo): boolean {
  return owner.namespace === pod.namespace && selects(labelSelector, pod.labels)
}

/** Pods are where those are whom they want to be near to; the first of their kind may go anywhere, those like it only there. */
function scattered(key: string, placed: readonly Placed[]): string[] {
  const known = new Map<string, readonly Placed[]>()
  const wantedBy = (owner: PodInfo, term: PodAffinityTerm): readonly Placed[] => {
    const id = owner.namespace + JSON.stringify(term)
    const wanted = known.get(id) ?? placed.filter(({ pod }) => matches(term, owner, pod))
    known.set(id, wanted)
    return wanted
  }
  return placed.flatMap(({ pod, value, isAdded }) => {
    if (!isAdded || value === undefined) return []
    const terms = termsOn(key, pod.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution)
    return terms.flatMap((term) => {
      const wanted = wantedBy(pod, term)
      const isThere = wanted.some((other) => other.pod !== pod && (other.value ?? value) === value)
      if (isThere) return []
      // It may have come first. Pods that may not go where the others of their kind are come first of it elsewhere, as in Karpenter.
      const isBeforeOthers = wanted.every(
        (other) => other.pod === pod || (other.isAdded && text(other.pod) !== text(pod)),
      )
      if (matches(term, pod, pod) && (isPicky(pod) || isBeforeOthers)) return []
      return [`${podKey(pod)} is in ${value}, where nobody is that it wants to be near to`]
    })
  })
}

/** At the end no domain is further ahead of another one than the skew, if pods with the constraint, all alike, went to both. */
function skewed(key: string, placed: readonly Placed[]): string[] {
  const seen = new Set<string>()
  const errors: string[] = []
  for (const { pod, isAdded } of placed) {
    if (!isAdded || isPicky(pod)) continue
    for (const constraint of pod.topologySpreadConstraints) {
      if (!isPlainSpread(constraint, key) || !selects(constraint.labelSelector, pod.labels)) continue
      const id = `${pod.namespace}${text(pod)}${JSON.stringify(constraint)}`
      if (seen.has(id)) continue
      seen.add(id)
      const peers = placed.filter(
        (other) => other.pod.namespace === pod.namespace && selects(constraint.labelSelector, other.pod.labels),
      )
      const mine = peers.filter((other) => other.isAdded)
      if (mine.some((other) => other.value === undefined || text(other.pod) !== text(pod))) continue
      const domains = [...new Set(mine.map(({ value }) => value))]
      const numbers = domains.map((domain) => peers.filter(({ value }) => value === domain).length)
      if (Math.max(...numbers) - Math.min(...numbers) <= constraint.maxSkew) continue
      errors.push(`pods like ${podKey(pod)} are ${numbers.join(', ')} in ${domains.join(', ')}`)
    }
  }
  return errors
}

function isPlainSpread(constraint: TopologySpreadConstraint, key: string): boolean {
  const { topologyKey, whenUnsatisfiable, labelSelector, maxSkew: _skew, minDomains: _domains, ...more } = constraint
  return (
    topologyKey === key &&
    whenUnsatisfiable === 'DoNotSchedule' &&
    labelSelector !== undefined &&
    Object.keys(more).length === 0
  )
}

/** Which nodes count for such pods is a question of its own. */
function isPicky({ nodeSelector, affinity }: PodInfo): boolean {
  return (
    Object.keys(nodeSelector).length > 0 ||
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
  )
}

function text({ labels, topologySpreadConstraints, tolerations, affinity, nodeSelector }: PodInfo): string {
  return JSON.stringify([labels, topologySpreadConstraints, tolerations, affinity, nodeSelector])
}
