/**
 * What fields of resources held when a look at them found nothing to do or to say. It goes by identity, so it serves whoever never
 * changes an object, as a store: who sends back what came from there, with another status, shares all the rest with it.
 */
export class KnownParts {
  readonly #byField = new Map<string, WeakSet<object>>()

  has(field: string, part: unknown): boolean {
    return typeof part === 'object' && part !== null && this.#byField.get(field)?.has(part) === true
  }

  add(field: string, part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    let parts = this.#byField.get(field)
    if (parts === undefined) {
      parts = new WeakSet()
      this.#byField.set(field, parts)
    }
    parts.add(part)
  }
}
