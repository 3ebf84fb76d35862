import { sortIndexes } from '../model/go-sort.ts'

/** Below this length upstream's sort does not shift single elements. */
const shiftingMin = 50
const insertionMax = 12

/** Room for claims at first: a simulation opens one or two, and arrays of up to so many numbers are made without a detour. */
export const firstClaims = 16

/**
 * The order in which claims in flight are tried: by pods, as Go's sort.Slice leaves it after each change. Between two sorts exactly
 * one claim gains a pod or is appended, so the long steps of that sort come down to moving one element past its equals.
 */
export class ClaimOrder {
  #order = new Int32Array(firstClaims)
  #pods = new Int32Array(firstClaims)
  #length = 0
  /** Position of the only element that may be out of place; −1 when all is in order. */
  #changed = -1

  get length(): number {
    return this.#length
  }

  at(position: number): number {
    return this.#order[position] ?? -1
  }

  /** Appends a claim, which has one pod. */
  append(claim: number): void {
    this.sort()
    if (this.#length === this.#order.length) {
      this.#order = grown(this.#order)
      this.#pods = grown(this.#pods)
    }
    this.#order[this.#length] = claim
    this.#pods[this.#length] = 1
    this.#changed = this.#length
    this.#length += 1
  }

  /** The claim at the position gained a pod. */
  gained(position: number): void {
    this.#pods[position] = (this.#pods[position] ?? 0) + 1
    this.#changed = position
  }

  sort(): void {
    const changed = this.#changed
    if (changed === -1) return
    this.#changed = -1
    const { length } = this
    if (length <= insertionMax || (length >= shiftingMin && this.#looksIncreasing())) this.#settle(changed)
    else
      sortIndexes(
        length,
        (i, j) => this.#before(i, j),
        (i, j) => this.#swap(i, j),
      )
  }

  /** Moves the one element that is out of place to where an insertion sort, stable, leaves it. */
  #settle(position: number): void {
    const pods = this.#pods
    const value = pods[position] ?? 0
    const last = this.#length - 1
    if (position > 0 && (pods[position - 1] ?? 0) > value) this.#move(position, lowerEnd(pods, position, value))
    else if (position < last && (pods[position + 1] ?? 0) < value) {
      this.#move(position, upperEnd(pods, position, last, value))
    }
  }

  #move(from: number, to: number): void {
    const claim = this.#order[from] ?? 0
    const value = this.#pods[from] ?? 0
    if (to < from) {
      this.#order.copyWithin(to + 1, to, from)
      this.#pods.copyWithin(to + 1, to, from)
    } else {
      this.#order.copyWithin(from, from + 1, to + 1)
      this.#pods.copyWithin(from, from + 1, to + 1)
    }
    this.#order[to] = claim
    this.#pods[to] = value
  }

  /** The nine elements from which upstream's sort picks its pivot are in order, so that it goes on to shift single elements. */
  #looksIncreasing(): boolean {
    const quarter = Math.floor(this.#length / 4)
    for (const centre of [quarter, quarter * 2, quarter * 3]) {
      if (this.#before(centre, centre - 1) || this.#before(centre + 1, centre)) return false
    }
    return !this.#before(quarter * 2, quarter) && !this.#before(quarter * 3, quarter * 2)
  }

  #before(i: number, j: number): boolean {
    return (this.#pods[i] ?? 0) < (this.#pods[j] ?? 0)
  }

  #swap(i: number, j: number): void {
    const claim = this.#order[i] ?? 0
    const value = this.#pods[i] ?? 0
    this.#order[i] = this.#order[j] ?? 0
    this.#pods[i] = this.#pods[j] ?? 0
    this.#order[j] = claim
    this.#pods[j] = value
  }
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** First position whose value is larger: an element moving down stays behind its equals. */
function lowerEnd(pods: Int32Array, end: number, value: number): number {
  let low = 0
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pods[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

/** Last position whose value is smaller: an element moving up stays before its equals. */
function upperEnd(pods: Int32Array, start: number, last: number, value: number): number {
  let low = start + 1
  let high = last + 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pods[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low - 1
}
