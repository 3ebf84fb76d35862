import { messageOf } from '../../api/error-text.ts'
import { isRefusal } from '../../kube/errors.ts'
import { type Clock, toTimestamp } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { PodInfo } from '../../model/pod.ts'
import { shapeText } from '../../scheduling/pod-shape.ts'
import { truncated } from '../truncated.ts'

/** Nothing tells that whoever refused does so no more: longer lets pods wait that no other pool takes, shorter asks for refusals. */
const leftOutMs = 60_000

interface PlannedFor {
  readonly nodePool: string
  readonly pods: readonly PodInfo[]
}

/**
 * Pods for which a NodeClaim of a pool was refused a short while ago, by rights or a policy: such a claim is refused again, and for as long
 * as every pass plans one they never get to pools that would do. A policy may look at more than the pool, so other pods are planned there
 * as ever.
 */
export class RefusedClaims {
  readonly #clock: Clock
  /** By pool and by the shape of pods, who refuses. */
  readonly #pools = new Map<string, ExpiringMap<string, string>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note({ nodePool, pods }: PlannedFor, error: unknown): void {
    if (!isRefusal(error)) return
    const shapes = this.#pools.get(nodePool) ?? new ExpiringMap({ clock: this.#clock, ttlMs: leftOutMs })
    this.#pools.set(nodePool, shapes)
    const again = toTimestamp(this.#clock.now() + leftOutMs)
    const why = `${truncated(messageOf(error))}; one is asked for again at ${again}`
    for (const pod of pods) shapes.set(shapeText(pod), why)
  }

  /** Pools of which nodes are planned for such pods alone, and who refuses. */
  poolsOf(planned: readonly PlannedFor[]): ReadonlyMap<string, string> {
    if (this.#pools.size === 0) return new Map()
    const found = new Map<string, string>()
    for (const [pool, claims] of Map.groupBy(planned, ({ nodePool }) => nodePool)) {
      const shapes = this.#pools.get(pool)
      if (shapes === undefined) continue
      const refusals = claims.flatMap(({ pods }) => pods.map((pod) => shapes.get(shapeText(pod))))
      const [first] = refusals
      if (first !== undefined && !refusals.includes(undefined)) found.set(pool, first)
    }
    return found
  }

  /** The pool was changed, or is gone. */
  forget(pool: string): void {
    this.#pools.delete(pool)
  }
}
