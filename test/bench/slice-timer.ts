/** Runs sliced work to its end and remembers how long the longest slice kept everything else waiting. */
export class SliceTimer {
  longestMs = 0

  run<T>(work: Generator<undefined, T, undefined>): T {
    for (;;) {
      const started = performance.now()
      const step = work.next()
      this.longestMs = Math.max(this.longestMs, performance.now() - started)
      if (step.done === true) return step.value
    }
  }
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
