/**
 * Parts of objects that an earlier check found in order, remembered by identity. Only for callers that never mutate objects: a status
 * update then shares the rest, which is not checked again.
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
