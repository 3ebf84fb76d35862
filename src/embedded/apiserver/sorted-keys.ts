/** The keys of one table in order, kept sorted so that lists, pages and prefixes need no sorting. */
export class SortedKeys {
  readonly #keys: string[] = []

  add(key: string): void {
    const index = this.firstAtOrAfter(key)
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key)
  }

  remove(key: string): void {
    const index = this.firstAtOrAfter(key)
    if (this.#keys[index] === key) this.#keys.splice(index, 1)
  }

  get all(): readonly string[] {
    return this.#keys
  }

  /** Keys that start with `prefix`, as a half-open index range. */
  rangeOf(prefix: string): { from: number; to: number } {
    if (prefix === '') return { from: 0, to: this.#keys.length }
    // U+FFFF sorts after every character a name can hold.
    return { from: this.firstAtOrAfter(prefix), to: this.firstAtOrAfter(`${prefix}\uFFFF`) }
  }

  firstAtOrAfter(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
