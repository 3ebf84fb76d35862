/**
 * Go's `sort.Slice`: pattern-defeating quicksort. It is not stable, so whoever wants the same order as a Go program among equal
 * elements has to run the same steps. Up to 12 elements it is an insertion sort, which is stable.
 */
export function goSort<T>(list: T[], less: (a: T, b: T) => boolean): void {
  const swap = (i: number, j: number): void => {
    const held = at(list, i)
    list[i] = at(list, j)
    list[j] = held
  }
  sortIndexes(list.length, (i, j) => less(at(list, i), at(list, j)), swap)
}

type Less = (i: number, j: number) => boolean
type Swap = (i: number, j: number) => void
type Hint = 'unknown' | 'increasing' | 'decreasing'

/** The same over whatever stands behind the indexes 0 … length − 1. */
export function sortIndexes(length: number, less: Less, swap: Swap): void {
  new PatternDefeating(less, swap).sort(0, length, bitLength(length))
}

const insertionMax = 12
const ninther = 50
const pivotSwapsMax = 4 * 3

class PatternDefeating {
  readonly #less: Less
  readonly #swap: Swap

  constructor(less: Less, swap: Swap) {
    this.#less = less
    this.#swap = swap
  }

  sort(start: number, end: number, budget: number): void {
    let a = start
    let b = end
    let limit = budget
    let wasBalanced = true
    let wasPartitioned = true
    for (;;) {
      const length = b - a
      if (length <= insertionMax) return this.#insertion(a, b)
      if (limit === 0) return this.#heap(a, b)
      if (!wasBalanced) {
        this.#breakPatterns(a, b)
        limit -= 1
      }
      let { pivot, hint } = this.#choosePivot(a, b)
      if (hint === 'decreasing') {
        this.#reverse(a, b)
        pivot = b - 1 - (pivot - a)
        hint = 'increasing'
      }
      if (wasBalanced && wasPartitioned && hint === 'increasing' && this.#partialInsertion(a, b)) return
      if (a > 0 && !this.#less(a - 1, pivot)) {
        a = this.#partitionEqual(a, b, pivot)
        continue
      }
      const { middle, alreadyPartitioned } = this.#partition(a, b, pivot)
      wasPartitioned = alreadyPartitioned
      const left = middle - a
      const right = b - middle
      const balanced = Math.floor(length / 8)
      if (left < right) {
        wasBalanced = left >= balanced
        this.sort(a, middle, limit)
        a = middle + 1
      } else {
        wasBalanced = right >= balanced
        this.sort(middle + 1, b, limit)
        b = middle
      }
    }
  }

  #insertion(a: number, b: number): void {
    for (let i = a + 1; i < b; i += 1) {
      for (let j = i; j > a && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1)
    }
  }

  #heap(a: number, b: number): void {
    const length = b - a
    for (let i = Math.floor((length - 1) / 2); i >= 0; i -= 1) this.#siftDown(i, length, a)
    for (let i = length - 1; i >= 0; i -= 1) {
      this.#swap(a, a + i)
      this.#siftDown(0, i, a)
    }
  }

  #siftDown(from: number, length: number, first: number): void {
    let root = from
    for (;;) {
      let child = 2 * root + 1
      if (child >= length) return
      if (child + 1 < length && this.#less(first + child, first + child + 1)) child += 1
      if (!this.#less(first + root, first + child)) return
      this.#swap(first + root, first + child)
      root = child
    }
  }

  #partition(a: number, b: number, pivot: number): { middle: number; alreadyPartitioned: boolean } {
    this.#swap(a, pivot)
    let i = a + 1
    let j = b - 1
    while (i <= j && this.#less(i, a)) i += 1
    while (i <= j && !this.#less(j, a)) j -= 1
    if (i > j) {
      this.#swap(j, a)
      return { middle: j, alreadyPartitioned: true }
    }
    this.#swap(i, j)
    i += 1
    j -= 1
    for (;;) {
      while (i <= j && this.#less(i, a)) i += 1
      while (i <= j && !this.#less(j, a)) j -= 1
      if (i > j) break
      this.#swap(i, j)
      i += 1
      j -= 1
    }
    this.#swap(j, a)
    return { middle: j, alreadyPartitioned: false }
  }

  #partitionEqual(a: number, b: number, pivot: number): number {
    this.#swap(a, pivot)
    let i = a + 1
    let j = b - 1
    for (;;) {
      while (i <= j && !this.#less(a, i)) i += 1
      while (i <= j && this.#less(a, j)) j -= 1
      if (i > j) return i
      this.#swap(i, j)
      i += 1
      j -= 1
    }
  }

  #partialInsertion(a: number, b: number): boolean {
    let i = a + 1
    for (let step = 0; step < 5; step += 1) {
      while (i < b && !this.#less(i, i - 1)) i += 1
      if (i === b) return true
      if (b - a < ninther) return false
      this.#swap(i, i - 1)
      if (i - a >= 2) {
        for (let j = i - 1; j >= 1 && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1)
      }
      if (b - i >= 2) {
        for (let j = i + 1; j < b && this.#less(j, j - 1); j += 1) this.#swap(j, j - 1)
      }
    }
    return false
  }

  #breakPatterns(a: number, b: number): void {
    const length = b - a
    if (length < 8) return
    let random = BigInt(length)
    const modulus = 1 << bitLength(length)
    const center = a + Math.floor(length / 4) * 2
    for (let i = 0; i < 3; i += 1) {
      random = BigInt.asUintN(64, random ^ (random << 13n))
      random ^= random >> 7n
      random = BigInt.asUintN(64, random ^ (random << 17n))
      let other = Number(random & BigInt(modulus - 1))
      if (other >= length) other -= length
      this.#swap(center - 1 + i, a + other)
    }
  }

  #choosePivot(a: number, b: number): { pivot: number; hint: Hint } {
    const length = b - a
    const quarter = Math.floor(length / 4)
    const swaps = { count: 0 }
    let i = a + quarter
    let j = a + quarter * 2
    let k = a + quarter * 3
    if (length >= 8) {
      if (length >= ninther) {
        i = this.#median(i - 1, i, i + 1, swaps)
        j = this.#median(j - 1, j, j + 1, swaps)
        k = this.#median(k - 1, k, k + 1, swaps)
      }
      j = this.#median(i, j, k, swaps)
    }
    if (swaps.count === 0) return { pivot: j, hint: 'increasing' }
    return { pivot: j, hint: swaps.count === pivotSwapsMax ? 'decreasing' : 'unknown' }
  }

  #median(first: number, second: number, third: number, swaps: { count: number }): number {
    let [a, b, c] = [first, second, third]
    const order = (): void => {
      if (this.#less(b, a)) {
        swaps.count += 1
        ;[a, b] = [b, a]
      }
    }
    order()
    if (this.#less(c, b)) {
      swaps.count += 1
      ;[b, c] = [c, b]
    }
    order()
    return b
  }

  #reverse(a: number, b: number): void {
    for (let i = a, j = b - 1; i < j; i += 1, j -= 1) this.#swap(i, j)
  }
}

/** As Go's bits.Len: the number of bits that the value needs. */
function bitLength(value: number): number {
  return 32 - Math.clz32(value)
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new RangeError(`no element at ${index}`)
  return value
}
