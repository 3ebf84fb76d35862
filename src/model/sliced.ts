/** Work that hands control back now and then (each `yield`), so that a long search never blocks the process. */
export type Sliced<T> = Generator<undefined, T, undefined>

/** Runs sliced work to its end at once; for tests and for callers without an event loop to spare. */
export function runToEnd<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
