/** Pods by host, as they are before a solve: shared between solves and never changed by them. */
export interface HostCounts {
  /** How many hosts have a count. */
  readonly occupied: number
  on(host: number): number
  /** Copies the counts to where they belong by host id. */
  copyTo(counts: Int32Array): void
}

/** Counts pods by host id. A workload is on few of many hosts, mostly, and a list of those is kept until an array would be smaller. */
export class HostTally implements HostCounts {
  readonly #hosts: number
  #few: Map<number, number> | undefined = new Map()
  #counts: Int32Array | undefined
  #occupied = 0

  constructor(hosts: number) {
    this.#hosts = hosts
  }

  get occupied(): number {
    return this.#occupied
  }

  on(host: number): number {
    if (this.#counts === undefined) return this.#few?.get(host) ?? 0
    return host < this.#counts.length ? (this.#counts[host] ?? 0) : 0
  }

  add(host: number, pods: number): void {
    const before = this.on(host)
    if (before === 0) this.#occupied += 1
    if (this.#few !== undefined && this.#occupied * entryInCounts > this.#hosts) this.#spreadOut(this.#few)
    if (this.#counts === undefined) this.#few?.set(host, before + pods)
    else this.#counts[host] = before + pods
  }

  copyTo(counts: Int32Array): void {
    if (this.#counts !== undefined) counts.set(this.#counts)
    for (const [host, count] of this.#few ?? []) counts[host] = count
  }

  #spreadOut(few: ReadonlyMap<number, number>): void {
    this.#counts = new Int32Array(this.#hosts)
    for (const [host, count] of few) this.#counts[host] = count
    this.#few = undefined
  }
}

/** An entry of the list takes about as much memory as so many counts of the array. */
const entryInCounts = 8

export const noHosts: HostCounts = new HostTally(0)
