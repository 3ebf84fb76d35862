import type { Timer } from '../model/clock.ts'

interface Entry {
  readonly at: number
  readonly sequence: number
  run: (() => void) | undefined
}

/** Timers by (time, order of scheduling): a binary heap in which a cancelled timer stays until it comes up. */
export class TimerQueue {
  readonly #heap: Entry[] = []
  #sequence = 0
  #live = 0

  get size(): number {
    return this.#live
  }

  add(at: number, run: () => void): Timer {
    const entry: Entry = { at, sequence: this.#sequence, run }
    this.#sequence += 1
    this.#live += 1
    this.#heap.push(entry)
    this.#siftUp(this.#heap.length - 1)
    return {
      cancel: () => {
        if (entry.run === undefined) return
        entry.run = undefined
        this.#live -= 1
      },
    }
  }

  /** When the next timer is due; undefined when there is none. */
  nextAt(): number | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined) return undefined
      if (first.run !== undefined) return first.at
      this.#pop()
    }
  }

  /** Takes the next timer out. */
  take(): { readonly at: number; readonly run: () => void } | undefined {
    for (;;) {
      const first = this.#pop()
      if (first === undefined) return undefined
      const { at, run } = first
      if (run === undefined) continue
      first.run = undefined
      this.#live -= 1
      return { at, run }
    }
  }

  #pop(): Entry | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined || first === last) return first
    this.#heap[0] = last
    this.#siftDown(0)
    return first
  }

  #siftUp(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if (!this.#swapIfLater(parent, index)) return
      index = parent
    }
  }

  #siftDown(from: number): void {
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      const a = this.#heap[left]
      if (a === undefined) return
      const b = this.#heap[right]
      const child = b !== undefined && isLater(a, b) ? right : left
      if (!this.#swapIfLater(index, child)) return
      index = child
    }
  }

  #swapIfLater(first: number, second: number): boolean {
    const a = this.#heap[first]
    const b = this.#heap[second]
    if (a === undefined || b === undefined || !isLater(a, b)) return false
    this.#heap[first] = b
    this.#heap[second] = a
    return true
  }
}

function isLater(a: Entry, b: Entry): boolean {
  return a.at > b.at || (a.at === b.at && a.sequence > b.sequence)
}
