/** So many turns share one look at sockets, files and other processes, which costs more than many a timer's work. */
const turnsPerPass = 16

/**
 * Turns of the event loop, one after another: before each, every promise that can settle has settled, and rejections that nobody
 * handles have been told. Sockets and the like are looked at before every sixteenth.
 */
export class Turns {
  #ordered = 0
  #begin: (() => void) | undefined

  /** Resolves after everything that is already runnable has run. Only one may wait. */
  next(): Promise<void> {
    if (this.#ordered === 0) this.#order()
    return new Promise((resolve) => {
      this.#begin = resolve
    })
  }

  /** Node drains promises between immediates of one pass as it does between passes. */
  #order(): void {
    this.#ordered = turnsPerPass
    for (let turn = 0; turn < turnsPerPass; turn += 1) {
      setImmediate(() => {
        this.#ordered -= 1
        const begin = this.#begin
        this.#begin = undefined
        begin?.()
      })
    }
  }
}
