import type { StoredObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { partialOf } from './partial-object.ts'

interface TableOptions {
  /** How much of the object a row carries. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  readonly now: number
}

/** Rows as kubectl prints them. */
export function tableOf(
  definition: KindDefinition,
  objects: readonly StoredObject[],
  listMetadata: object,
  options: TableOptions,
): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMetadata,
    columnDefinitions: definition.columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format: format ?? '',
      description: description ?? '',
      priority,
    })),
    rows: objects.map((object) => ({
      cells: definition.columns.map((column) => column.value(object, options.now)),
      ...rowObject(object, options),
    })),
  }
}

function rowObject(object: StoredObject, { includeObject }: TableOptions): object {
  switch (includeObject) {
    case 'None':
      return {}
    case 'Object':
      return { object }
    case 'Metadata':
      return { object: partialOf(object) }
  }
}

export function tableOptions(query: URLSearchParams, now: number): TableOptions {
  const include = query.get('includeObject')
  return { includeObject: include === 'None' || include === 'Object' ? include : 'Metadata', now }
}
