import type { KubeObject } from '../api/kubernetes.ts'
import { compareText } from '../model/order.ts'
import type { ObjectKey } from './resource.ts'
import { keyOf, keyText } from './resource.ts'

/** Objects of one kind by key, with indexes, listed by namespace and name. A listing that was handed out never changes. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, Index<T>>()
  /** Made when somebody asks for it, as a first list brings its objects in no order. */
  #sorted: SortedObjects<T> | undefined

  get size(): number {
    return this.#objects.size
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key))
  }

  list(): readonly T[] {
    this.#sorted ??= new SortedObjects(this.#objects.values())
    return this.#sorted.list()
  }

  put(object: T): void {
    const key = keyText(keyOf(object))
    const before = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#sorted?.put(object)
    for (const index of this.#indexes.values()) index.put(before, object)
  }

  remove(object: T): void {
    const key = keyText(keyOf(object))
    const before = this.#objects.get(key)
    if (before === undefined) return
    this.#objects.delete(key)
    this.#sorted?.remove(before)
    for (const index of this.#indexes.values()) index.put(before, undefined)
  }

  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    const known = this.#indexes.get(name)
    if (known !== undefined) {
      if (known.valuesOf !== valuesOf) throw new Error(`there is another index ${JSON.stringify(name)}`)
      return
    }
    const index = new Index(valuesOf)
    for (const object of this.#objects.values()) index.put(undefined, object)
    this.#indexes.set(name, index)
  }

  by(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`there is no index ${JSON.stringify(name)}`)
    return index.list(value)
  }
}

class Index<T extends KubeObject> {
  readonly valuesOf: (object: T) => readonly string[]
  readonly #members = new Map<string, SortedObjects<T>>()

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.valuesOf = valuesOf
  }

  list(value: string): readonly T[] {
    return this.#members.get(value)?.list() ?? []
  }

  /** Both are versions of one object. */
  put(before: T | undefined, after: T | undefined): void {
    const values = after === undefined ? [] : this.valuesOf(after)
    for (const value of before === undefined ? [] : this.valuesOf(before)) {
      const members = this.#members.get(value)
      if (before === undefined || members === undefined || values.includes(value)) continue
      members.remove(before)
      if (members.size === 0) this.#members.delete(value)
    }
    if (after === undefined) return
    for (const value of values) {
      const members = this.#members.get(value)
      if (members === undefined) this.#members.set(value, new SortedObjects([after]))
      else members.put(after)
    }
  }
}

/** Kept in order, so that a change costs a binary search and not a sort. */
class SortedObjects<T extends KubeObject> {
  #objects: T[]
  #handedOut = false

  constructor(objects: Iterable<T>) {
    this.#objects = [...objects].toSorted(compareObjects)
  }

  get size(): number {
    return this.#objects.length
  }

  list(): readonly T[] {
    this.#handedOut = true
    return this.#objects
  }

  put(object: T): void {
    const at = positionOf(this.#objects, object)
    const known = this.#objects[at]
    const isKnown = known !== undefined && compareObjects(known, object) === 0
    this.#own().splice(at, isKnown ? 1 : 0, object)
  }

  remove(object: T): void {
    const at = positionOf(this.#objects, object)
    const known = this.#objects[at]
    if (known !== undefined && compareObjects(known, object) === 0) this.#own().splice(at, 1)
  }

  /** Ours to change: what was handed out stays as it is. */
  #own(): T[] {
    if (this.#handedOut) {
      this.#objects = [...this.#objects]
      this.#handedOut = false
    }
    return this.#objects
  }
}

/** By namespace, then name: the order every list of objects has. */
function compareObjects(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || compareText(a.metadata.name, b.metadata.name)
  )
}

/** Where an object of this key is, or belongs. */
function positionOf(sorted: readonly KubeObject[], object: KubeObject): number {
  let low = 0
  let high = sorted.length
  // Lists come in order.
  const last = sorted.at(-1)
  if (last !== undefined && compareObjects(last, object) < 0) return high
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = sorted[middle]
    if (found !== undefined && compareObjects(found, object) < 0) low = middle + 1
    else high = middle
  }
  return low
}
