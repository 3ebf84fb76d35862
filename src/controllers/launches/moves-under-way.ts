/** A drain that takes longer, as where a PodDisruptionBudget never lets a pod go, keeps no other node from being tried. */
const longestMs = 60 * 60_000

interface Move {
  readonly pool: string
  /** Monotonic, in milliseconds. */
  readonly bornAt: number
}

/** Nodes that go or have gone, and of whose pods it is not known yet whether they run again. */
export class MovesUnderWay {
  /** By the UID of the claim. */
  readonly #moves = new Map<string, Move>()

  begin(uid: string, move: Move): void {
    this.#moves.set(uid, move)
  }

  /** What has become of its pods is known; undefined when the move is not known. */
  end(uid: string): Move | undefined {
    const move = this.#moves.get(uid)
    this.#moves.delete(uid)
    return move
  }

  /** Whether one of the pool has begun since then. */
  isUnderWay(pool: string, since: number, now: number): boolean {
    for (const move of this.#moves.values()) {
      if (move.pool === pool && move.bornAt >= since && now - move.bornAt < longestMs) return true
    }
    return false
  }
}
