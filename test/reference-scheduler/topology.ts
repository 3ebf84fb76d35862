import type { LabelSelector, PodAffinityTerm, Taint, TopologySpreadConstraint } from '../../src/api/kubernetes.ts'
import { selects } from '../../src/model/label-selector.ts'
import { compareText } from '../../src/model/order.ts'
import { isActive, type PodInfo } from '../../src/model/pod.ts'
import { allows, type Requirement, toRequirement } from '../../src/model/requirement.ts'
import {
  isCompatible,
  mergeRequirements,
  type Requirements,
  requirementFor,
  requirementsOf,
} from '../../src/model/requirements.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { untoleratedTaints } from '../../src/model/taints.ts'
import { labelsAsRequirements, requiredTerms, selectorRequirements } from './pod-requirements.ts'

export const hostnameKey = 'kubernetes.io/hostname'
type Kind = 'spread' | 'affinity' | 'anti-affinity'

/** One constraint that pods share, with how many pods each domain holds. Everything is looked up and counted the plain way. */
export interface Group {
  readonly id: string
  readonly kind: Kind
  readonly isInverse: boolean
  readonly key: string
  readonly namespaces: ReadonlySet<string>
  readonly selector: LabelSelector | undefined
  readonly maxSkew: number
  readonly minDomains: number | undefined
  readonly filter: (requirements: Requirements, taints: readonly Taint[]) => boolean
  readonly owners: Set<string>
  readonly counts: Map<string, number>
}

export class ReferenceTopology {
  readonly groups = new Map<string, Group>()
  readonly #snapshot: Snapshot
  readonly #excluded: ReadonlySet<string>
  readonly #domains: ReadonlyMap<string, ReadonlyMap<string, readonly (readonly Taint[])[]>>
  readonly #respect: boolean
  readonly #excludedNodes: ReadonlySet<string>

