import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { StatusSubnet } from '../wire.ts'

/** One subnet for each zone of a launch, with what was taken from its count in advance. */
export interface PickedSubnet {
  readonly id: string
  readonly zone: string
  readonly zoneID: string | undefined
  /** Free addresses as last described, at the time of the pick. */
  readonly freeAtPick: number | undefined
  readonly taken: number
}

/**
 * Free addresses by subnet. DescribeSubnets is at most read once a minute, so what launches will use until then is taken from the
 * count at once: otherwise a burst would all go to the one subnet that looked emptiest.
 */
export class FreeAddresses {
  readonly #free: ExpiringMap<string, number>
  readonly #tracked = new Map<string, number>()

  constructor(clock: Clock, refreshIntervalMs: number) {
    this.#free = new ExpiringMap({ clock, ttlMs: Math.max(5 * 60_000, refreshIntervalMs + 4 * 60_000) })
  }

  /** A fresh count from EC2; forgets what launches were expected to use. */
  observe(subnetID: string, free: number): void {
    this.#free.set(subnetID, free)
    this.#tracked.delete(subnetID)
  }

  markExhausted(subnetID: string): void {
    this.observe(subnetID, 0)
  }

  /** What a launch may still count on. */
  available(subnetID: string): number {
    return this.#tracked.get(subnetID) ?? this.#free.get(subnetID) ?? 0
  }

  /**
   * The subnet with most free addresses of each zone, the first of equals in status order. `addressesNeeded` is what one instance
   * in that zone will take at least.
   */
  pick(subnets: readonly StatusSubnet[], addressesNeeded: (zone: string) => number): ReadonlyMap<string, PickedSubnet> {
    const best = new Map<string, StatusSubnet>()
    for (const subnet of subnets) {
      const current = best.get(subnet.zone)
      if (current === undefined || this.available(subnet.id) > this.available(current.id)) best.set(subnet.zone, subnet)
    }
    const picked = new Map<string, PickedSubnet>()
    for (const [zone, { id, zoneID }] of best) {
      const taken = addressesNeeded(zone)
      picked.set(zone, { id, zone, zoneID, freeAtPick: this.#free.get(id), taken })
      this.#tracked.set(id, this.available(id) - taken)
    }
    return picked
  }

  /** After the launch: gives back what the subnets that were not used had been charged, unless EC2 was asked in the meantime. */
  settle(picked: Iterable<PickedSubnet>, usedIDs: ReadonlySet<string>): void {
    for (const subnet of picked) {
      if (usedIDs.has(subnet.id)) continue
      const tracked = this.#tracked.get(subnet.id)
      if (tracked === undefined || this.#free.get(subnet.id) !== subnet.freeAtPick) continue
      this.#tracked.set(subnet.id, tracked + subnet.taken)
    }
  }
}
