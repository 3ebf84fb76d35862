import type { ImageIdentity } from '../../../api/hash/index.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import type { AMI } from './choose.ts'

/** How long an image that EC2 does not know, or could not tell about, is not asked for again. */
const missingTtlMs = 3_600_000
/** More than a fleet ever runs; the oldest go first. */
const knownMax = 2_000

/** Names and dates of images, for those who explain: what is once known of an id never changes. */
export class KnownImages {
  readonly #known = new Map<string, ImageIdentity>()
  readonly #missing: ExpiringMap<string, true>
  /** A roll drifts many nodes at once, which all run the same image. */
  readonly #asking = new Map<string, Promise<void>>()
  readonly #describe: (ids: readonly string[]) => Promise<readonly AMI[]>

  constructor(clock: Clock, describe: (ids: readonly string[]) => Promise<readonly AMI[]>) {
    this.#missing = new ExpiringMap({ clock, ttlMs: missingTtlMs })
    this.#describe = describe
  }

  remember(amis: readonly AMI[]): void {
    for (const ami of amis) this.#known.set(ami.id, identityOf(ami))
    for (const id of [...this.#known.keys()].slice(0, Math.max(0, this.#known.size - knownMax))) this.#known.delete(id)
  }

  /** From memory alone. */
  known(id: string): ImageIdentity {
    return this.#known.get(id) ?? { id }
  }

  /** Just the id when EC2 does not tell more: an explanation is never worth an error. */
  async identify(id: string): Promise<ImageIdentity> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    if (!this.#missing.has(id)) {
      const asking = this.#asking.get(id) ?? this.#ask(id).finally(() => this.#asking.delete(id))
      this.#asking.set(id, asking)
      await asking
    }
    return this.known(id)
  }

  async #ask(id: string): Promise<void> {
    try {
      this.remember(await this.#describe([id]))
    } catch {
      // As if it were gone: it is asked for again in a while.
    }
    if (!this.#known.has(id)) this.#missing.set(id, true)
  }
}

function identityOf({ id, name, createdAt }: AMI): ImageIdentity {
  return {
    id,
    ...(name === '' ? {} : { name }),
    ...(Number.isFinite(createdAt) ? { creationDate: `${new Date(createdAt).toISOString().slice(0, 19)}Z` } : {}),
  }
}