  constructor(options: {
    readonly snapshot: Snapshot
    readonly pods: readonly PodInfo[]
    /** By key, by domain: the taint sets of the pools that have it. */
    readonly domains: ReadonlyMap<string, ReadonlyMap<string, readonly (readonly Taint[])[]>>
    readonly respectPreferences: boolean
    readonly excludedNodes: ReadonlySet<string>
  }) {
    this.#snapshot = options.snapshot
    this.#excluded = new Set(options.pods.map((pod) => pod.uid))
    this.#domains = options.domains
    this.#respect = options.respectPreferences
    this.#excludedNodes = options.excludedNodes
    for (const node of options.snapshot.nodes) {
      for (const pod of node.pods) {
        if (this.#excluded.has(pod.uid)) continue
        for (const group of this.#inverseGroups(pod)) {
          const domain = node.labels[group.key] ?? (group.key === hostnameKey ? node.hostname : undefined)
          if (domain !== undefined) group.counts.set(domain, (group.counts.get(domain) ?? 0) + 1)
        }
      }
    }
    for (const pod of options.pods) this.own(pod)
  }

  /** Forgets what an earlier form of the pod owned and takes its present constraints. */
  own(pod: PodInfo): void {
    for (const group of this.groups.values()) if (!group.isInverse) group.owners.delete(pod.uid)
    this.#inverseGroups(pod)
    for (const constraint of pod.topologySpreadConstraints) {
      if (!this.#respect && constraint.whenUnsatisfiable === 'ScheduleAnyway') continue
      this.#join(this.#spreadGroup(pod, constraint), pod)
    }
    const { podAffinity, podAntiAffinity } = pod.affinity ?? {}
    for (const [kind, affinity] of [
      ['affinity', podAffinity],
      ['anti-affinity', podAntiAffinity],
    ] as const) {
      const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      const terms = [...required, ...(this.#respect ? preferred.map((weighted) => weighted.podAffinityTerm) : [])]
      for (const term of terms) this.#join(this.#affinityGroup(kind, pod, term), pod)
    }
  }

  registerHostname(hostname: string): void {
    for (const group of this.groups.values()) {
      if (group.key === hostnameKey && !group.counts.has(hostname)) group.counts.set(hostname, 0)
    }
  }

  /** The requirements that all groups concerned leave, or undefined. */
  tighten(
    pod: PodInfo,
    strict: Requirements,
    target: Requirements,
    taints: readonly Taint[],
  ): Requirements | undefined {
    let result: Requirements = target
    for (const group of this.#matching(pod)) {
      const podDomains = requirementFor(strict, group.key)
      const nodeDomains = requirementFor(target, group.key)
      const domains = this.#choose(group, pod, podDomains, nodeDomains, target, taints)
      if (domains.length === 0) return undefined
      result = mergeRequirements(result, requirementsOf(toRequirement(group.key, 'In', domains)))
    }
    return result
  }

  record(
    pod: PodInfo,
    requirements: Requirements,
    taints: readonly Taint[],
    allowUndefined: ReadonlySet<string>,
  ): void {
    void allowUndefined
    for (const group of this.groups.values()) {
      const domains = requirementFor(requirements, group.key)
      if (group.isInverse) {
        if (group.owners.has(pod.uid) && !domains.complement) addAll(group, [...domains.values])
      } else if (selectsPod(group, pod) && group.filter(requirements, taints)) {
        if (domains.complement) continue
        if (group.kind === 'anti-affinity' || domains.values.size === 1) addAll(group, [...domains.values])
      }
    }
  }

  #matching(pod: PodInfo): Group[] {
    return [...this.groups.values()]
      .filter((group) => (group.isInverse ? selectsPod(group, pod) : group.owners.has(pod.uid)))
      .toSorted((a, b) => compareText(a.id, b.id))
  }

  #choose(
    group: Group,
    pod: PodInfo,
    podDomains: Requirement,
    nodeDomains: Requirement,
    _target: Requirements,
    _taints: readonly Taint[],
  ): string[] {
    const self = selectsPod(group, pod)
    const isOneHost = group.key === hostnameKey && !nodeDomains.complement && nodeDomains.values.size === 1
    const [host = ''] = nodeDomains.values
    const count = (domain: string): number => group.counts.get(domain) ?? 0
    const known = [...group.counts.keys()].toSorted(compareText)
    if (group.kind === 'spread') {
      const one = self ? 1 : 0
      if (isOneHost) return count(host) + one <= group.maxSkew ? [host] : []
      const eligible = known.filter((domain) => allows(podDomains, domain))
      let least = group.key === hostnameKey ? 0 : Math.min(2 ** 31 - 1, ...eligible.map(count))
      if (group.minDomains !== undefined && eligible.length < group.minDomains) least = 0
      const candidates = known
        .filter((domain) => allows(nodeDomains, domain) && count(domain) + one - least <= group.maxSkew)
        .toSorted((a, b) => count(a) - count(b) || compareText(a, b))
      return candidates.slice(0, 1)
    }
    if (group.kind === 'affinity') {
      const total = known.reduce((sum, domain) => sum + count(domain), 0)
      const canBootstrap =
        self && (total === 0 || !known.some((domain) => count(domain) > 0 && allows(podDomains, domain)))
      if (isOneHost) return allows(podDomains, host) && (count(host) > 0 || canBootstrap) ? [host] : []
      const joined = known.filter(
        (domain) => count(domain) > 0 && allows(podDomains, domain) && allows(nodeDomains, domain),
      )
      if (joined.length > 0) return joined
      if (!canBootstrap) return []
      return known.filter((domain) => allows(podDomains, domain) && allows(nodeDomains, domain)).slice(0, 1)
    }
    if (isOneHost) return count(host) === 0 ? [host] : []
    return known.filter((domain) => count(domain) === 0 && allows(podDomains, domain) && allows(nodeDomains, domain))
  }

  #join(group: Group, pod: PodInfo): void {
    group.owners.add(pod.uid)
  }

  #inverseGroups(pod: PodInfo): Group[] {
    const terms = pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    return terms.map((term) => {
      const group = this.#affinityGroup('anti-affinity', pod, term, true)
      group.owners.add(pod.uid)
      return group
    })
  }

