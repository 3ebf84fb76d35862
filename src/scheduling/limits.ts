import type { NodePool } from '../api/karpenter.ts'
import type { ResourceListText } from '../api/kubernetes.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { Quantity } from '../model/quantity.ts'
import { type Resources, subtractResources, sumResources, toLimits } from '../model/resources.ts'
import type { StateNode } from '../model/snapshot.ts'
import { type Bits, emptyBits, hasBit, setBit } from './bitset.ts'
import type { CatalogIndex } from './catalog-index.ts'

/** What the pool's nodes and launched claims hold, those left out that are on their way out. */
export function heldBy(pool: string, nodes: readonly StateNode[]): Resources {
  const active = nodes.filter((node) => node.nodePool === pool && !node.markedForDeletion)
  return sumResources(active.map(({ capacity }) => capacity))
}

/** A pool's limits less what is held; undefined without limits. May be negative. */
export function remainingLimits(pool: NodePool, held: (pool: string) => Resources): Resources | undefined {
  const limits = pool.spec.limits
  if (limits === undefined || Object.keys(limits).length === 0) return undefined
  return subtractResources(amountsOf(limits), held(pool.metadata.name))
}

const amountsOf = byIdentity((limits: ResourceListText) => toLimits(limits))

/** The limits of one pool in one solve: every claim that is opened takes the most that it could turn out to be. */
export class PoolLimits {
  /** What the limits left before the solve opened any claim. */
  readonly beforehand: Resources
  readonly #remaining: Map<string, Quantity>
  readonly #catalog: CatalogIndex

  constructor(remaining: Resources, catalog: CatalogIndex) {
    this.beforehand = remaining
    this.#remaining = new Map(remaining)
    this.#catalog = catalog
  }

  get remaining(): Resources {
    return this.#remaining
  }

  /** Whether the count of nodes is used up. Nodes opened in this solve do not count, since no type has a capacity of nodes. */
  get nodesExhausted(): boolean {
    return this.#remaining.get('nodes')?.isZero === true
  }

  /** Slots of types that still fit; undefined when the limits exclude none. */
  allowed(): Bits | undefined {
    let allowed: Bits | undefined
    for (const [name, remaining] of this.#remaining) {
      const sorted = this.#catalog.byCapacity(name)
      const largest = sorted[0]?.amount
      if (largest === undefined ? !remaining.isNegative : largest.compare(remaining) <= 0) continue
      const within = emptyBits(this.#catalog.size)
      for (const { slot, amount } of sorted) {
        const fits = amount === undefined ? !remaining.isNegative : amount.compare(remaining) <= 0
        if (fits && (allowed === undefined || hasBit(allowed, slot))) setBit(within, slot)
      }
      allowed = within
    }
    return allowed
  }

  /** Deducts the largest of the types behind the slots, resource by resource. */
  take(bits: Bits): void {
    for (const [name, remaining] of this.#remaining) {
      const largest = this.#catalog.byCapacity(name).find(({ slot }) => hasBit(bits, slot))?.amount
      if (largest !== undefined) this.#remaining.set(name, remaining.sub(largest))
    }
  }
}
