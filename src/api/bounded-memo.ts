/** All texts of a memo together, in characters, unless it says otherwise. */
const lengthMaxUsually = 2 ** 20

/**
 * What is computed from a key, mostly a text, once for as long as there is room. A full memo starts over: what recurs is soon there again,
 * and a client that makes up ever new texts does not grow it, however long they are.
 */
export class BoundedMemo<Key, Value> {
  readonly #known = new Map<Key, Value>()
  readonly #sizeMax: number
  readonly #lengthMax: number
  #length = 0

  /** `lengthMax`: of all keys together; a longer one is not remembered. */
  constructor(sizeMax: number, lengthMax = lengthMaxUsually) {
    this.#sizeMax = sizeMax
    this.#lengthMax = lengthMax
  }

  /** The value depends on nothing but the key. What throws is not remembered, nor is undefined. */
  of(key: Key, compute: (key: Key) => Value): Value {
    const found = this.#known.get(key)
    if (found !== undefined) return found
    const value = compute(key)
    const length = typeof key === 'string' ? key.length : 0
    if (value === undefined || length > this.#lengthMax) return value
    if (this.#known.size >= this.#sizeMax || this.#length + length > this.#lengthMax) {
      this.#known.clear()
      this.#length = 0
    }
    this.#known.set(key, value)
    this.#length += length
    return value
  }
}
