/** NodeClaims of one pool by what becomes of them; the three sets are disjoint. */
export interface ClaimCounts {
  readonly active: number
  readonly pendingDisruption: number
  readonly deleting: number
}

type ClaimState = 'active' | 'pendingDisruption' | 'deleting'

/** Counts claims per pool and hands out room under a limit on their number, so that concurrent creators do not overshoot it. */
export class NodePoolCounts {
  readonly #claims = new Map<string, { pool: string; state: ClaimState }>()
  readonly #reserved = new Map<string, number>()
  readonly #counts = new Map<string, Record<ClaimState, number>>()
  /** Nothing brings these back; older news of them may still come. */
  readonly #deleted = new Set<string>()

  counts(pool: string): ClaimCounts {
    return { ...this.#of(pool) }
  }

  /** How many of those that are deleting are only marked: a command that is given up brings them back. */
  marked(pool: string): number {
    let count = 0
    for (const [name, claim] of this.#claims) {
      if (claim.pool === pool && claim.state === 'deleting' && !this.#deleted.has(name)) count += 1
    }
    return count
  }

  /** Seen or created, and not on its way out. */
  setActive(pool: string, claim: string): void {
    this.#put(pool, claim, 'active')
  }

  /** Marked, which may be taken back. */
  setDeleting(pool: string, claim: string): void {
    this.#put(pool, claim, 'deleting')
  }

  /** Seen on its way out. */
  setDeleted(pool: string, claim: string): void {
    this.#put(pool, claim, 'deleting')
    this.#deleted.add(claim)
  }

  /** Its deletion was asked for and accepted. News that it is gone may have come before the answer, and come only once. */
  deletionAccepted(claim: string): void {
    const known = this.#claims.get(claim)
    if (known !== undefined) this.setDeleted(known.pool, claim)
  }

  /** Chosen by a disruption command that is waiting for its replacement. */
  setPendingDisruption(pool: string, claim: string): void {
    this.#put(pool, claim, 'pendingDisruption')
  }

  remove(claim: string): void {
    this.#deleted.delete(claim)
    this.#take(claim)
  }

  /** Takes up to `wanted` places below `limit` and says how many; each is given back with `release`. */
  reserve(pool: string, limit: number, wanted: number): number {
    const { active, deleting, pendingDisruption } = this.#of(pool)
    const outstanding = this.#reserved.get(pool) ?? 0
    const remaining = limit - (active + deleting + pendingDisruption) - outstanding
    if (remaining < 0) return 0
    const granted = Math.min(wanted, remaining)
    this.#reserved.set(pool, outstanding + granted)
    return granted
  }

  release(pool: string, count: number): void {
    this.#reserved.set(pool, Math.max(0, (this.#reserved.get(pool) ?? 0) - count))
  }

  #put(pool: string, claim: string, state: ClaimState): void {
    if (this.#deleted.has(claim)) return
    this.#take(claim)
    this.#claims.set(claim, { pool, state })
    this.#of(pool)[state]++
  }

  #take(claim: string): void {
    const known = this.#claims.get(claim)
    if (known === undefined) return
    this.#of(known.pool)[known.state]--
    this.#claims.delete(claim)
  }

  #of(pool: string): Record<ClaimState, number> {
    let counts = this.#counts.get(pool)
    if (counts === undefined) {
      counts = { active: 0, pendingDisruption: 0, deleting: 0 }
      this.#counts.set(pool, counts)
    }
    return counts
  }
}
