import {
  type Breaker,
  type BreakerSettings,
  closedBreaker,
  type OpenBreaker,
  type Outcome,
  record,
  restored,
  type Stage,
  stageReasons,
  triesAgainAt,
} from '../../disruption/circuit-breaker.ts'
import { type Clock, toTimestamp } from '../../model/clock.ts'

/** The circuit breakers of the pools, and the one over all of them. Their times are monotonic. */
export class Breakers {
  readonly #clock: Clock
  readonly #settings: BreakerSettings
  readonly #pools = new Map<string, Breaker>()
  #cluster: Breaker = closedBreaker

  constructor(clock: Clock, settings: BreakerSettings) {
    this.#clock = clock
    this.#settings = settings
  }

  record(outcome: Outcome): void {
    if (this.#settings.failuresInARow <= 0) return
    const now = this.#clock.monotonicMs()
    this.#pools.set(outcome.pool, record(this.#pools.get(outcome.pool) ?? closedBreaker, outcome, now, this.#settings))
    this.#cluster = record(this.#cluster, outcome, now, this.#settings, 'cluster')
  }

  /** What the pool's nodes are made of has changed: what failed, with others perhaps, may work now. */
  reset(pool: string): void {
    this.#pools.delete(pool)
    if (this.#cluster.kind === 'open') this.#cluster = closedBreaker
  }

  /** The pool is gone; one of the same name begins anew. */
  forget(pool: string): void {
    this.#pools.delete(pool)
  }

  /** After a restart: the pool's breaker was open for so long. Whether it was not known already. */
  restore(pool: string, memory: { readonly stage: Stage; readonly message: string; readonly forMs: number }): boolean {
    if (this.#pools.has(pool)) return false
    const now = this.#clock.monotonicMs()
    const { stage, message, forMs } = memory
    const openedAt = now - Math.max(0, forMs)
    this.#pools.set(pool, restored({ stage, message, openedAt }, now, this.#settings))
    // The breaker over all pools has no condition of its own: it was open if several of theirs were.
    const open = [...this.#pools.values()].filter(({ kind }) => kind === 'open')
    if (open.length > 1 && this.#cluster.kind === 'closed') {
      this.#cluster = restored({ stage, message, openedAt }, now, this.#settings)
    }
    return true
  }

  /** The pool's own breaker, when it is open. */
  ofPool(pool: string): OpenBreaker | undefined {
    const breaker = this.#pools.get(pool)
    return breaker?.kind === 'open' ? breaker : undefined
  }

  /** The breaker over all pools, when it is open. */
  get ofCluster(): OpenBreaker | undefined {
    return this.#cluster.kind === 'open' ? this.#cluster : undefined
  }

  get isAnyOpen(): boolean {
    if (this.#cluster.kind === 'open') return true
    for (const { kind } of this.#pools.values()) if (kind === 'open') return true
    return false
  }

  /** Why, and when the next node tries; undefined while neither the pool's breaker nor that of the cluster is open. */
  whyOpen(pool: string): string | undefined {
    const own = this.ofPool(pool)
    if (own !== undefined) return this.text(own)
    return this.ofCluster === undefined ? undefined : `all NodePools: ${this.text(this.ofCluster)}`
  }

  text({ message, stage, failedTries, retryAt }: OpenBreaker): string {
    const tries = failedTries === 0 ? '' : `, ${failedTries} failed ${failedTries === 1 ? 'try' : 'tries'} since`
    const next = toTimestamp(this.#clock.now() + retryAt - this.#clock.monotonicMs())
    return `${message} (${stageReasons[stage]}${tries}); ${triesAgainAt} ${next}`
  }
}
