import { labelHostname } from '../../api/labels.ts'
import type { GroupSpec } from './group-spec.ts'

/** Counts as they are before a solve, shared between solves and never changed. */
export interface BaseCounts {
  /** Domains known with their counts; empty for hostnames. */
  readonly domains: ReadonlyMap<string, number>
  /** By host id; empty for other keys. */
  readonly hosts: Int32Array
}

export const noHosts = new Int32Array(0)

/** A constraint with its counts, in one solve. */
export class TopologyGroup {
  readonly spec: GroupSpec
  readonly onHostname: boolean
  /** Grows with every change, so that what was worked out can be told from what is stale. */
  version = 0
  /** Pods per known domain, zeros included; unused for hostnames. */
  readonly domains: Map<string, number>
  #hosts: Int32Array
  #ownsHosts = false
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
    this.domains = new Map(base.domains)
    this.#hosts = base.hosts
    for (const count of this.domains.values()) if (count > 0) this.#occupied += 1
    for (let host = 0; host < base.hosts.length; host += 1) if ((base.hosts[host] ?? 0) > 0) this.#occupied += 1
  }

  /** Whether any domain has a pod. */
  get isEmpty(): boolean {
    return this.#occupied === 0
  }

  onHost(host: number): number {
    return host < this.#hosts.length ? (this.#hosts[host] ?? 0) : 0
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
    for (let host = 0; host < this.#hosts.length; host += 1) if ((this.#hosts[host] ?? 0) > 0) found.push(host)
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
    if (!this.#ownsHosts || host >= this.#hosts.length) {
      const grown = new Int32Array(
        Math.max(this.#hosts.length, host + 1, host >= this.#hosts.length ? 2 * host + 64 : 0),
      )
      grown.set(this.#hosts)
      this.#hosts = grown
      this.#ownsHosts = true
    }
    const before = this.#hosts[host] ?? 0
    const after = before + pods
    this.#hosts[host] = after
    if (before === 0 && after > 0) this.#occupied += 1
    if (before > 0 && after === 0) this.#occupied -= 1
    if (host >= this.#firstClaimHost) {
      if (before > 0) this.#claimsWith[before] = (this.#claimsWith[before] ?? 0) - 1
      this.#claimsWith[after] = (this.#claimsWith[after] ?? 0) + 1
    }
    this.version += 1
  }
}
