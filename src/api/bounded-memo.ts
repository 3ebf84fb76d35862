/**
 * What is computed from a key, mostly a text, once for as long as there is room. A full memo starts over: what recurs is soon there again,
 * and a client that makes up ever new texts does not grow it.
 */
export class BoundedMemo<Key, Value> {
  readonly #known = new Map<Key, Value>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  /** The value depends on nothing but the key. What throws is not remembered, nor is undefined. */
  of(key: Key, compute: (key: Key) => Value): Value {
    const found = this.#known.get(key)
    if (found !== undefined) return found
    const value = compute(key)
    if (this.#known.size >= this.#sizeMax) this.#known.clear()
    this.#known.set(key, value)
    return value
  }
}
