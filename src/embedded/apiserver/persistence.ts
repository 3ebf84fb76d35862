import { isArray, isObject } from './json.ts'
import { asStored, storeKeyOf } from './object.ts'
import type { Store } from './store.ts'

/** Everything a server holds, as JSON. Histories are not part of it: watchers start over after a restore. */
export interface SavedState {
  readonly formatVersion: 1
  readonly revision: number
  readonly tables: Readonly<Record<string, readonly object[]>>
}

export class StateFormatError extends Error {
  readonly code = 'StateFormat'
  override readonly name = 'StateFormatError'
}

export function saveState(store: Store): SavedState {
  const tables = Object.fromEntries(
    store
      .tables()
      .map((table) => [table, store.list(table)] as const)
      .filter(([, objects]) => objects.length > 0),
  )
  return { formatVersion: 1, revision: store.revision, tables }
}

/** Replaces what the store holds. @throws StateFormatError when the value is no saved state. */
export function loadState(store: Store, state: unknown): void {
  if (
    !isObject(state) ||
    state['formatVersion'] !== 1 ||
    typeof state['revision'] !== 'number' ||
    !isObject(state['tables'])
  ) {
    throw new StateFormatError('not a saved state of an embedded API server')
  }
  const entries = Object.entries(state['tables']).flatMap(([table, objects]) => {
    if (!isArray(objects)) throw new StateFormatError(`table ${table} is not a list`)
    return objects.filter(isObject).map((value) => {
      const object = asStored(value)
      return { table, key: storeKeyOf(object.metadata.namespace, object.metadata.name), object }
    })
  })
  store.load(state['revision'], entries)
}