  #affinityGroup(kind: 'affinity' | 'anti-affinity', pod: PodInfo, term: PodAffinityTerm, isInverse = false): Group {
    const namespaces = this.#namespacesOf(pod, term)
    const id = JSON.stringify([
      isInverse,
      kind,
      term.topologyKey,
      [...namespaces].toSorted(),
      canonical(term.labelSelector),
    ])
    return this.#group(id, {
      id,
      kind,
      isInverse,
      key: term.topologyKey,
      namespaces,
      selector: term.labelSelector,
      maxSkew: 2 ** 31 - 1,
      minDomains: undefined,
      filter: () => true,
      pod,
      honorTaints: true,
    })
  }

  #spreadGroup(pod: PodInfo, constraint: TopologySpreadConstraint): Group {
    const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint
    const selector = withMatchLabelKeys(constraint, pod)
    const alternatives = nodeAffinityPolicy === 'Honor' ? affinityAlternatives(pod) : []
    const keys = alternatives.map((alternative) => [...alternative.keys()].toSorted())
    const id = JSON.stringify([
      'spread',
      constraint.topologyKey,
      pod.namespace,
      constraint.maxSkew,
      canonical(selector),
      nodeAffinityPolicy,
      nodeTaintsPolicy,
      keys,
      pod.tolerations,
    ])
    return this.#group(id, {
      id,
      kind: 'spread',
      isInverse: false,
      key: constraint.topologyKey,
      namespaces: new Set([pod.namespace]),
      selector,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains,
      filter: (requirements, taints) => {
        const matches =
          alternatives.length === 0 || alternatives.some((alternative) => isCompatible(requirements, alternative))
        return matches && (nodeTaintsPolicy === 'Ignore' || untoleratedTaints(taints, pod.tolerations).length === 0)
      },
      pod,
      honorTaints: nodeTaintsPolicy === 'Honor',
    })
  }

  #group(
    id: string,
    definition: Omit<Group, 'owners' | 'counts'> & { readonly pod: PodInfo; readonly honorTaints: boolean },
  ): Group {
    const known = this.groups.get(id)
    if (known !== undefined) return known
    const { pod, honorTaints, ...shape } = definition
    const counts = new Map<string, number>()
    for (const [domain, taintSets] of this.#domains.get(shape.key) ?? []) {
      const isOpen = taintSets.some((taints) => untoleratedTaints(taints, pod.tolerations).length === 0)
      if (!honorTaints || isOpen) counts.set(domain, 0)
    }
    const group: Group = { ...shape, owners: new Set(), counts }
    this.groups.set(id, group)
    if (!group.isInverse) this.#countExisting(group)
    if (group.key === hostnameKey) {
      for (const node of this.#activeNodes()) if (!counts.has(node.hostname)) counts.set(node.hostname, 0)
    }
    return group
  }

  #countExisting(group: Group): void {
    for (const node of this.#activeNodes()) {
      const value = node.labels[group.key]
      if (node.node === undefined || value === undefined || group.counts.has(value)) continue
      if (group.filter(labelsAsRequirements(node.labels), node.node.spec.taints ?? [])) group.counts.set(value, 0)
    }
    for (const node of this.#snapshot.nodes) {
      if (node.node === undefined) continue
      const labels = node.node.metadata.labels ?? {}
      const domain = labels[group.key] ?? (group.key === hostnameKey ? node.node.metadata.name : undefined)
      if (domain === undefined) continue
      if (!group.filter(labelsAsRequirements(labels), node.node.spec.taints ?? [])) continue
      for (const pod of node.pods) {
        if (!isActive(pod) || this.#excluded.has(pod.uid) || !group.namespaces.has(pod.namespace)) continue
        if (group.selector !== undefined && !selects(group.selector, pod.labels)) continue
        group.counts.set(domain, (group.counts.get(domain) ?? 0) + 1)
      }
    }
  }

  #activeNodes() {
    return this.#snapshot.nodes.filter((node) => !node.markedForDeletion && !this.#excludedNodes.has(node.key))
  }

  #namespacesOf(pod: PodInfo, term: PodAffinityTerm): ReadonlySet<string> {
    const { namespaces = [], namespaceSelector } = term
    if (namespaces.length === 0 && namespaceSelector === undefined) return new Set([pod.namespace])
    const selected = [...this.#snapshot.namespaces].filter(
      ([, labels]) => namespaceSelector !== undefined && selects(namespaceSelector, labels),
    )
    return new Set([...namespaces, ...selected.map(([name]) => name)])
  }
}

function selectsPod(group: Group, pod: PodInfo): boolean {
  return group.namespaces.has(pod.namespace) && selects(group.selector, pod.labels)
}

function addAll(group: Group, domains: readonly string[]): void {
  for (const domain of domains) group.counts.set(domain, (group.counts.get(domain) ?? 0) + 1)
}

function affinityAlternatives(pod: PodInfo): Requirements[] {
  const selector = selectorRequirements(pod)
  const terms = requiredTerms(pod)
  return terms.length === 0
    ? selector.size === 0
      ? []
      : [selector]
    : terms.map((term) => mergeRequirements(selector, term))
}

function withMatchLabelKeys({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: PodInfo) {
  const expressions = matchLabelKeys.flatMap((key) =>
    pod.labels[key] === undefined ? [] : [{ key, operator: 'In' as const, values: [pod.labels[key]] }],
  )
  if (expressions.length === 0 || labelSelector === undefined) return labelSelector
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...expressions] }
}

function canonical(selector: LabelSelector | undefined): unknown {
  if (selector === undefined) return null
  const labels = Object.entries(selector.matchLabels ?? {}).toSorted(([a], [b]) => compareText(a, b))
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    JSON.stringify([key, operator, values.toSorted()]),
  )
  return [labels, expressions.toSorted()]
}
