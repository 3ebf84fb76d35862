/**
 * Keeps what is held of unfinished request bodies within a bound, of all connections together. When there is too much, the body that
 * holds most has to go: whoever fills the memory pays for it, and small reviews are read on.
 */
export interface BodyBudget {
  /** `refuse` is called when this body has to go, at most once and during any `add`; nothing may be kept of it then. */
  begin(refuse: () => void): HeldBody
  /** As `add` counts it. */
  readonly bytes: number
}

export interface HeldBody {
  /** One more piece is kept. */
  add(pieceBytes: number): void
  /** It has come to its end, or its connection has. */
  end(): void
}

/** What keeping a piece costs beside its bytes: measured with pieces of one byte, which a hostile sender may choose. */
const pieceOverheadBytes = 1024

export function createBodyBudget(bytesMax: number): BodyBudget {
  /** In the order in which they were begun: of two that hold as much, the older one goes. */
  const held = new Map<() => void, number>()
  let sum = 0
  const release = (refuse: () => void): void => {
    sum -= held.get(refuse) ?? 0
    held.delete(refuse)
  }
  return {
    begin(refuse) {
      // The same function might be given for two bodies.
      const own = (): void => refuse()
      held.set(own, 0)
      return {
        add(pieceBytes) {
          const before = held.get(own)
          if (before === undefined) return
          const cost = pieceBytes + pieceOverheadBytes
          held.set(own, before + cost)
          sum += cost
          while (sum > bytesMax) {
            const largest = largestOf(held)
            release(largest)
            largest()
          }
        },
        end: () => release(own),
      }
    },
    get bytes() {
      return sum
    },
  }
}

function largestOf(held: ReadonlyMap<() => void, number>): () => void {
  let largest: readonly [() => void, number] | undefined
  for (const one of held) if (largest === undefined || one[1] > largest[1]) largest = one
  if (largest === undefined) throw new Error('what is summed up is held')
  return largest[0]
}
