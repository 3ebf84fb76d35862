/** What provisioning remembers about one pending pod, in milliseconds since the epoch. */
export interface PodTimes {
  /** First seen as provisionable. */
  readonly acknowledgedAt?: number
  /** First decision of any kind. */
  readonly decidedAt?: number
  /** First decision that it can be placed. */
  readonly schedulableAt?: number
  /** The same, in a pool whose nodes are known to register. */
  readonly schedulableInHealthyPoolAt?: number
}

export interface PodDecision {
  /** `namespace/name`. */
  readonly key: string
  readonly outcome: 'placed' | 'failed'
  /** Whether the pool it was placed in has NodeRegistrationHealthy=True. */
  readonly healthyPool?: boolean
}

/** Times of pending pods between first sight and running. They outlive no pod. */
export class PodTimesBook {
  readonly #times = new Map<string, PodTimes>()
  readonly #exists: (key: string) => boolean

  /** `exists`: whether there is still such a pod; a decision about one that went meanwhile leaves nothing behind. */
  constructor(exists: (key: string) => boolean = () => true) {
    this.#exists = exists
  }

  get(key: string): PodTimes {
    return this.#times.get(key) ?? {}
  }

  /** Only the first time counts. */
  acknowledge(key: string, now: number): void {
    const known = this.get(key)
    if (known.acknowledgedAt === undefined) this.#times.set(key, { ...known, acknowledgedAt: now })
  }

  /** Returns how long the first decision took since the pod was acknowledged; undefined for later ones. */
  decide({ key, outcome, healthyPool = false }: PodDecision, now: number): number | undefined {
    const { schedulableAt, schedulableInHealthyPoolAt, ...known } = this.get(key)
    if (!this.#exists(key)) return undefined
    const first = known.decidedAt === undefined
    const decided: PodTimes = { ...known, decidedAt: known.decidedAt ?? now }
    if (outcome === 'failed') {
      this.#times.set(key, decided)
    } else {
      this.#times.set(key, {
        ...decided,
        schedulableAt: schedulableAt ?? now,
        ...(healthyPool ? { schedulableInHealthyPoolAt: schedulableInHealthyPoolAt ?? now } : {}),
      })
    }
    return first && known.acknowledgedAt !== undefined ? now - known.acknowledgedAt : undefined
  }

  forget(key: string): void {
    this.#times.delete(key)
  }
}
