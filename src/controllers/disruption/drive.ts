import type { Sliced } from '../../model/sliced.ts'
import type { Clock } from '../../model/clock.ts'

/**
 * Runs sliced work to its end and lets everything else have its turn between slices. When to pause is the work's own decision, so
 * that a run under a virtual clock is the same every time.
 */
export async function drive<T>(work: Sliced<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await clock.sleep(0, signal)
  }
}
