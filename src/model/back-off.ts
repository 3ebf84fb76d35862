export interface BackOffTurn {
  readonly baseMs: number
  readonly maxMs: number
  /** Before the one that this wait follows: none, and the wait is the base. */
  readonly failures: number
  /** By which part of itself the wait is longer than its turn, so that many who fail together do not come back together. Default 0. */
  readonly jitter?: number
}

/** A millisecond doubled so often is longer than any wait; doubling stops there, so that no count of failures overflows. */
const doublingsMax = 53

/** Waits that double from the base to their most. Not rounded. */
export function backOffMs({ baseMs, maxMs, failures, jitter = 0 }: BackOffTurn): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(failures, doublingsMax)) * (1 + jitter)
}
