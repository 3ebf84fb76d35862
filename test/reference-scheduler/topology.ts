import type { NodePool } from '../../src/api/karpenter.ts'
import type { LabelSelector, NodeSelectorTerm, PodAffinityTerm, Taint, Toleration } from '../../src/api/kubernetes.ts'
import { selects } from '../../src/model/label-selector.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { allows, anyValue, oneOf, type Requirement } from '../../src/model/requirement.ts'
import {
  isCompatible,
  labelRequirements,
  mayBeAbsent,
  mergeRequirements,
  normaliseKey,
  type Requirements,
  requirementsOf,
  toRequirements,
} from '../../src/model/requirements.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { untoleratedTaints } from '../../src/model/taints.ts'
import { type PodConstraints, type Selection, withSelector } from '../../src/scheduling/pod-constraints.ts'
import type { ReferenceOptions } from './options.ts'

const hostnameKey = 'kubernetes.io/hostname'

/** A topology group as plain data: everything is counted again whenever it is asked for. */
export interface ReferenceGroup {
  readonly kind: 'spread' | 'affinity' | 'antiAffinity' | 'inverse'
  readonly key: string
  readonly namespaces: readonly string[]
  readonly selector: LabelSelector | undefined
  readonly maxSkew: number
  readonly minDomains: number | undefined
  readonly honorTaints: boolean
  readonly honorAffinity: boolean
  /** Of the pod's other hard constraints. */
  readonly labels: readonly string[]
  readonly filterTolerations: readonly Toleration[]
  readonly alternatives: readonly Pick<Selection, 'requirements' | 'needed'>[]
  readonly identity: string
  readonly counts: Map<string, number>
  /** Domains in which nodes are. */
  readonly inhabited: Set<string>
}

interface Target {
  /** Of a node that is not there yet labels that every node gets are known to come. */
  readonly isNew: boolean
  readonly requirements: Requirements
  /** That labels exist, whatever their values. */
  readonly existing: Requirements
  readonly taints: readonly Taint[]
}

interface Placed {
  readonly pod: PodInfo
  readonly target: Target
}

/** The same rules as the solver's topology, in the most obvious form. */
export class ReferenceTopology {
  readonly #snapshot: Snapshot
  readonly #options: ReferenceOptions
  readonly #excluded: ReadonlySet<PodInfo>
  readonly #groups: ReferenceGroup[] = []
  readonly #placed: Placed[] = []

