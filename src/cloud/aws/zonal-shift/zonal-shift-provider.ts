import type { Clock } from '../../../model/clock.ts'
import type { ZonalShiftClient } from '../clients.ts'

/** An autoshift has no time at which it ends. While ARC tells nothing, what it told last holds for so long. */
const unendedMs = 3_600_000

/** Zones that ARC has shifted traffic away from: nothing is launched, described or terminated there. Without a client it never shifts. */
export class ZonalShiftProvider {
  readonly #client: ZonalShiftClient | undefined
  readonly #clusterARN: string
  readonly #clock: Clock
  /** When the shifts that are applied end, in milliseconds since the epoch, by zone id. */
  #shiftedUntil: ReadonlyMap<string, number> = new Map()

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
    const until = this.#shiftedUntil.get(zoneID)
    return until !== undefined && until > this.#clock.now()
  }

  /** Sorted ids of the zones shifted now. */
  shiftedZoneIDs(): string[] {
    return [...this.#shiftedUntil.keys()].filter((id) => this.isShifted(id)).sort()
  }

  /**
   * The answer is all there is: a shift that it leaves out was ended before its time. A zone may have several, of which ARC applies one.
   * Rejects when the cluster is no managed resource.
   */
  async update(): Promise<void> {
    if (this.#client === undefined) return
    const { zonalShifts, autoshifts = [] } = await this.#client.getManagedResource({
      resourceIdentifier: this.#clusterARN,
    })
    const unended = this.#clock.now() + unendedMs
    const shifts = [
      ...zonalShifts.map((shift) => ({ ...shift, until: shift.expiryTime.getTime() })),
      ...autoshifts.map((shift) => ({ ...shift, until: unended })),
    ]
    const shiftedUntil = new Map<string, number>()
    for (const { awayFrom, appliedStatus, until } of shifts) {
      if (appliedStatus !== 'APPLIED') continue
      shiftedUntil.set(awayFrom, Math.max(shiftedUntil.get(awayFrom) ?? 0, until))
    }
    this.#shiftedUntil = shiftedUntil
  }
}
