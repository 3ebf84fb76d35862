import { labelHostname } from '../../api/labels.ts'
import type { GroupSpec } from './group-spec.ts'
import type { HostCounts } from './host-tally.ts'

/** What a group starts from in one solve. */
export interface BaseCounts {
  /** Domains known with their counts, zeros included, the group's own from now on; empty for hostnames. */
  readonly domains: Map<string, number>
  /** Domains in which there is a node, be it without a pod. */
  readonly withNodes: ReadonlySet<string>
  /** Empty for other keys. */
  readonly hosts: HostCounts
  /** Hosts of pods among these that are about to be placed elsewhere; more than once where more than one is. */
  readonly left: readonly number[]
}

/** A simulation moves the pods of a node or two: copying the counts of thousands of hosts for that would be most of its work. */
const fewChanges = 32

/**
 * A constraint with its counts, in one solve. What it starts from is counted when it is first asked for: where pods only ever meet new
 * nodes, how many of the group run on which of the others is never asked.
 */
export class TopologyGroup {
  readonly spec: GroupSpec
  readonly onHostname: boolean
  #base: BaseCounts | undefined
  readonly #countBase: () => BaseCounts
  /** What differs from the base, as long as that is little; then all counts of its own. */
  #changedHosts: Map<number, number> | undefined
  #ownHosts: Int32Array | undefined
  /** Hosts with a count, and domains with a count; without the base until that is known. */
  #occupied = 0
  /** Hosts from here on are those of claims, not of nodes. */
  readonly #firstClaimHost: number
  /** Claims by their count, from one on. */
  #claimsWith: number[] | undefined
  #answers: Map<number, number> | undefined

  constructor(spec: GroupSpec, firstClaimHost: number, countBase: () => BaseCounts) {
    this.#firstClaimHost = firstClaimHost
    this.spec = spec
    this.onHostname = spec.key === labelHostname
    this.#countBase = countBase
  }

  /** Counts what it starts from; false where that is known. */
  count(): boolean {
    if (this.#base !== undefined) return false
    this.#counted()
    return true
  }

  /** Pods per known domain, zeros included; empty for hostnames. */
  get domains(): ReadonlyMap<string, number> {
    return this.#counted().domains
  }

  /** Whether a node is in the domain, rather than could be made there. */
  hasNode(domain: string): boolean {
    const { domains, withNodes } = this.#counted()
    return withNodes.has(domain) || (domains.get(domain) ?? 0) > 0
  }

  /** Whether any domain has a pod. */
  get isEmpty(): boolean {
    this.#counted()
    return this.#occupied === 0
  }

  /** What somebody worked out from the counts as they are, by a number for the question. */
  get answers(): Map<number, number> {
    return (this.#answers ??= new Map())
  }

  onHost(host: number): number {
    if (host < this.#firstClaimHost) this.#counted()
    if (this.#ownHosts !== undefined) return host < this.#ownHosts.length ? (this.#ownHosts[host] ?? 0) : 0
    return this.#changedHosts?.get(host) ?? this.#base?.hosts.on(host) ?? 0
  }

  /** How many claims have more than so many pods of the group. */
  claimsAbove(most: number): number {
    if (this.#claimsWith === undefined) return 0
    let claims = 0
    for (let count = most + 1; count < this.#claimsWith.length; count += 1) claims += this.#claimsWith[count] ?? 0
    return claims
  }

  /** Host ids with a count, ascending. */
  occupiedHosts(): number[] {
    const found: number[] = []
    const hosts = this.#ownHosts ?? this.#ownAll()
    for (let host = 0; host < hosts.length; host += 1) if ((hosts[host] ?? 0) > 0) found.push(host)
    return found
  }

  /** One pod more. */
  add(domain: string): void {
    const { domains } = this.#counted()
    const before = domains.get(domain) ?? 0
    domains.set(domain, before + 1)
    if (before === 0) this.#occupied += 1
    this.#answers?.clear()
  }

  /** Domains in which there may be no pod. */
  know(domains: readonly string[]): void {
    const { domains: known } = this.#counted()
    for (const domain of domains) if (!known.has(domain)) known.set(domain, 0)
    this.#answers?.clear()
  }

  addOnHost(host: number, pods: number): void {
    const before = this.onHost(host)
    const after = before + pods
    this.#setHost(host, after)
    if (before === 0 && after > 0) this.#occupied += 1
    if (before > 0 && after === 0) this.#occupied -= 1
    if (host >= this.#firstClaimHost) {
      const claimsWith = (this.#claimsWith ??= [])
      if (before > 0) claimsWith[before] = (claimsWith[before] ?? 0) - 1
      claimsWith[after] = (claimsWith[after] ?? 0) + 1
    }
    this.#answers?.clear()
  }

  #counted(): BaseCounts {
    if (this.#base !== undefined) return this.#base
    const base = this.#countBase()
    this.#base = base
    this.#occupied += base.hosts.occupied
    for (const count of base.domains.values()) if (count > 0) this.#occupied += 1
    for (const host of base.left) this.addOnHost(host, -1)
    return base
  }

  #setHost(host: number, count: number): void {
    if (this.#ownHosts === undefined) {
      this.#changedHosts ??= new Map()
      if (this.#changedHosts.size < fewChanges) {
        this.#changedHosts.set(host, count)
        return
      }
    }
    let hosts = this.#ownHosts ?? this.#ownAll()
    if (host >= hosts.length) {
      const grown = new Int32Array(2 * host + 64)
      grown.set(hosts)
      hosts = grown
      this.#ownHosts = grown
    }
    hosts[host] = count
  }

  #ownAll(): Int32Array {
    const base = this.#counted()
    if (this.#ownHosts !== undefined) return this.#ownHosts
    const changed = [...(this.#changedHosts ?? [])]
    const hosts = new Int32Array(Math.max(this.#firstClaimHost, ...changed.map(([host]) => host + 1)))
    base.hosts.copyTo(hosts)
    for (const [host, count] of changed) hosts[host] = count
    this.#ownHosts = hosts
    return hosts
  }
}
