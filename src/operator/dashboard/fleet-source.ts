import type { RolloutPolicy } from '../../api/karpenter.ts'
import { type ClusterState, gatherInstanceTypes, type InstanceTypeSource } from '../../cluster/index.ts'
import type { Caches } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { Clock } from '../../model/clock.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { type FleetView, fleetView, type NodeBlock, pricesFrom } from './fleet-view.ts'

/** Where the view of a live fleet comes from. */
export interface FleetSource {
  /** Milliseconds since the epoch, as the cluster counts them. */
  now(): number
  view(): Promise<FleetView>
}

/** How long listed prices are good for: they move by the hour, a page is refreshed every few seconds. */
const pricesForMs = 60_000

/** The view of a fleet from live cluster state; prices are listed anew only now and then, and only while somebody looks. */
export function createFleetSource(options: {
  readonly cluster: string
  readonly state: Pick<ClusterState, 'snapshot'>
  readonly caches: Caches
  readonly clock: Clock
  readonly instanceTypes: InstanceTypeSource
  readonly policies: () => readonly RolloutPolicy[]
  /** Why nodes were left alone, by name. */
  readonly blocked: (snapshot: Snapshot) => ReadonlyMap<string, readonly NodeBlock[]>
}): FleetSource {
  const { cluster, state, caches, clock } = options
  const classes = caches.of(ec2NodeClasses)
  const claims = caches.of(nodeClaims)
  const prices = new PriceBook(clock, options.instanceTypes)
  return {
    now: () => clock.now(),
    view: async () => {
      const snapshot = state.snapshot()
      await prices.refresh(snapshot)
      return fleetView({
        cluster,
        snapshot,
        nodeClasses: classes.list(),
        policies: options.policies(),
        nodeClaims: claims.list(),
        priceOf: pricesFrom((pool) => prices.types(pool)),
        blocked: options.blocked(prices.complete(snapshot)),
      })
    },
  }
}

class PriceBook {
  readonly #clock: Clock
  readonly #source: InstanceTypeSource
  #lists: Snapshot['instanceTypes'] = new Map()
  #types = new Map<string, ReadonlyMap<string, InstanceType>>()
  #listedAt: number | undefined

  constructor(clock: Clock, source: InstanceTypeSource) {
    this.#clock = clock
    this.#source = source
  }

  async refresh({ nodePools }: Snapshot): Promise<void> {
    const now = this.#clock.monotonicMs()
    const isFresh = this.#listedAt !== undefined && now - this.#listedAt < pricesForMs
    if (isFresh && nodePools.every(({ metadata }) => this.#lists.has(metadata.name))) return
    this.#listedAt = now
    this.#lists = await gatherInstanceTypes(nodePools, this.#source)
    this.#types = new Map()
    for (const [pool, list] of this.#lists) {
      if (list.kind === 'resolved') this.#types.set(pool, new Map(list.types.map((type) => [type.name, type])))
    }
  }

  types(pool: string): ReadonlyMap<string, InstanceType> | undefined {
    return this.#types.get(pool)
  }

  complete(snapshot: Snapshot): Snapshot {
    return { ...snapshot, instanceTypes: this.#lists }
  }
}
