import type { Clock } from '../model/clock.ts'

export interface RetryOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal?: AbortSignal
  /** Whether another try may fare better. */
  readonly isWorthIt: (error: unknown) => boolean
}

/**
 * Between the four tries that client-go makes by default: a third of a second in all. That bridges a hiccup of the API server; whatever
 * lasts longer is left to the controller's back-off.
 */
const waitsMs = [10, 50, 250] as const

/** Makes a call that may be made twice, and makes it again for as long as that may help. */
export async function retried<T>(call: () => Promise<T>, { clock, signal, isWorthIt }: RetryOptions): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await call()
    } catch (error) {
      if (!isWorthIt(error)) throw error
      await clock.sleep(waitMs, signal)
    }
  }
  return call()
}
