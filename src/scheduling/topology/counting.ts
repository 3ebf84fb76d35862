import type { Toleration } from '../../api/kubernetes.ts'
import { labelHostname } from '../../api/labels.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { PodInfo } from '../../model/pod.ts'
import { oneOf } from '../../model/requirement.ts'
import type { Sliced } from '../../model/sliced.ts'
import { type ClusterIndex, nodesPerSlice } from '../cluster-index.ts'
import { softToleration } from '../pod-constraints.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import { runningPods } from '../running-pods.ts'
import { type GroupOptions, type GroupSpec, inverseGroups } from './group-spec.ts'
import { type HostCounts, HostTally, noHosts } from './host-tally.ts'
import { type FilterVerdicts, NodeFilters } from './node-filters.ts'
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
  /** Of all owners: they differ where the identity does not tell. */
  readonly specs: ReadonlySet<GroupSpec>
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
  readonly filters: NodeFilters
  /** Of an ordinary group. */
  readonly standing = byIdentity((spec: GroupSpec) => this.#standingOf(spec))
  readonly #standing = new Map<string, StandingCounts>()
  /** Where the owners of a group over hostnames run; undefined for other groups. */
  readonly ownersOnHosts = byIdentity((standing: StandingInverse) => this.#ownersOnHostsOf(standing))
  readonly #nodeDomains = new Map<string, ReadonlyMap<string, number>>()
  readonly #domains = new Map<string, readonly string[]>()
  readonly #domainSets = new Map<string, SetID>()

  constructor(cluster: ClusterIndex, requirements: RequirementSpace, universe: DomainUniverse) {
    this.#cluster = cluster
    this.#requirements = requirements
    this.#universe = universe
    this.filters = new NodeFilters(cluster, requirements, universe)
  }

  #standingOf(spec: GroupSpec): StandingCounts {
    const filter = this.filters.of(spec.filter)
    const key = `${spec.identity}${filter.text}`
    const known = this.#standing.get(key)
    if (known !== undefined) return this.#withUniverse(known, spec)
    const matches = filter.node
    const onHostname = spec.key === labelHostname
    const pods = new Map<string, number>()
    const hosts = onHostname ? new HostTally(this.#cluster.hostnames.length) : undefined
    const domainOf = onHostname ? [] : this.#cluster.objectDomains(spec.key)
    for (const bound of this.#cluster.boundPods(spec.namespaces, spec.selector)) {
      for (const [place, index] of bound.nodes.entries()) {
        if (!matches(index)) continue
        const count = bound.counts[place] ?? 0
        if (hosts !== undefined) hosts.add(this.#cluster.hostIDs[index] ?? 0, count)
        else {
          const domain = domainOf[index]
          if (domain !== undefined) pods.set(domain, (pods.get(domain) ?? 0) + count)
        }
      }
    }
    const domains = onHostname ? noDomains : this.#nodesByDomain(spec.key, filter)
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
  #nodesByDomain(key: string, filter: FilterVerdicts): ReadonlyMap<string, number> {
    const text = `${key}\n${filter.text}`
    const known = this.#nodeDomains.get(text)
    if (known !== undefined) return known
    const domains = new Map<string, number>()
    const domainOf = this.#cluster.objectDomains(key)
    for (const [index, { node, markedForDeletion }] of this.#cluster.nodes.entries()) {
      const domain = domainOf[index]
      if (node === undefined || markedForDeletion || domain === undefined || !filter.node(index)) continue
      domains.set(domain, (domains.get(domain) ?? 0) + 1)
    }
    this.#nodeDomains.set(text, domains)
    return domains
  }

  /** Domains that pools could provide, as far as the group's creator may use them. */
  readonly universe = byIdentity((spec: GroupSpec) => this.#universeOf(spec))

  #universeOf(spec: GroupSpec): readonly string[] {
    if (spec.key === labelHostname) return []
    // Who finds no other place tolerates soft taints in the end, and those whom it keeps away do not know whether it did.
    if (spec.inverse) return this.#domainsFor(spec.key, [...spec.tolerations, softToleration])
    const honorTaints = spec.filter === undefined || spec.filter.honorTaints
    return this.#domainsFor(spec.key, honorTaints ? spec.tolerations : undefined)
  }

  #domainsFor(key: string, tolerations: readonly Toleration[] | undefined): readonly string[] {
    const text = `${key}\n${tolerations === undefined ? '' : JSON.stringify(tolerations)}`
    let domains = this.#domains.get(text)
    if (domains === undefined) {
      domains = this.#universe.domains(key, tolerations)
      this.#domains.set(text, domains)
    }
    return domains
  }

  /** Domains that pools could provide, whoever may use them. In byte order. */
  possible(key: string): readonly string[] {
    return this.#domainsFor(key, undefined)
  }

  /** Whether pools could provide nodes without the label. */
  isOptional(key: string): boolean {
    return this.#universe.isOptional(key)
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
  options: Pick<GroupOptions, 'aliases' | 'namespaces'>,
): Sliced<ReadonlyMap<string, StandingInverse>> {
  const specs = new Map<string, readonly GroupSpec[]>()
  const groups = new Map<string, { spec: GroupSpec; owners: InverseOwner[]; specs: Set<GroupSpec> }>()
  for (const [node, { pods }] of cluster.nodes.entries()) {
    for (const { pod, text } of runningPods(pods).apart) {
      // Pods of one deployment say the same: what it means is worked out once.
      let found = specs.get(text)
      if (found === undefined) {
        const terms = pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
        found = inverseGroups(pod, terms, pod.tolerations, options)
        specs.set(text, found)
      }
      for (const spec of found) {
        const known = groups.get(spec.identity)
        if (known === undefined) {
          groups.set(spec.identity, { spec, owners: [{ pod, node, spec }], specs: new Set([spec]) })
        } else {
          known.owners.push({ pod, node, spec })
          known.specs.add(spec)
        }
      }
    }
    if (node % nodesPerSlice === nodesPerSlice - 1) yield
  }
  return groups
}