  constructor(snapshot: Snapshot, options: ReferenceOptions, batch: readonly PodInfo[]) {
    this.#snapshot = snapshot
    this.#options = options
    this.#excluded = new Set(batch)
    for (const node of snapshot.nodes) {
      for (const pod of node.pods) {
        if (this.#excluded.has(pod)) continue
        for (const term of pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
          const group = this.#fromTerm(pod, pod.tolerations, term, 'inverse')
          const domain = node.labels[group.key]
          if (domain !== undefined) count(group, domain)
        }
      }
    }
  }

  owned(pod: PodInfo, constraints: PodConstraints): ReferenceGroup[] {
    const respect = this.#options.preferencePolicy === 'Respect'
    const soft = <T>(list: readonly T[]): readonly T[] => (respect ? list : [])
    const hard = constraints.spread
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .map(({ topologyKey }) => normaliseKey(topologyKey, this.#options.vocabulary.aliases))
      .filter((key) => key !== hostnameKey)
    return [
      ...constraints.spread
        .filter(({ whenUnsatisfiable }) => respect || whenUnsatisfiable === 'DoNotSchedule')
        .map((constraint) => {
          const keys = (constraint.matchLabelKeys ?? []).filter((key) => pod.labels[key] !== undefined)
          const selector: LabelSelector | undefined =
            keys.length === 0
              ? constraint.labelSelector
              : {
                  ...constraint.labelSelector,
                  matchExpressions: [
                    ...(constraint.labelSelector?.matchExpressions ?? []),
                    ...keys.map((key) => ({ key, operator: 'In' as const, values: [pod.labels[key] ?? ''] })),
                  ],
                }
          return this.#group({
            kind: 'spread',
            key: normaliseKey(constraint.topologyKey, this.#options.vocabulary.aliases),
            namespaces: [pod.namespace],
            selector,
            maxSkew: constraint.maxSkew,
            minDomains: constraint.minDomains,
            honorTaints: constraint.nodeTaintsPolicy === 'Honor',
            honorAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
            labels:
              constraint.whenUnsatisfiable === 'DoNotSchedule' && constraint.topologyKey !== hostnameKey ? hard : [],
            filterTolerations: constraints.tolerations,
            alternatives: this.#alternatives(pod, constraints.requiredNodeTerms),
          })
        }),
      ...[
        ...constraints.requiredAffinity,
        ...soft(constraints.preferredAffinity).map((one) => one.podAffinityTerm),
      ].map((term) => this.#fromTerm(pod, constraints.tolerations, term, 'affinity')),
      ...[
        ...constraints.requiredAntiAffinity,
        ...soft(constraints.preferredAntiAffinity).map((one) => one.podAffinityTerm),
      ].map((term) => this.#fromTerm(pod, constraints.tolerations, term, 'antiAffinity')),
    ]
  }

  /** Labels of which the pod has to be in some domain. */
  domainsOf(pod: PodInfo, constraints: PodConstraints): string[] {
    return this.owned(pod, constraints)
      .filter(({ kind }) => kind !== 'antiAffinity')
      .map(({ key }) => key)
  }

  inverseOwned(pod: PodInfo, constraints: PodConstraints): ReferenceGroup[] {
    return constraints.requiredAntiAffinity.map((term) => this.#fromTerm(pod, constraints.tolerations, term, 'inverse'))
  }

  /** What the groups make of a target, in the order to try: some may take one domain as well as another. None where one cannot be met. */
  tighten(pod: PodInfo, constraints: PodConstraints, strict: Requirements, target: Requirements): Requirements[] {
    const groups = new Set([
      ...this.owned(pod, constraints),
      ...this.#groups.filter((group) => group.kind === 'inverse' && selectsPod(group, pod)),
    ])
    let results = [target]
    for (const group of groups) {
      const { wellKnown } = this.#options.vocabulary
      const repels = group.kind === 'antiAffinity' || group.kind === 'inverse'
      // kube-scheduler lets a pod onto nodes that lack the label, whatever it keeps away from by it.
      if (repels && target.get(group.key) === undefined && !wellKnown.has(group.key)) continue
      const podDomains = strict.get(group.key) ?? anyValue(group.key)
      const nodeDomains = target.get(group.key) ?? anyValue(group.key)
      const isAwaited = group.kind === 'inverse' && group.key !== hostnameKey && isEmpty(group)
      // Those who want to be alone keep nobody from anything before they are somewhere, since they may never be.
      if (isAwaited && target.get(group.key) === undefined && this.#isOptional(group.key)) continue
      const isPossible = (domain: string): boolean => allows(podDomains, domain) && allows(nodeDomains, domain)
      const choices = isAwaited
        ? [[...this.#offered(group.key).keys()].filter(isPossible).toSorted()]
        : choose(group, podDomains, nodeDomains, selectsPod(group, pod))
      if (isAwaited && choices[0]?.length === 0) continue
      results = results.flatMap((result) =>
        choices.flatMap((domains) => {
          const merged = mergeRequirements(result, requirementsOf(oneOf(group.key, domains)))
          return merged.get(group.key)?.values.size === 0 ? [] : [merged]
        }),
      )
    }
    return results
  }

  record(pod: PodInfo, constraints: PodConstraints, target: Target): void {
    const placed = { pod, target }
    this.#placed.push(placed)
    for (const group of this.#groups) this.#countIn(group, placed)
    for (const group of new Set(this.inverseOwned(pod, constraints))) {
      for (const value of target.requirements.get(group.key)?.values ?? []) count(group, value)
    }
  }

  #countIn(group: ReferenceGroup, { pod, target }: Placed): void {
    if (group.kind === 'inverse' || !selectsPod(group, pod)) return
    if (group.kind === 'spread' && !this.#matches(group, target)) return
    const requirement = target.requirements.get(group.key)
    if (requirement === undefined) return
    if (group.kind === 'antiAffinity') for (const value of requirement.values) count(group, value)
    else if (!requirement.complement && requirement.values.size === 1) {
      for (const value of requirement.values) count(group, value)
    }
  }

  #fromTerm(
    pod: PodInfo,
    tolerations: readonly Toleration[],
    term: PodAffinityTerm,
    kind: 'affinity' | 'antiAffinity' | 'inverse',
  ): ReferenceGroup {
    const listed = term.namespaces ?? []
    const namespaces =
      term.namespaceSelector === undefined
        ? listed.length > 0
          ? listed
          : [pod.namespace]
        : [
            ...listed,
            ...[...this.#snapshot.namespaces]
              .filter(([, labels]) => selects(term.namespaceSelector, labels))
              .map(([name]) => name),
          ]
    return this.#group({
      kind,
      key: normaliseKey(term.topologyKey, this.#options.vocabulary.aliases),
      namespaces,
      selector: term.labelSelector,
      maxSkew: 2 ** 31 - 1,
      minDomains: undefined,
      honorTaints: true,
      honorAffinity: false,
      labels: [],
      filterTolerations: tolerations,
      alternatives: [],
    })
  }

  #group(spec: Omit<ReferenceGroup, 'identity' | 'counts' | 'inhabited'>): ReferenceGroup {
    const identity = JSON.stringify([
      spec.kind,
      spec.key,
      [...new Set(spec.namespaces)].toSorted(),
      spec.selector ?? null,
      ...(spec.kind === 'spread'
        ? [
            spec.maxSkew,
            spec.honorTaints,
            spec.honorAffinity,
            onceEach(spec.labels),
            spec.minDomains ?? null,
            onceEach(spec.filterTolerations.map((toleration) => JSON.stringify(toleration))),
            onceEach(
              spec.alternatives.map(({ requirements, needed }) => `${identityOf(requirements)} ${needed.join()}`),
            ),
          ]
        : spec.kind === 'inverse' || spec.key === hostnameKey
          ? []
          : onceEach(spec.filterTolerations.map((toleration) => JSON.stringify(toleration)))),
    ])
    const known = this.#groups.find((group) => group.identity === identity)
    if (known !== undefined) {
      if (spec.kind === 'inverse') this.#know(known, spec)
      return known
    }
    const group: ReferenceGroup = { ...spec, identity, counts: new Map(), inhabited: new Set() }
    this.#know(group, group)
    if (spec.kind !== 'inverse') {
      for (const node of this.#snapshot.nodes) {
        if (node.node === undefined) continue
        const domain = spec.key === hostnameKey ? node.hostname : node.labels[spec.key]
        const requirements = labelRequirements(node.labels, this.#options.vocabulary.aliases)
        const target = { isNew: false, requirements, existing: requirements, taints: node.taints }
        if (domain === undefined || (spec.kind === 'spread' && !this.#matches(group, target))) continue
        if (!node.markedForDeletion) group.inhabited.add(domain)
        if (!node.markedForDeletion && !group.counts.has(domain)) group.counts.set(domain, 0)
        for (const pod of node.pods) {
          if (pod.phase === 'Succeeded' || pod.phase === 'Failed' || pod.deletedAt !== undefined) continue
          if (this.#excluded.has(pod) || !spec.namespaces.includes(pod.namespace)) continue
          if (selects(spec.selector, pod.labels)) count(group, domain)
        }
      }
    }
    for (const placed of this.#placed) this.#countIn(group, placed)
    this.#groups.push(group)
    return group
  }

  #matches(group: ReferenceGroup, { isNew, requirements: target, existing, taints }: Target): boolean {
    const has = (key: string): boolean => {
      const own = existing.get(key) ?? target.get(key)
      return own !== undefined && !mayBeAbsent(own)
    }
    const affine =
      !group.honorAffinity ||
      group.alternatives.some(({ requirements, needed }) => isCompatible(target, requirements) && needed.every(has))
    if (!group.labels.every((key) => has(key) || (isNew && !this.#isOptional(key)))) return false
    const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
    return affine && (!group.honorTaints || untoleratedTaints(hard, group.filterTolerations).length === 0)
  }

  #alternatives(pod: PodInfo, terms: readonly NodeSelectorTerm[]): ReferenceGroup['alternatives'] {
    const { aliases } = this.#options.vocabulary
    const selected = labelRequirements(pod.nodeSelector, aliases)
    if (terms.length === 0) return [{ requirements: selected, needed: [] }]
    return terms.flatMap((term) => {
      const { requirements, excluded, needed } = withSelector(pod.nodeSelector, term, aliases)
      return excluded.length === 0 ? [{ requirements, needed }] : []
    })
  }

  /** What pools and their types say together, type by type. */
  #statements(): { readonly pool: NodePool; readonly own: Requirements; readonly each: readonly Requirements[] }[] {
    return this.#options.pools.flatMap((pool) => {
      const list = this.#snapshot.instanceTypes.get(pool.metadata.name)
      if (list?.kind !== 'resolved' || list.types.length === 0) return []
      const { metadata, spec } = pool.spec.template
      const own = mergeRequirements(
        toRequirements(spec.requirements, this.#options.vocabulary.aliases),
        labelRequirements(metadata?.labels ?? {}, this.#options.vocabulary.aliases),
      )
      return [{ pool, own, each: list.types.map((type) => mergeRequirements(own, type.requirements)) }]
    })
  }

  /** Whether a node without the label could be made. */
  #isOptional(key: string): boolean {
    return this.#statements().some(({ each }) =>
      each.some((both) => {
        const stated = both.get(key)
        return stated === undefined || (!stated.complement && stated.values.size === 0)
      }),
    )
  }

  /** Makes the domains known that the creator of the constraint may use. */
  #know({ counts }: ReferenceGroup, spec: Omit<ReferenceGroup, 'identity' | 'counts' | 'inhabited'>): void {
    if (spec.key === hostnameKey) return
    const everywhere = spec.kind === 'spread' && !spec.honorTaints
    // Owners of an anti-affinity give up what they have against soft taints, and nobody else knows whether they did.
    const soft: Toleration[] = spec.kind === 'inverse' ? [{ operator: 'Exists', effect: 'PreferNoSchedule' }] : []
    const tolerations = [...spec.filterTolerations, ...soft]
    for (const [domain, sets] of this.#offered(spec.key)) {
      const isOpen = everywhere || sets.some((taints) => untoleratedTaints(taints, tolerations).length === 0)
      if (isOpen && !counts.has(domain)) counts.set(domain, 0)
    }
  }

  /** Domains that pools could provide, each with the taints of those that do. */
  #offered(key: string): ReadonlyMap<string, readonly (readonly Taint[])[]> {
    const reachable = new Map<string, (readonly Taint[])[]>()
    for (const { pool, own, each } of this.#statements()) {
      const { spec } = pool.spec.template
      const add = (values: Iterable<string>): void => {
        for (const value of values) {
          const taints = spec.taints ?? []
          const sets = reachable.get(value)
          if (sets === undefined || taints.length === 0) reachable.set(value, [taints])
          else if (sets[0]?.length !== 0) sets.push(taints)
        }
      }
      for (const both of each) add(both.get(key)?.values ?? [])
      const stated = own.get(key)
      if (stated !== undefined && !stated.complement) add(stated.values)
    }
    return reachable
  }
}

function selectsPod(group: ReferenceGroup, pod: PodInfo): boolean {
  return group.namespaces.includes(pod.namespace) && selects(group.selector, pod.labels)
}

function isEmpty({ counts }: ReferenceGroup): boolean {
  return [...counts.values()].every((pods) => pods === 0)
}

function count(group: ReferenceGroup, domain: string): void {
  group.counts.set(domain, (group.counts.get(domain) ?? 0) + 1)
}

/** Domains that a target may be left with, in the order to try them; several where one of them is enough. */
function choose(group: ReferenceGroup, pod: Requirement, node: Requirement, self: boolean): string[][] {
  const single =
    group.key === hostnameKey && !node.complement && node.values.size === 1 ? [...node.values][0] : undefined
  const domains = [...group.counts.keys()].toSorted()
  const countOf = (domain: string): number => group.counts.get(domain) ?? 0
  const own = self ? 1 : 0
  const all = (list: string[]): string[][] => (list.length === 0 ? [] : [list])
  switch (group.kind) {
    case 'spread': {
      if (single !== undefined) return countOf(single) + own <= group.maxSkew ? [[single]] : []
      const isThere = (domain: string): boolean => group.inhabited.has(domain) || countOf(domain) > 0
      const eligible = domains.filter((domain) => allows(pod, domain) || (!group.honorAffinity && isThere(domain)))
      let minimum = Math.min(2 ** 31 - 1, ...eligible.map(countOf))
      if (group.key === hostnameKey) minimum = 0
      if (group.minDomains !== undefined && eligible.length < group.minDomains) minimum = 0
      const possible = domains
        .filter((domain) => allows(node, domain) && countOf(domain) + own - minimum <= group.maxSkew)
        .toSorted((a, b) => countOf(a) - countOf(b))
      return possible.map((domain) => [domain])
    }
    case 'affinity': {
      const occupied = domains.filter((domain) => countOf(domain) > 0)
      const bootstraps = self && !occupied.some((domain) => allows(pod, domain))
      if (single !== undefined) return allows(pod, single) && (countOf(single) > 0 || bootstraps) ? [[single]] : []
      const joinable = occupied.filter((domain) => allows(pod, domain) && allows(node, domain))
      if (joinable.length > 0 || !bootstraps) return all(joinable)
      return domains.filter((domain) => allows(pod, domain) && allows(node, domain)).map((domain) => [domain])
    }
    case 'antiAffinity':
    case 'inverse':
      if (single !== undefined) return countOf(single) === 0 ? [[single]] : []
      return all(domains.filter((domain) => countOf(domain) === 0 && allows(node, domain) && allows(pod, domain)))
  }
}

function onceEach(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted()
}

function identityOf(set: Requirements): string {
  return [...set.values()]
    .map(({ key, complement, values, lowest, highest }) =>
      JSON.stringify([key, complement, [...values].toSorted(), String(lowest), String(highest)]),
    )
    .toSorted()
    .join()
}
