import type { Lease } from '../api/kubernetes.ts'

interface Seen {
  /** Holder and time of acquisition: another one begins to count anew. */
  readonly term: string
  readonly version: string | undefined
  readonly renewals: number
}

/**
 * How many looks in a row have to find a lease renewed under one holder. One that only tries its luck holds its lease for about one
 * lease duration, the time between two looks; so two tell who stays.
 */
const renewalsOfRival = 2

/** Tells, from looks one lease duration apart, whether another installation keeps a lease of our name. */
export class RivalLeases {
  #seen: ReadonlyMap<string, Seen> = new Map()

  /** The namespace of the one that does; `leases` are those of the other namespaces that have a holder. */
  look(leases: readonly Lease[]): string | undefined {
    const seen = new Map(leases.map((lease) => [lease.metadata.uid ?? '', this.#next(lease)]))
    this.#seen = seen
    return leases.find(({ metadata }) => (seen.get(metadata.uid ?? '')?.renewals ?? 0) >= renewalsOfRival)?.metadata
      .namespace
  }

  #next({ metadata, spec }: Lease): Seen {
    const before = this.#seen.get(metadata.uid ?? '')
    const term = `${spec?.holderIdentity ?? ''} ${spec?.acquireTime ?? ''}`
    const version = metadata.resourceVersion
    if (before?.term !== term) return { term, version, renewals: 0 }
    return { term, version, renewals: before.version === version ? 0 : before.renewals + 1 }
  }
}
