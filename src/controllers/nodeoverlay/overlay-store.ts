import type { InstanceTypeSource } from '../../cluster/index.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { applyOverlays, type PoolUpdates } from '../../scheduling/node-overlay.ts'

const overlaidBy = byIdentity((updates: PoolUpdates) =>
  byIdentity((types: readonly InstanceType[]) => applyOverlays(types, updates)),
)

/** The outcome of the last evaluation of all overlays, swapped as a whole. */
export class OverlayStore {
  #updates: ReadonlyMap<string, PoolUpdates> = new Map()

  replace(updates: ReadonlyMap<string, PoolUpdates>): void {
    this.#updates = updates
  }

  /** What overlays change of a pool's types, for the launch: a pool that was not evaluated keeps its types as they are. */
  apply(nodePool: string, types: readonly InstanceType[]): readonly InstanceType[] {
    const updates = this.#updates.get(nodePool)
    return updates === undefined ? types : overlaidBy(updates)(types)
  }

  /**
   * Instance types as overlays make them: the same list for the same types until overlays are evaluated again, as what is worked out for a
   * list is kept for as long as it comes back. A pool that no evaluation has seen yet waits for the next one.
   */
  over(source: InstanceTypeSource): InstanceTypeSource {
    return async (pool) => {
      const updates = this.#updates.get(pool.metadata.name)
      if (updates === undefined) return { kind: 'awaitingOverlays' }
      const list = await source(pool)
      return list.kind === 'resolved' ? { kind: 'resolved', types: overlaidBy(updates)(list.types) } : list
    }
  }
}
