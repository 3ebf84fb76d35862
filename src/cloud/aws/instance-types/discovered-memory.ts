import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { canonicalText, hash64 } from '../canonical.ts'
import type { StatusAMI } from '../wire.ts'

/** Nodes of a type may not start for weeks; what one has shown stays true until the image changes. */
const ttlMs = 60 * 24 * 3_600_000

/** Memory that nodes have shown to have, by type and the class's images. */
export class DiscoveredMemory {
  readonly #cache: ExpiringMap<string, bigint>
  readonly #keys = new WeakMap<readonly StatusAMI[], string>()
  #version = 0

  constructor(clock: Clock) {
    this.#cache = new ExpiringMap({ clock, ttlMs })
  }

  /** Changes when an amount does. */
  get version(): number {
    return this.#version
  }

  keyOf(amis: readonly StatusAMI[]): string {
    const known = this.#keys.get(amis)
    if (known !== undefined) return known
    const key = hash64(canonicalText(amis))
    this.#keys.set(amis, key)
    return key
  }

  get(instanceType: string, amisKey: string): bigint | undefined {
    return this.#cache.get(`${instanceType}-${amisKey}`)
  }

  /**
   * The smallest amount seen counts: pods that fit it fit everywhere. Seeing it again keeps it alive.
   * @returns whether it is another one than before
   */
  observe(instanceType: string, amis: readonly StatusAMI[], bytes: bigint): boolean {
    const key = `${instanceType}-${this.keyOf(amis)}`
    const known = this.#cache.get(key)
    if (known !== undefined && bytes > known) return false
    this.#cache.set(key, bytes)
    if (known === bytes) return false
    this.#version += 1
    return true
  }
}
