import type { KubeObject } from '../api/kubernetes.ts'
import { compareText } from '../model/order.ts'
import type { ObjectKey } from './resource.ts'
import { keyOf, keyText } from './resource.ts'

/** Objects of one kind by key, with indexes, listed by namespace and name. A listing that was handed out never changes. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, Index<T>>()
  #sorted: T[] | undefined
  #handedOut = false

  get size(): number {
    return this.#objects.size
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key))
  }

  list(): readonly T[] {
    this.#sorted ??= [...this.#objects.values()].toSorted(compareObjects)
    this.#handedOut = true
    return this.#sorted
  }

  put(object: T): void {
    const key = keyText(keyOf(object))
    const before = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#place(object, before === undefined ? 'insert' : 'replace')
    for (const index of this.#indexes.values()) {
      if (before !== undefined) index.remove(key, before)
      index.add(key, object)
    }
  }

  remove(object: T): void {
    const key = keyText(keyOf(object))
    const before = this.#objects.get(key)
    if (before === undefined) return
    this.#objects.delete(key)
    this.#place(before, 'remove')
    for (const index of this.#indexes.values()) index.remove(key, before)
  }

  /** Keeps the sorted list up to date, so that a change costs a binary search and not a sort. */
  #place(object: T, how: 'insert' | 'replace' | 'remove'): void {
    if (this.#sorted === undefined) return
    if (this.#handedOut) {
      this.#sorted = [...this.#sorted]
      this.#handedOut = false
    }
    const at = positionOf(this.#sorted, object)
    if (how === 'insert') this.#sorted.splice(at, 0, object)
    else if (how === 'replace') this.#sorted[at] = object
    else this.#sorted.splice(at, 1)
  }

  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    if (this.#indexes.has(name)) return
    const index = new Index(valuesOf)
    for (const [key, object] of this.#objects) index.add(key, object)
    this.#indexes.set(name, index)
  }

  by(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`there is no index ${JSON.stringify(name)}`)
    return index.list(value)
  }
}

class Index<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[]
  readonly #members = new Map<string, { readonly objects: Map<string, T>; sorted: readonly T[] | undefined }>()

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf
  }

  list(value: string): readonly T[] {
    const members = this.#members.get(value)
    if (members === undefined) return []
    members.sorted ??= [...members.objects.values()].toSorted(compareObjects)
    return members.sorted
  }

  add(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      let members = this.#members.get(value)
      if (members === undefined) {
        members = { objects: new Map(), sorted: undefined }
        this.#members.set(value, members)
      }
      members.objects.set(key, object)
      members.sorted = undefined
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const members = this.#members.get(value)
      if (members === undefined) continue
      members.objects.delete(key)
      members.sorted = undefined
      if (members.objects.size === 0) this.#members.delete(value)
    }
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
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = sorted[middle]
    if (found !== undefined && compareObjects(found, object) < 0) low = middle + 1
    else high = middle
  }
  return low
}
