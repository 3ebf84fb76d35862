import { labelOf } from '../../model/label-selector.ts'
import type { ClusterIndex } from '../cluster-index.ts'
import type { StandingCounts, StandingInverse, TopologyCounts } from './counting.ts'
import type { BaseCounts, TopologyGroup } from './group.ts'
import type { GroupSpec } from './group-spec.ts'
import { noHosts } from './host-tally.ts'
import type { MovedPods } from './moved-pods.ts'
import type { SolveGroups } from './solve-groups.ts'

const none: ReadonlySet<string> = new Set()

/** How what runs already lies across domains for one solve: pods that it places anew do not count, nor do nodes that it takes away. */
export class SolveCounts {
  readonly #context: { readonly cluster: ClusterIndex; readonly counts: TopologyCounts }
  readonly #moved: MovedPods
  readonly #excludedNodes: ReadonlySet<number>

  constructor(
    context: { readonly cluster: ClusterIndex; readonly counts: TopologyCounts },
    without: { readonly moved: MovedPods; readonly excludedNodes: ReadonlySet<number> },
  ) {
    this.#context = context
    this.#moved = without.moved
    this.#excludedNodes = without.excludedNodes
  }

  /** Of running pods that the group selects. `groups`: all of its kind. */
  selectedBy(group: TopologyGroup, groups: SolveGroups): BaseCounts {
    const { spec } = group
    const { counts, cluster } = this.#context
    const standing = counts.standing(spec)
    const leaving = this.#moved.countedBy(group, groups).filter((node) => standing.matches(node))
    if (group.onHostname) {
      return {
        domains: new Map(),
        withNodes: none,
        hosts: standing.hosts,
        left: leaving.map((node) => cluster.hostIDs[node] ?? 0),
      }
    }
    const left = new Map<string, number>()
    const domainOf = cluster.objectDomains(spec.key)
    for (const node of leaving) count(left, domainOf[node])
    return { ...this.#domainsOf(spec, standing, left), hosts: noHosts, left: [] }
  }

  /** `left`: how many of the counted pods are about to be placed elsewhere, by domain. */
  #domainsOf(
    spec: GroupSpec,
    standing: StandingCounts,
    left: ReadonlyMap<string, number>,
  ): Pick<BaseCounts, 'domains' | 'withNodes'> {
    const { cluster } = this.#context
    const gone = new Map<string, number>()
    const domainOf = cluster.objectDomains(spec.key)
    for (const index of this.#excludedNodes) {
      const node = cluster.nodes[index]
      if (node?.node === undefined || node.markedForDeletion || !standing.matches(index)) continue
      count(gone, domainOf[index])
    }
    const domains = new Map<string, number>()
    for (const domain of standing.universe) domains.set(domain, 0)
    const withNodes = new Set<string>()
    for (const [domain, nodes] of standing.nodes) if (nodes > (gone.get(domain) ?? 0)) withNodes.add(domain)
    for (const domain of withNodes) domains.set(domain, 0)
    for (const [domain, pods] of standing.pods) {
      const staying = pods - (left.get(domain) ?? 0)
      if (staying > 0) domains.set(domain, staying)
    }
    return { domains, withNodes }
  }

  /** Of running pods that own an anti-affinity. */
  owners(spec: GroupSpec, standing: StandingInverse | undefined): BaseCounts {
    const { counts, cluster } = this.#context
    const domains = new Map<string, number>()
    for (const each of standing?.specs ?? []) for (const domain of counts.universe(each)) domains.set(domain, 0)
    for (const domain of counts.universe(spec)) domains.set(domain, 0)
    const onHosts = standing === undefined ? undefined : counts.ownersOnHosts(standing)
    if (onHosts === undefined) {
      for (const { pod, node } of standing?.owners ?? []) {
        const domain = labelOf(cluster.nodes[node]?.labels ?? {}, spec.key)
        if (domain !== undefined && !this.#moved.has(pod, node)) count(domains, domain)
      }
      return { domains, withNodes: none, hosts: noHosts, left: [] }
    }
    const left: number[] = []
    for (const node of this.#moved.nodes) {
      for (const pod of onHosts.byNode.get(node) ?? []) {
        if (this.#moved.has(pod, node)) left.push(cluster.hostIDs[node] ?? 0)
      }
    }
    return { domains, withNodes: none, hosts: onHosts.hosts, left }
  }

  /** Of those that are not about to be placed elsewhere. */
  firstOwner({ owners }: StandingInverse): StandingInverse['owners'][number] | undefined {
    for (const owner of owners) if (!this.#moved.has(owner.pod, owner.node)) return owner
    return undefined
  }
}

function count(into: Map<string, number>, domain: string | undefined): void {
  if (domain !== undefined) into.set(domain, (into.get(domain) ?? 0) + 1)
}
