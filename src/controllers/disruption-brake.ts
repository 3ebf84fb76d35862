import { formatDurationMs } from '../api/duration.ts'
import { begunBeforeStart, type BrakeCause, brakeGate, type BrakeLimit, brakeState } from '../disruption/brake.ts'
import { type DisruptionGate, type Hold, openGate } from '../disruption/gate.ts'
import { isConflict, isRefusal } from '../kube/errors.ts'
import { type Clock, toTimestamp } from '../model/clock.ts'

/** A node that the brake holds. */
export interface Braked {
  readonly message: string
  readonly waitMs: number
}

/**
 * Remembers how many nodes each cause has begun to take away, and holds those that would be too many: a last bound for what is wrong with a
 * whole fleet at once, such as a bad health signal or nodes that all expire together. Only memory; in the first window after a start nothing goes.
 */
export class DisruptionBrake {
  readonly #clock: Clock
  readonly #limit: BrakeLimit
  readonly #begunAt = new Map<BrakeCause, readonly number[]>()
  /** When it was first asked: as soon as the process acts, the disruption loop does. */
  #startedAt: number | undefined

  /** @param limit no bound where it allows no node: the default */
  constructor(clock: Clock, limit: BrakeLimit) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Counts one node of the cause, unless it has to wait. What was counted and came to nothing is given back. */
  take(cause: BrakeCause): Braked | undefined {
    if (this.#limit.nodes === 0) return undefined
    const { begunAt, room, waitMs } = this.#stateOf(cause)
    if (room === 0) return { message: this.#message(cause, waitMs), waitMs }
    this.#begunAt.set(cause, [...begunAt, this.#clock.monotonicMs()])
    return undefined
  }

  giveBack(cause: BrakeCause): void {
    const begunAt = this.#begunAt.get(cause)
    if (begunAt !== undefined) this.#begunAt.set(cause, begunAt.slice(0, -1))
  }

  /** For voluntary disruption, whose commands are counted when they start. Made for one look at the cluster. */
  gate(): DisruptionGate {
    if (this.#limit.nodes === 0) return openGate
    this.#startedAt ??= this.#clock.monotonicMs()
    return brakeGate(
      (reason) => this.#stateOf(reason),
      (reason, waitMs): Hold => ({ code: 'Braked', message: this.#message(reason, waitMs) }),
    )
  }

  /** Nodes of a command that was started at that moment, which is monotonic. */
  begun(cause: BrakeCause, nodes: number, at: number): void {
    if (this.#limit.nodes === 0) return
    this.#begunAt.set(cause, [...this.#stateOf(cause).begunAt, ...Array.from({ length: nodes }, () => at)])
  }

  /** Nodes of a command that was started then and given up: they stay. */
  takenBack(cause: BrakeCause, nodes: number, at: number): void {
    const begunAt = this.#begunAt.get(cause) ?? []
    const first = begunAt.indexOf(at)
    if (first < 0) return
    const own = begunAt.filter((each) => each === at).length
    this.#begunAt.set(cause, begunAt.toSpliced(first, Math.min(nodes, own)))
  }

  #stateOf(cause: BrakeCause) {
    const now = this.#clock.monotonicMs()
    this.#startedAt ??= now
    const begunAt = this.#begunAt.get(cause) ?? begunBeforeStart(this.#limit, this.#startedAt)
    const state = brakeState(begunAt, this.#limit, now)
    this.#begunAt.set(cause, state.begunAt)
    return state
  }

  #message(cause: BrakeCause, waitMs: number): string {
    const { nodes, windowMs } = this.#limit
    const bound = `no more than ${nodes} node(s) within ${formatDurationMs(windowMs)} are ${verbs[cause]} (--disruption-brake)`
    return `${bound}; the next may go at ${toTimestamp(this.#clock.now() + waitMs)}`
  }
}

/** Removes what was counted, and gives it back where nothing was deleted; what has an unknown outcome stays counted. */
export async function underBrake(
  brake: DisruptionBrake,
  cause: BrakeCause,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const removed = await remove()
    if (!removed) brake.giveBack(cause)
    return removed
  } catch (error) {
    if (isRefusal(error) || isConflict(error)) brake.giveBack(cause)
    throw error
  }
}

const verbs: Readonly<Record<BrakeCause, string>> = {
  Empty: 'removed as empty',
  Drifted: 'replaced for drift',
  Underutilized: 'consolidated',
  Expired: 'removed as expired',
  Unhealthy: 'repaired',
}
