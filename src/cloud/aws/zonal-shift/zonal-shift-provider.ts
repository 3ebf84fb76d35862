import type { Clock } from '../../../model/clock.ts'
import type { ZonalShiftClient } from '../clients.ts'

interface Shift {
  readonly applied: boolean
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Zones that ARC has shifted traffic away from: nothing is launched, described or terminated there. Without a client it never shifts. */
export class ZonalShiftProvider {
  readonly #client: ZonalShiftClient | undefined
  readonly #clusterARN: string
  readonly #clock: Clock
  readonly #shifts = new Map<string, Shift>()

  constructor(options: {
    readonly client: ZonalShiftClient | undefined
    readonly clusterARN: string
    readonly clock: Clock
  }) {
    this.#client = options.client
    this.#clusterARN = options.clusterARN
    this.#clock = options.clock
  }

  get enabled(): boolean {
    return this.#client !== undefined
  }

  isShifted(zoneID: string): boolean {
    const shift = this.#shifts.get(zoneID)
    return shift !== undefined && shift.applied && shift.expiresAt > this.#clock.now()
  }

  /** Sorted ids of the zones shifted now. */
  shiftedZoneIDs(): string[] {
    return [...this.#shifts.keys()].filter((id) => this.isShifted(id)).sort()
  }

  /** An empty answer ends all shifts; others are merged. Rejects when the cluster is no managed resource. */
  async update(): Promise<void> {
    if (this.#client === undefined) return
    const resource = await this.#client.getManagedResource({ resourceIdentifier: this.#clusterARN })
    if (resource.zonalShifts.length === 0) this.#shifts.clear()
    for (const shift of resource.zonalShifts) {
      this.#shifts.set(shift.awayFrom, {
        applied: shift.appliedStatus === 'APPLIED',
        expiresAt: shift.expiryTime.getTime(),
      })
    }
  }
}
