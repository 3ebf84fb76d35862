import { labelHostname } from '../../api/labels.ts'
import type { GroupSpec } from './group-spec.ts'
import type { HostCounts } from './host-tally.ts'

/** What a group starts from in one solve. */
interface BaseCounts {
  /** Domains known with their counts, the group's own from now on; empty for hostnames. */
  readonly domains: Map<string, number>
  /** Empty for other keys. */
  readonly hosts: HostCounts
}

/** A simulation moves the pods of a node or two: copying the counts of thousands of hosts for that would be most of its work. */
const fewChanges = 32

/** A constraint with its counts, in one solve. */
export class TopologyGroup {
  readonly spec: GroupSpec
  readonly onHostname: boolean
  /** Grows with every change, so that what was worked out can be told from what is stale. */
  version = 0
  /** Pods per known domain, zeros included; unused for hostnames. */
  readonly domains: Map<string, number>
  readonly #baseHosts: HostCounts
  /** What differs from the base, as long as that is little; then all counts of its own. */
  #changedHosts: Map<number, number> | undefined
  #ownHosts: Int32Array | undefined
  /** Hosts with a count, and domains with a count. */
  #occupied = 0
  /** Hosts from here on are those of claims, not of nodes. */
  readonly #firstClaimHost: number
  /** Claims by their count, from one on. */
  readonly #claimsWith: number[] = []

  constructor(spec: GroupSpec, base: BaseCounts, firstClaimHost: number) {
    this.#firstClaimHost = firstClaimHost
    this.spec = spec
    this.onHostname = spec.key === labelHostname
    this.domains = base.domains
    this.#baseHosts = base.hosts
    this.#occupied = base.hosts.occupied
    for (const count of this.domains.values()) if (count > 0) this.#occupied += 1
  }

  /** Whether any domain has a pod. */
  get isEmpty(): boolean {
    return this.#occupied === 0
  }

  onHost(host: number): number {
    if (this.#ownHosts !== undefined) return host < this.#ownHosts.length ? (this.#ownHosts[host] ?? 0) : 0
    return this.#changedHosts?.get(host) ?? this.#baseHosts.on(host)
  }

  /** How many claims have more than so many pods of the group. */
  claimsAbove(most: number): number {
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

  /** Counts a domain that was not known from here on. */
  register(domain: string): void {
    if (this.domains.has(domain)) return
    this.domains.set(domain, 0)
    this.version += 1
  }

  forget(domain: string): void {
    if (this.domains.delete(domain)) this.version += 1
  }

  add(domain: string, pods: number): void {
    const before = this.domains.get(domain) ?? 0
    const after = before + pods
    this.domains.set(domain, after)
    if (before === 0 && after > 0) this.#occupied += 1
    if (before > 0 && after === 0) this.#occupied -= 1
    this.version += 1
  }

  addOnHost(host: number, pods: number): void {
    const before = this.onHost(host)
    const after = before + pods
    this.#setHost(host, after)
    if (before === 0 && after > 0) this.#occupied += 1
    if (before > 0 && after === 0) this.#occupied -= 1
    if (host >= this.#firstClaimHost) {
      if (before > 0) this.#claimsWith[before] = (this.#claimsWith[before] ?? 0) - 1
      this.#claimsWith[after] = (this.#claimsWith[after] ?? 0) + 1
    }
    this.version += 1
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
    const changed = [...(this.#changedHosts ?? [])]
    const hosts = new Int32Array(Math.max(this.#firstClaimHost, ...changed.map(([host]) => host + 1)))
    this.#baseHosts.copyTo(hosts)
    for (const [host, count] of changed) hosts[host] = count
    this.#ownHosts = hosts
    return hosts
  }
}
