import type { Sliced } from '../../src/model/sliced.ts'

/**
 * Runs sliced work to its end and remembers how long the longest slice kept everything else waiting. In processor time of the thread:
 * what other processes on the machine take is not the solver's doing.
 */
export class SliceTimer {
  longestMs = 0
  /** Of all slices so far. */
  totalMs = 0

  run<T>(work: Sliced<T>): T {
    for (;;) {
      const started = threadMs()
      const step = work.next()
      const took = threadMs() - started
      this.longestMs = Math.max(this.longestMs, took)
      this.totalMs += took
      if (step.done === true) return step.value
    }
  }
}

/** Processor time of this thread so far. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
