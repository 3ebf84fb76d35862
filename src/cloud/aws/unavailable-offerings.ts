import { formatDurationMs } from '../../api/duration.ts'
import type { Clock } from '../../model/clock.ts'
import type { Logger } from '../../kube/logger.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { CapacityType } from './keys.ts'

/** How long an offering without capacity is left out of launches. Shorter repeats calls that fail; longer misses capacity that came back. */
const unavailableMs = 3 * 60_000
/** An offering that still has none when it is tried again rests twice as long each time, up to this: pods wait no longer for capacity that is back. */
const unavailableMaxMs = 8 * 60_000
const cleanMs = 10_000

export interface Pool {
  readonly instanceType: string
  readonly zone: string
  readonly capacityType: CapacityType
}

/** A launch into a placement group says nothing about capacity outside it. */
export interface GroupScope {
  readonly groupID: string
  /** Empty when the launch named none. */
  readonly partition: string
}

/**
 * What EC2 lately had no capacity for. Every mark, and every end of one, moves a sequence number of the types it affects, so that
 * only their cached offerings are rebuilt.
 */
export class UnavailableOfferings {
  readonly #pools: ExpiringMap<string, string>
  readonly #rests: ExpiringMap<string, number>
  readonly #interrupted: ExpiringMap<string, string>
  readonly #capacityTypes: ExpiringMap<CapacityType, true>
  readonly #subnets: ExpiringMap<string, true>
  readonly #sequences = new Map<string, number>()
  readonly #log: Logger
  #globalSequence = 0
  #version = 0

  constructor(clock: Clock, log: Logger) {
    this.#log = log
    const byPool = {
      clock,
      ttlMs: unavailableMs,
      cleanMs,
      onExpired: (_key: string, instanceType: string) => this.#bump(instanceType),
    }
    this.#pools = new ExpiringMap(byPool)
    this.#interrupted = new ExpiringMap(byPool)
    // Outlives the rest itself by as much again: a failure soon after it counts as the same shortage.
    this.#rests = new ExpiringMap({ clock, ttlMs: undefined })
    this.#capacityTypes = new ExpiringMap({ clock, ttlMs: unavailableMs, cleanMs, onExpired: () => this.#bumpAll() })
    this.#subnets = new ExpiringMap({ clock, ttlMs: unavailableMs, cleanMs, onExpired: () => this.#bumpAll() })
  }

  /** `reason` is the fleet error's code, for the log. */
  markPool(pool: Pool, reason: string, scope?: GroupScope): void {
    const key = poolKey(pool, scope)
    const restMs = this.#restOf(key)
    this.#logRemoval(pool, reason, restMs, scope)
    this.#rests.set(key, restMs, 2 * restMs)
    this.#pools.set(key, pool.instanceType, restMs)
    this.#bump(pool.instanceType)
  }

  /** The cloud takes a machine back. No launch has failed there, so the pool rests no longer after many of them than after one. */
  markInterrupted(pool: Pool, reason: string): void {
    this.#logRemoval(pool, reason, unavailableMs)
    this.#interrupted.set(poolKey(pool), pool.instanceType)
    this.#bump(pool.instanceType)
  }

  /** A launch found capacity: the next shortage is a new one. */
  markLaunched(pool: Pool, scope?: GroupScope): void {
    this.#rests.delete(poolKey(pool, scope))
  }

  markCapacityType(capacityType: CapacityType): void {
    this.#capacityTypes.set(capacityType, true)
    this.#bumpAll()
  }

  markSubnet(subnetID: string): void {
    this.#subnets.set(subnetID, true)
    this.#bumpAll()
  }

  /** Launches that fail side by side tell of one shortage; one that fails after the rest tells that it lasts. */
  #restOf(key: string): number {
    const last = this.#rests.get(key)
    if (last === undefined) return unavailableMs
    return this.#pools.has(key) ? last : Math.min(unavailableMaxMs, 2 * last)
  }

  /** `subnetIDs` are those of the class in the pool's zone: without a free address in any of them the zone is unavailable. */
  isUnavailable(pool: Pool, subnetIDs: readonly string[], scope?: GroupScope): boolean {
    const key = poolKey(pool)
    if (this.#pools.has(key) || this.#interrupted.has(key)) return true
    if (scope !== undefined) {
      if (this.#pools.has(poolKey(pool, { groupID: scope.groupID, partition: '' }))) return true
      if (scope.partition !== '' && this.#pools.has(poolKey(pool, scope))) return true
    }
    if (this.#capacityTypes.has(pool.capacityType)) return true
    return subnetIDs.length > 0 && subnetIDs.every((id) => this.#subnets.has(id))
  }

  /** Changes whenever what `isUnavailable` says about the type may have changed. */
  sequence(instanceType: string): string {
    return `${this.#globalSequence}.${this.#sequences.get(instanceType) ?? 0}`
  }

  /** Changes whenever any sequence does. */
  get version(): number {
    return this.#version
  }

  /** Forgets everything, as a restart would. */
  clear(): void {
    this.#pools.clear()
    this.#rests.clear()
    this.#interrupted.clear()
    this.#capacityTypes.clear()
    this.#subnets.clear()
    this.#bumpAll()
  }

  stop(): void {
    this.#pools.stop()
    this.#interrupted.stop()
    this.#capacityTypes.stop()
    this.#subnets.stop()
  }

  #logRemoval(pool: Pool, reason: string, restMs: number, scope?: GroupScope): void {
    this.#log.debug(
      {
        reason,
        'instance-type': pool.instanceType,
        zone: pool.zone,
        'capacity-type': pool.capacityType,
        ...(scope === undefined ? {} : { 'placement-group-id': scope.groupID }),
        ttl: formatDurationMs(restMs),
      },
      'removing offering from offerings',
    )
  }

  #bump(instanceType: string): void {
    this.#sequences.set(instanceType, (this.#sequences.get(instanceType) ?? 0) + 1)
    this.#version += 1
  }

  #bumpAll(): void {
    this.#globalSequence += 1
    this.#version += 1
  }
}

function poolKey(pool: Pool, scope?: GroupScope): string {
  const plain = `${pool.capacityType}:${pool.instanceType}:${pool.zone}`
  return scope === undefined ? plain : `${plain}:${scope.groupID}:${scope.partition}`
}
