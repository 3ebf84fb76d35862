import { labelHostname } from '../../api/labels.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { PodInfo } from '../../model/pod.ts'
import { oneOf } from '../../model/requirement.ts'
import { untoleratedTaints } from '../../model/taints.ts'
import { type ClusterIndex, nodesPerSlice } from '../cluster-index.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import { type GroupSpec, inverseGroups, type NodeFilter } from './group-spec.ts'
import { type HostCounts, HostTally, noHosts } from './host-tally.ts'
import type { DomainUniverse } from './universe.ts'

/** What running pods and nodes contribute to a group. Excluding pods and nodes subtracts from it. */
export interface StandingCounts {
  /** Pods by domain. */
  readonly pods: ReadonlyMap<string, number>
  readonly hosts: HostCounts
  /** Matching nodes by domain: they make a domain known though no pod is there. */
  readonly nodes: ReadonlyMap<string, number>
  readonly universe: readonly string[]
  readonly matches: (node: number) => boolean
}

const noDomains: ReadonlyMap<string, number> = new Map()

/** A running pod's required anti-affinity. */
interface InverseOwner {
  readonly pod: PodInfo
  readonly node: number
  /** The group as this pod would create it. */
  readonly spec: GroupSpec
}

export interface StandingInverse {
  readonly spec: GroupSpec
  readonly owners: readonly InverseOwner[]
}

/** Where the owners of a group over hostnames run. A pod that says the same thing twice is there twice. */
interface OwnersOnHosts {
  readonly hosts: HostCounts
  /** By position of the node. */
  readonly byNode: ReadonlyMap<number, readonly PodInfo[]>
}

