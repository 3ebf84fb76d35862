/** One to two milliseconds of work, counted in nodes and claims looked at. */
const workPerSlice = 10_000

/**
 * When the solves on a snapshot hand back control. A simulation for one node is much less than a slice, and a pause after each would take
 * longer than the simulations: timers count in milliseconds. So the work of all of them counts together.
 */
export class SlicePace {
  #done = 0

  /** Whether so much more work fills a slice: then control is to be handed back. */
  fills(work: number): boolean {
    this.#done += work
    if (this.#done < workPerSlice) return false
    this.#done = 0
    return true
  }
}
