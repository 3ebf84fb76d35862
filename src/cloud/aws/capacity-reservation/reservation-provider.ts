import type { CapacityReservation } from '@aws-sdk/client-ec2'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { compareText } from '../../../model/order.ts'
import type { EC2Client } from '../clients.ts'
import { isNotFound } from '../errors.ts'
import { readPages } from '../paginate.ts'
import { reservationQueries, reservationQuery, type ReservationQuery, type ReservationTerm } from './reservations.ts'

const queryTtlMs = 60_000
const countTtlMs = 24 * 3_600_000
/** A claim may be asked to go again for as long as somebody refuses that its finalizer is removed. */
const endedTtlMs = 3_600_000

/** Finds reservations, and counts what is left in them between looks at EC2. */
export class ReservationProvider {
  readonly #ec2: Pick<EC2Client, 'describeCapacityReservations'>
  readonly #clock: Clock
  readonly #queries: ExpiringMap<string, readonly CapacityReservation[]>
  readonly #asking = new Map<string, Promise<readonly CapacityReservation[]>>()
  readonly #counts: ExpiringMap<string, number>
  /** UIDs of claims whose instance has been given back. */
  readonly #ended: ExpiringMap<string, true>

  constructor(options: { readonly ec2: Pick<EC2Client, 'describeCapacityReservations'>; readonly clock: Clock }) {
    this.#ec2 = options.ec2
    this.#clock = options.clock
    this.#queries = new ExpiringMap({ clock: options.clock, ttlMs: queryTtlMs })
    this.#counts = new ExpiringMap({ clock: options.clock, ttlMs: countTtlMs })
    this.#ended = new ExpiringMap({ clock: options.clock, ttlMs: endedTtlMs })
  }

  /** Reservations that a class selects and that have not ended, by id. */
  async list(terms: readonly ReservationTerm[]): Promise<readonly CapacityReservation[]> {
    const found = new Map<string, CapacityReservation>()
    for (const query of reservationQueries(terms)) {
      for (const reservation of await this.#run(query)) found.set(reservation.CapacityReservationId ?? '', reservation)
    }
    const now = this.#clock.now()
    return [...found.values()]
      .filter((reservation) => reservation.EndDate === undefined || reservation.EndDate.getTime() > now)
      .toSorted((a, b) => compareText(a.CapacityReservationId ?? '', b.CapacityReservationId ?? ''))
  }

  /**
   * Asks EC2 for the reservations that a class selects while it has not told of each of `ids`: nothing is known of them right after a start, or
   * after a look that failed half way, which does not mean that nothing is left in them. Rejects with what EC2 answered.
   */
  async ensureCounted(terms: readonly ReservationTerm[], ids: readonly string[]): Promise<void> {
    if (!ids.every((id) => this.#counts.has(id))) await this.list(terms)
  }

  /** As `list`, past the cache. */
  listFresh(terms: readonly ReservationTerm[]): Promise<readonly CapacityReservation[]> {
    for (const query of reservationQueries(terms)) this.#queries.delete(query.key)
    return this.list(terms)
  }

  /** Asks EC2 past the cache; ids that are gone are left out. */
  async describe(ids: readonly string[]): Promise<readonly CapacityReservation[]> {
    const found: CapacityReservation[] = []
    // One by one: an id that is gone would fail the whole call.
    for (const id of ids) found.push(...(await this.#fetch(reservationQuery([id], []))))
    return found
  }

  /** Instances left; 0 when unknown. */
  remaining(reservationID: string): number {
    return this.#counts.get(reservationID) ?? 0
  }

  markLaunched(reservationID: string): void {
    const count = this.#counts.get(reservationID)
    if (count !== undefined && count > 0) this.#counts.set(reservationID, count - 1)
  }

  /** Counts once for each claim: its node's termination and its own both find that the instance is gone. */
  markTerminated(reservationID: string, claimUID: string): void {
    if (this.#ended.has(claimUID)) return
    this.#ended.set(claimUID, true)
    const count = this.#counts.get(reservationID)
    if (count !== undefined) this.#counts.set(reservationID, count + 1)
  }

  markExhausted(reservationID: string): void {
    this.#counts.set(reservationID, 0)
  }

  clear(): void {
    this.#queries.clear()
    this.#counts.clear()
  }

  async #run(query: ReservationQuery): Promise<readonly CapacityReservation[]> {
    const known = this.#queries.get(query.key)
    if (known !== undefined) return known
    const asking = this.#asking.get(query.key) ?? this.#ask(query).finally(() => this.#asking.delete(query.key))
    this.#asking.set(query.key, asking)
    return asking
  }

  async #ask(query: ReservationQuery): Promise<readonly CapacityReservation[]> {
    const found = await this.#fetch(query)
    for (const reservation of found) {
      this.#counts.set(reservation.CapacityReservationId ?? '', reservation.AvailableInstanceCount ?? 0)
    }
    this.#queries.set(query.key, found)
    return found
  }

  async #fetch(query: ReservationQuery): Promise<readonly CapacityReservation[]> {
    try {
      return await readPages(
        (token) =>
          this.#ec2.describeCapacityReservations({
            Filters: [...query.filters],
            // EC2 refuses ids together with MaxResults.
            ...(query.ids.length > 0 ? { CapacityReservationIds: [...query.ids] } : { MaxResults: 1_000 }),
            ...token,
          }),
        (page) => page.CapacityReservations,
      )
    } catch (error) {
      if (isNotFound(error)) return []
      throw error
    }
  }
}