/** Counts over the whole snapshot, worked out once per constraint and shared by all solves on it. */
export class TopologyCounts {
  readonly #cluster: ClusterIndex
  readonly #requirements: RequirementSpace
  readonly #universe: DomainUniverse
  /** Of an ordinary group. */
  readonly standing = byIdentity((spec: GroupSpec) => this.#standingOf(spec))
  readonly #standing = new Map<string, StandingCounts>()
  /** Where the owners of a group over hostnames run; undefined for other groups. */
  readonly ownersOnHosts = byIdentity((standing: StandingInverse) => this.#ownersOnHostsOf(standing))
  readonly #nodeDomains = new Map<string, ReadonlyMap<string, number>>()
  readonly #domains = new Map<string, readonly string[]>()
  readonly #domainSets = new Map<string, SetID>()
  /** By target; `all` of a filter that lets every node count. */
  readonly #verdicts = byIdentity((filter: NodeFilter): 'all' | Map<number, boolean> => {
    const anywhere =
      !filter.honorAffinity ||
      filter.alternatives.some((alternative) => this.#requirements.intern(alternative) === this.#requirements.empty)
    return anywhere && !filter.honorTaints ? 'all' : new Map()
  })

  constructor(cluster: ClusterIndex, requirements: RequirementSpace, universe: DomainUniverse) {
    this.#cluster = cluster
    this.#requirements = requirements
    this.#universe = universe
  }

  #standingOf(spec: GroupSpec): StandingCounts {
    const filter = spec.filter
    const key = `${spec.identity}${filter === undefined ? '' : filterText(filter, this.#requirements)}`
    const known = this.#standing.get(key)
    if (known !== undefined) return this.#withUniverse(known, spec)
    const matches = this.nodeMatcher(filter)
    const onHostname = spec.key === labelHostname
    const pods = new Map<string, number>()
    const hosts = onHostname ? new HostTally(this.#cluster.hostnames.length) : undefined
    for (const bound of this.#cluster.boundPods(spec.namespaces, spec.selector)) {
      for (const [index, count] of bound.nodes) {
        if (!matches(index)) continue
        if (hosts !== undefined) hosts.add(this.#cluster.hostIDs[index] ?? 0, count)
        else {
          const domain = this.#cluster.objectLabels(index)[spec.key]
          if (domain !== undefined) pods.set(domain, (pods.get(domain) ?? 0) + count)
        }
      }
    }
    const domains = onHostname ? noDomains : this.#nodesByDomain(spec, matches)
    const standing = { pods, hosts: hosts ?? noHosts, nodes: domains, universe: [], matches }
    this.#standing.set(key, standing)
    return this.#withUniverse(standing, spec)
  }

  #ownersOnHostsOf({ spec, owners }: StandingInverse): OwnersOnHosts | undefined {
    if (spec.key !== labelHostname) return undefined
    const hosts = new HostTally(this.#cluster.hostnames.length)
    const byNode = new Map<number, PodInfo[]>()
    for (const { pod, node } of owners) {
      if (this.#cluster.nodes[node]?.labels[labelHostname] === undefined) continue
      hosts.add(this.#cluster.hostIDs[node] ?? 0, 1)
      const pods = byNode.get(node)
      if (pods === undefined) byNode.set(node, [pod])
      else pods.push(pod)
    }
    return { hosts, byNode }
  }

  /** Active nodes by what they say for the key: the same for all groups with the same key and filter. */
  #nodesByDomain(spec: GroupSpec, matches: (node: number) => boolean): ReadonlyMap<string, number> {
    const text = `${spec.key}\n${spec.filter === undefined ? '' : filterText(spec.filter, this.#requirements)}`
    const known = this.#nodeDomains.get(text)
    if (known !== undefined) return known
    const domains = new Map<string, number>()
    for (const [index, { node, markedForDeletion }] of this.#cluster.nodes.entries()) {
      const domain = this.#cluster.objectLabels(index)[spec.key]
      if (node === undefined || markedForDeletion || domain === undefined || !matches(index)) continue
      domains.set(domain, (domains.get(domain) ?? 0) + 1)
    }
    this.#nodeDomains.set(text, domains)
    return domains
  }

  /** Domains that pools could provide, as far as the group's creator may use them. */
  readonly universe = byIdentity((spec: GroupSpec) => this.#universeOf(spec))

  #universeOf(spec: GroupSpec): readonly string[] {
    if (spec.key === labelHostname) return []
    const honorTaints = spec.filter === undefined || spec.filter.honorTaints
    const key = `${spec.key}\n${honorTaints ? JSON.stringify(spec.tolerations) : ''}`
    let domains = this.#domains.get(key)
    if (domains === undefined) {
      domains = this.#universe.domains(spec.key, honorTaints ? spec.tolerations : undefined)
      this.#domains.set(key, domains)
    }
    return domains
  }

  nodeMatcher(filter: NodeFilter | undefined): (node: number) => boolean {
    if (filter === undefined) return () => true
    const byTaints = new Map<number, boolean>()
    const tolerated = (node: number): boolean => {
      const id = this.#cluster.objectTaintsIDs[node] ?? 0
      let verdict = byTaints.get(id)
      if (verdict === undefined) {
        verdict = untoleratedTaints(this.#cluster.taints(id), filter.tolerations).length === 0
        byTaints.set(id, verdict)
      }
      return verdict
    }
    const alternatives = filter.alternatives.map((alternative) => this.#requirements.intern(alternative))
    const anywhere = !filter.honorAffinity || alternatives.includes(this.#requirements.empty)
    const keys = new Set(filter.alternatives.flatMap((alternative) => [...alternative.keys()]))
    const sets = anywhere ? [] : this.#cluster.nodeSets(keys, 'object')
    const affine = (node: number): boolean => {
      const set = sets[node] ?? this.#requirements.empty
      return anywhere || alternatives.some((alternative) => this.#requirements.strictlyCompatible(set, alternative))
    }
    return (node) => affine(node) && (!filter.honorTaints || tolerated(node))
  }

  /** Whether a target with these requirements and taints counts for the group. */
  passesFilter(spec: GroupSpec, target: { readonly set: SetID; readonly taintsID: number }): boolean {
    const { filter } = spec
    if (filter === undefined) return true
    const verdicts = this.#verdicts(filter)
    if (verdicts === 'all') return true
    const key = target.set * idRange + target.taintsID
    let verdict = verdicts.get(key)
    if (verdict === undefined) {
      verdict = this.#matchesFilter(filter, target)
      verdicts.set(key, verdict)
    }
    return verdict
  }

  #matchesFilter(filter: NodeFilter, { set, taintsID }: { readonly set: SetID; readonly taintsID: number }): boolean {
    const requirements = this.#requirements
    const affine =
      !filter.honorAffinity ||
      filter.alternatives.some((alternative) => requirements.strictlyCompatible(set, requirements.intern(alternative)))
    if (!affine || !filter.honorTaints) return affine
    return untoleratedTaints(this.#cluster.taints(taintsID), filter.tolerations).length === 0
  }

  /** The set that says which of the domains a target is in. */
  domainSet(key: string, domains: readonly string[]): SetID {
    const text = `${key}\n${domains.length === 1 ? domains[0] : domains.join('\n')}`
    let set = this.#domainSets.get(text)
    if (set === undefined) {
      set = this.#requirements.intern(new Map([[key, oneOf(key, domains)]]))
      this.#domainSets.set(text, set)
    }
    return set
  }

  #withUniverse(standing: StandingCounts, spec: GroupSpec): StandingCounts {
    const universe = this.universe(spec)
    return universe === standing.universe ? standing : { ...standing, universe }
  }
}

/** Groups of all running pods with required anti-affinity, by identity, in node and pod order. */
export function* standingInverseGroups(
  cluster: ClusterIndex,
  namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Generator<undefined, ReadonlyMap<string, StandingInverse>, undefined> {
  const specs = new Map<string, readonly GroupSpec[]>()
  const groups = new Map<string, { spec: GroupSpec; owners: InverseOwner[] }>()
  for (const [node, { pods }] of cluster.nodes.entries()) {
    for (const pod of pods) {
      const terms = pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      if (terms === undefined || terms.length === 0) continue
      // Pods of one deployment say the same: what it means is worked out once.
      const text = `${pod.namespace}${JSON.stringify(terms)}${JSON.stringify(pod.tolerations)}`
      const found = specs.get(text) ?? inverseGroups(pod, terms, pod.tolerations, { namespaces })
      specs.set(text, found)
      for (const spec of found) {
        const known = groups.get(spec.identity)
        if (known === undefined) groups.set(spec.identity, { spec, owners: [{ pod, node, spec }] })
        else known.owners.push({ pod, node, spec })
      }
    }
    if (node % nodesPerSlice === nodesPerSlice - 1) yield
  }
  return groups
}

function filterText(filter: NodeFilter, requirements: RequirementSpace): string {
  const alternatives = filter.alternatives.map((alternative) => requirements.intern(alternative))
  return JSON.stringify([filter.honorAffinity, filter.honorTaints, filter.tolerations, alternatives])
}

/** More taint lists than one snapshot can have, and few enough for a list and a set to make an exact integer. */
const idRange = 2 ** 22
