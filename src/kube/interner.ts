/** Texts that are remembered. A workload has a handful; when there are more than this, those that are rare are not worth keeping. */
const rememberedMax = 10_000

/**
 * Gives equal values as one object, so that thousands of pods of a workload hold its labels and resources once. What it returns is
 * shared: never change it. It remembers a bounded number of values; forgotten ones are merely not shared with those that come later.
 */
export class Interner {
  readonly #known = new Map<string, unknown>()

  /** `value` is plain JSON. Values are the same when they are written the same, order of keys included. */
  intern<T extends object>(value: T): T {
    const text = JSON.stringify(value)
    const known = this.#known.get(text)
    if (known !== undefined) return known as T
    if (this.#known.size >= rememberedMax) this.#known.clear()
    this.#known.set(text, value)
    return value
  }
}
