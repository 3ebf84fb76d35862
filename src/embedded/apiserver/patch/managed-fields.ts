import { toTimestamp } from '../../../model/clock.ts'
import { compareText } from '../../../model/order.ts'
import type { ApiContext, WriteRequest } from '../api/context.ts'
import { isArray, isObject, type JsonObject, withAt } from '../json.ts'
import { type IncomingObject, keepsMetadata, type StoredObject } from '../object.ts'
import { apiVersionOf, hasStatus, type KindDefinition } from '../registry/definition.ts'
import {
  changeKind,
  compareFields,
  difference,
  emptySet,
  type FieldSet,
  fieldsOf,
  fieldsOfNew,
  isEmptySet,
  union,
} from './field-set.ts'

/** One entry of `metadata.managedFields`. */
export interface ManagerEntry {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string | undefined
  readonly time: string
  readonly fields: FieldSet
}

export interface Written {
  readonly next: IncomingObject
  readonly old: StoredObject | undefined
  readonly request: WriteRequest
  readonly subresource: string | undefined
}

/** Who owns what after a plain write: the writer takes what it changed, and what it removed is nobody's. */
export function fieldsOfUpdate(context: ApiContext, definition: KindDefinition, written: Written): IncomingObject {
  const { next, old, request, subresource } = written
  const sent = next.metadata['managedFields']
  const before = sent === undefined && old !== undefined ? parseEntries(old) : parseEntries(next)
  const own: ManagerEntry = {
    manager: request.fieldManager,
    operation: 'Update',
    apiVersion: apiVersionOf(definition),
    subresource,
    time: toTimestamp(context.clock.now()),
    fields: emptySet,
  }
  const [sole] = before.length === 1 ? before : []
  const isOwner = sole !== undefined && sameWriter(sole, own) && keepsMetadata(next, old)
  if (isOwner && changeKind(old, next, definition.type, sole.fields) === 'owned') {
    const entry = toWire({ ...own, fields: sole.fields })
    return { ...next, metadata: { ...next.metadata, managedFields: [entry] } }
  }
  const { changed, removed } =
    old === undefined
      ? { changed: fieldsOfNew(next, definition.type), removed: emptySet }
      : compareFields(old, next, definition.type)
  // The first status is the server's own.
  const taken = withoutServerFields(old === undefined ? withoutInitial(definition, changed) : changed)
  const gone = withoutServerFields(removed)
  if (isEmptySet(taken) && isEmptySet(gone)) return withEntries(next, before)
  const touched = union(taken, gone)
  const others: ManagerEntry[] = []
  let mine: FieldSet = emptySet
  for (const entry of before) {
    if (sameWriter(entry, own)) mine = difference(entry.fields, gone)
    else if (!isLost(entry, touched)) others.push({ ...entry, fields: difference(entry.fields, touched) })
  }
  return withEntries(next, [...others, { ...own, fields: union(mine, taken) }])
}

/** What the server itself puts into a new object. */
function withoutInitial(definition: KindDefinition, set: FieldSet): FieldSet {
  const spec = definition.table === '/namespaces' ? withAt(set, ['f:spec'], undefined) : set
  return hasStatus(definition) ? withAt(spec, ['f:status'], undefined) : spec
}

export function sameWriter(
  a: ManagerEntry,
  b: Pick<ManagerEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>,
): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource
  )
}

/** Somebody who applied nothing is still known to apply; an update that owns nothing is forgotten. */
function isKept(entry: ManagerEntry): boolean {
  return entry.operation === 'Apply' || !isEmptySet(entry.fields)
}

/** Everything the entry owned was taken by this write. */
export function isLost(entry: ManagerEntry, taken: FieldSet): boolean {
  return !isEmptySet(entry.fields) && isEmptySet(difference(entry.fields, taken))
}

export function parseEntries(object: JsonObject): readonly ManagerEntry[] {
  const list = isObject(object['metadata']) ? object['metadata']['managedFields'] : undefined
  if (!isArray(list)) return []
  return list.filter(isObject).map(parseEntry).filter(isKept)
}

function parseEntry({ manager, operation, apiVersion, subresource, time, fieldsV1 }: JsonObject): ManagerEntry {
  return {
    manager: textOf(manager) ?? '',
    operation: operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: textOf(apiVersion) ?? '',
    subresource: textOf(subresource),
    time: textOf(time) ?? '',
    fields: isObject(fieldsV1) ? fieldsV1 : emptySet,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The object with these entries, without those that own nothing, in the order an API server writes them. */
export function withEntries(object: IncomingObject, entries: readonly ManagerEntry[]): IncomingObject {
  const kept = entries.filter(isKept)
  if (kept.length > 1) kept.sort(compareEntries)
  return withAt(object, ['metadata', 'managedFields'], kept.length === 0 ? undefined : kept.map(toWire))
}

function toWire({ manager, operation, apiVersion, time, fields, subresource }: ManagerEntry): JsonObject {
  const fieldsType = 'FieldsV1'
  const entry =
    time === ''
      ? { manager, operation, apiVersion, fieldsType, fieldsV1: fields }
      : { manager, operation, apiVersion, time, fieldsType, fieldsV1: fields }
  return subresource === undefined ? entry : { ...entry, subresource }
}

function compareEntries(a: ManagerEntry, b: ManagerEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.subresource ?? '', b.subresource ?? '') ||
    compareText(a.apiVersion, b.apiVersion)
  )
}

/** Fields that the server decides or that identify the object: nobody owns them. */
const serverFields: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:uid': {},
    'f:resourceVersion': {},
    'f:generation': {},
    'f:creationTimestamp': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
    'f:selfLink': {},
  },
}

export function withoutServerFields(set: FieldSet): FieldSet {
  const metadata = set['f:metadata']
  const rest = isObject(metadata) ? { ...set, 'f:metadata': withAt(metadata, ['f:managedFields'], undefined) } : set
  return difference(rest, serverFields)
}

/** What a client owns by applying `config`. */
export function appliedFields(config: IncomingObject, definition: KindDefinition): FieldSet {
  return withoutServerFields(fieldsOf(config, definition.type))
}
