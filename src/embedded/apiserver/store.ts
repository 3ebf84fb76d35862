import type { StoredObject } from './object.ts'
import { SortedKeys } from './sorted-keys.ts'

/** One committed change. `object` is the state after it; for a deletion the last state, at the revision of the deletion. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly table: string
  readonly key: string
  readonly revision: number
  readonly object: StoredObject
  readonly previous: StoredObject | undefined
}

export interface StoreOptions {
  readonly now: () => number
  /** How long a change can be replayed to a watcher. etcd's compaction of a real cluster runs every 5 minutes. */
  readonly historyMs?: number
  /** How many changes of one table can be replayed at most: bounds memory when a lot happens within `historyMs`. */
  readonly historyMax?: number
}

export type StoreListener = (event: StoreEvent) => void

/** Trimming moves the whole array, so it waits until a fair share can go. */
const trimMin = 64

interface Table {
  readonly objects: Map<string, StoredObject>
  readonly keys: SortedKeys
  history: { readonly event: StoreEvent; readonly at: number }[]
  /** History up to and including this revision is gone. */
  compacted: number
  /** At so many entries the history is looked through for what may go. */
  trimAt: number
  readonly listeners: Set<StoreListener>
}

/**
 * Versioned tables of immutable objects with one revision counter, like etcd below an API server: every commit gets the next revision,
 * a bounded history lets watchers continue from a version and readers see the past. A table is `group/plural`, a key `namespace/name`.
 */
export class Store {
  readonly #tables = new Map<string, Table>()
  readonly #listeners = new Set<StoreListener>()
  readonly #now: () => number
  readonly #historyMs: number
  readonly #historyMax: number
  #revision: number

  constructor(options: StoreOptions, revision = 1) {
    this.#now = options.now
    this.#historyMs = options.historyMs ?? 300_000
    this.#historyMax = options.historyMax ?? 100_000
    this.#revision = revision
  }

  get revision(): number {
    return this.#revision
  }

  tables(): readonly string[] {
    return [...this.#tables.keys()].sort()
  }

  get(table: string, key: string): StoredObject | undefined {
    return this.#tables.get(table)?.objects.get(key)
  }

  count(table: string): number {
    return this.#tables.get(table)?.objects.size ?? 0
  }

  /** The objects whose key starts with `prefix`, in key order. */
  list(table: string, prefix = ''): readonly StoredObject[] {
    const found = this.#tables.get(table)
    if (found === undefined) return []
    if (prefix === '') return found.keys.all.map((key) => mustGet(found.objects, key))
    const { from, to } = found.keys.rangeOf(prefix)
    return found.keys.all.slice(from, to).map((key) => mustGet(found.objects, key))
  }

  /** Stores a new or changed object under the next revision and returns it with that resourceVersion. */
  put(table: string, key: string, object: StoredObject): StoredObject {
    const target = this.#table(table)
    const previous = target.objects.get(key)
    this.#revision += 1
    const stored = atRevision(object, this.#revision)
    target.objects.set(key, stored)
    if (previous === undefined) target.keys.add(key)
    const type = previous === undefined ? 'ADDED' : 'MODIFIED'
    this.#publish(target, { type, table, key, revision: this.#revision, object: stored, previous })
    return stored
  }

  remove(table: string, key: string): StoredObject | undefined {
    const target = this.#table(table)
    const previous = target.objects.get(key)
    if (previous === undefined) return undefined
    this.#revision += 1
    target.objects.delete(key)
    target.keys.remove(key)
    const object = atRevision(previous, this.#revision)
    this.#publish(target, { type: 'DELETED', table, key, revision: this.#revision, object, previous })
    return object
  }

  /** The changes of a table after `revision`, oldest first; 'expired' when some of them are no longer kept. */
  since(table: string, revision: number): readonly StoreEvent[] | 'expired' {
    const target = this.#table(table)
    this.#trim(target)
    if (revision < target.compacted) return 'expired'
    const from = firstAfter(target.history, revision)
    return target.history.slice(from).map((entry) => entry.event)
  }

  /** The objects of a table as they were at `revision`, in key order. */
  listAt(table: string, prefix: string, revision: number): readonly StoredObject[] | 'expired' {
    if (revision >= this.#revision) return this.list(table, prefix)
    const later = this.since(table, revision)
    if (later === 'expired') return 'expired'
    if (later.length === 0) return this.list(table, prefix)
    const past = new Map<string, StoredObject | undefined>()
    for (const event of later) if (!past.has(event.key)) past.set(event.key, event.previous)
    const current = this.#table(table)
    const keys = [...current.keys.all.filter((key) => !past.has(key)), ...past.keys()].sort()
    return keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => (past.has(key) ? past.get(key) : current.objects.get(key)))
      .filter((object) => object !== undefined)
  }

  getAt(table: string, key: string, revision: number): StoredObject | undefined | 'expired' {
    const later = this.since(table, revision)
    if (later === 'expired') return 'expired'
    const first = later.find((event) => event.key === key)
    return first === undefined ? this.get(table, key) : first.previous
  }

  /** Calls `listener` for every later change of `table`, or of all tables, during the commit. Returns how to stop. */
  subscribe(table: string | 'all', listener: StoreListener): () => void {
    const listeners = table === 'all' ? this.#listeners : this.#table(table).listeners
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  /** Forgets all history, as a compaction of etcd does: watches from before now get `Expired`. */
  compact(): void {
    for (const table of this.#tables.values()) {
      table.history = []
      table.compacted = this.#revision
    }
  }

  /** Replaces everything, as a restore from a saved state does. History starts anew. */
  load(revision: number, entries: Iterable<{ table: string; key: string; object: StoredObject }>): void {
    this.#revision = revision
    for (const table of this.#tables.values()) {
      for (const key of table.objects.keys()) table.keys.remove(key)
      table.objects.clear()
    }
    for (const { table, key, object } of entries) {
      const target = this.#table(table)
      target.objects.set(key, object)
      target.keys.add(key)
    }
    this.compact()
  }

  #table(name: string): Table {
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = {
        objects: new Map(),
        keys: new SortedKeys(),
        history: [],
        compacted: 0,
        trimAt: trimMin,
        listeners: new Set(),
      }
      this.#tables.set(name, table)
    }
    return table
  }

  #publish(table: Table, event: StoreEvent): void {
    table.history.push({ event, at: this.#now() })
    if (table.history.length >= table.trimAt) {
      this.#trim(table)
      table.trimAt = Math.max(trimMin, Math.min(table.history.length * 2, this.#historyMax * 1.25))
    }
    for (const listener of [...table.listeners]) listener(event)
    for (const listener of [...this.#listeners]) listener(event)
  }

  #trim(table: Table): void {
    const oldest = this.#now() - this.#historyMs
    let drop = Math.max(0, table.history.length - this.#historyMax)
    while (drop < table.history.length && (table.history[drop]?.at ?? oldest) < oldest) drop += 1
    if (drop === 0) return
    table.compacted = table.history[drop - 1]?.event.revision ?? table.compacted
    table.history = table.history.slice(drop)
  }
}

function atRevision(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

function firstAfter(history: Table['history'], revision: number): number {
  let low = 0
  let high = history.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((history[middle]?.event.revision ?? 0) <= revision) low = middle + 1
    else high = middle
  }
  return low
}

function mustGet(objects: ReadonlyMap<string, StoredObject>, key: string): StoredObject {
  const object = objects.get(key)
  if (object === undefined) throw new Error(`store index names ${key}, which is not stored`)
  return object
}
