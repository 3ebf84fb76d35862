import { toTimestamp } from '../../../model/clock.ts'
import { KubeError } from '../../../kube/errors.ts'
import type { ApiContext, WriteRequest } from '../api/context.ts'
import { isArray, isObject, type JsonObject, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { type ListType, memberType, type TypeNode } from '../types/type-node.ts'
import {
  childAt,
  compareFields,
  difference,
  emptySet,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmptySet,
  isMember,
  itemStep,
  pathTexts,
  stepsOf,
  union,
} from './field-set.ts'
import {
  appliedFields,
  isLost,
  type ManagerEntry,
  parseEntries,
  sameWriter,
  withoutServerFields,
} from './managed-fields.ts'

export interface ApplyInput {
  readonly config: IncomingObject
  readonly force: boolean
  readonly subresource: string | undefined
  readonly request: WriteRequest
}

export interface Applied {
  readonly object: JsonObject
  /** The managers after the apply, without regard to what admission changes. */
  readonly entries: readonly ManagerEntry[]
}

/**
 * Server-side apply: the configuration is merged into the live object, what this manager applied before and left out now goes away unless
 * somebody else owns it, and a changed field that another manager owns is a conflict unless forced.
 */
export function applyTo(
  context: ApiContext,
  definition: KindDefinition,
  live: StoredObject,
  input: ApplyInput,
): Applied {
  const { config, force, request, subresource } = input
  const own: ManagerEntry = {
    manager: request.fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(definition),
    subresource,
    time: toTimestamp(context.clock.now()),
    fields: appliedFields(config, definition),
  }
  const entries = knownEntries(live, definition)
  const before = entries.find((entry) => sameWriter(entry, own))
  const others = entries.filter((entry) => !sameWriter(entry, own))
  const merged = mergeTyped(live, config, definition.type)
  const kept = others.reduce<FieldSet>((all, entry) => union(all, entry.fields), own.fields)
  const pruned = prune(merged, difference(before?.fields ?? emptySet, own.fields), kept, definition.type)
  const object = isObject(pruned) ? pruned : {}

  const changes = compareFields(live, object, definition.type)
  const changed = withoutServerFields(changes.changed)
  const allowed = request.fieldManager === 'kubectl' ? lastAppliedFields(live, definition) : emptySet
  const conflicts = others
    .map((entry) => ({ entry, fields: difference(intersection(entry.fields, changed), allowed) }))
    .filter(({ fields }) => !isEmptySet(fields))
  if (conflicts.length > 0 && !force) throw conflictError(conflicts)
  const removed = withoutServerFields(changes.removed)
  const lost = union(changed, removed)
  const left = others
    .filter((entry) => !isLost(entry, lost))
    .map((entry) => ({ ...entry, fields: difference(entry.fields, lost) }))
  const same =
    before !== undefined &&
    isEmptySet(difference(before.fields, own.fields)) &&
    isEmptySet(difference(own.fields, before.fields))
  const told = request.fieldManager === 'kubectl' ? withLastApplied(object, config) : object
  return { object: told, entries: [...left, same && isEmptySet(lost) ? before : own] }
}

const lastAppliedPath = ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration']

/**
 * What kubectl applied on its own side before. It may take that over when it comes to apply on the server's, whoever owns it; as
 * apimachinery's `lastAppliedManager`.
 */
function lastAppliedFields(live: StoredObject, definition: KindDefinition): FieldSet {
  const applied = parseObject(textAt(live, ...lastAppliedPath) ?? '')
  return applied === undefined ? emptySet : withoutServerFields(fieldsOf(applied, definition.type))
}

/** The annotation follows, so that kubectl can go back to apply on its own side; as apimachinery's `lastAppliedUpdater`. */
function withLastApplied(object: JsonObject, config: IncomingObject): JsonObject {
  if (textAt(object, ...lastAppliedPath) === undefined) return object
  const applied = withAt(withAt(config, ['metadata', 'managedFields'], undefined), lastAppliedPath, undefined)
  return withAt(object, lastAppliedPath, `${JSON.stringify(applied)}\n`)
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The entry of an object that begins its life with an apply. */
export function firstApply(context: ApiContext, definition: KindDefinition, input: ApplyInput): ManagerEntry {
  return {
    manager: input.request.fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(definition),
    subresource: input.subresource,
    time: toTimestamp(context.clock.now()),
    fields: appliedFields(input.config, definition),
  }
}

function knownEntries(live: StoredObject, definition: KindDefinition): readonly ManagerEntry[] {
  const entries = parseEntries(live)
  if (entries.length > 0) return entries
  const fields = withoutServerFields(fieldsOf(live, definition.type))
  const { creationTimestamp } = live.metadata
  return [
    {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: live.apiVersion,
      subresource: undefined,
      time: creationTimestamp,
      fields,
    },
  ]
}

function conflictError(conflicts: readonly { readonly entry: ManagerEntry; readonly fields: FieldSet }[]): KubeError {
  const causes: { reason: string; message: string; field: string }[] = []
  const texts: string[] = []
  for (const { entry, fields } of conflicts) {
    const withVersion = describe(entry)
    const paths = pathTexts(fields)
    for (const path of paths)
      causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${withVersion}`, field: path })
    texts.push(
      paths.length === 1
        ? `conflict with ${withVersion}: ${paths[0]}`
        : `conflicts with ${withVersion}:\n${paths.map((path) => `- ${path}`).join('\n')}`,
    )
  }
  const count = causes.length === 1 ? '1 conflict' : `${causes.length} conflicts`
  return new KubeError('Conflict', 409, `Apply failed with ${count}: ${texts.join('\n')}`, { details: { causes } })
}

/** Managers that apply are known by their name; those that update also by what they wrote. */
function describe({ manager, operation, apiVersion, subresource }: ManagerEntry): string {
  if (operation === 'Apply') return `"${manager}"`
  return `"${manager}"${subresource === undefined ? '' : ` with subresource "${subresource}"`} using ${apiVersion}`
}

/** The live value with what the configuration says; items of keyed lists and sets join those that are there. */
function mergeTyped(live: unknown, config: unknown, type: TypeNode): unknown {
  if (isObject(live) && isObject(config)) {
    if ((type.kind === 'struct' || type.kind === 'map') && type.atomic) return config
    const result: Record<string, unknown> = { ...live }
    for (const [key, value] of Object.entries(config)) {
      result[key] = mergeTyped(live[key], value, memberType(type, key))
    }
    return result
  }
  if (isArray(live) && isArray(config) && type.kind === 'list' && type.merge !== 'atomic') {
    return type.merge === 'set' ? mergeSets(live, config) : mergeKeyed(live, config, type)
  }
  return config
}

function mergeSets(live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const known = new Set(live.map((item) => JSON.stringify(item)))
  return [...live, ...config.filter((item) => !known.has(JSON.stringify(item)))]
}

function mergeKeyed(live: readonly unknown[], config: readonly unknown[], type: ListType): readonly unknown[] {
  const wanted = new Map(config.map((item) => [itemStep(type, item), item]))
  const merged = live.map((item) => {
    const step = itemStep(type, item)
    if (!wanted.has(step)) return item
    const next = mergeTyped(item, wanted.get(step), type.items)
    wanted.delete(step)
    return next
  })
  return [...merged, ...wanted.values()]
}

/** Takes `remove` out of the value, except where `kept` still owns something. Emptied parents go too. */
function prune(value: unknown, remove: FieldSet, kept: FieldSet | undefined, type: TypeNode): unknown {
  if (isEmptySet(remove)) return value
  if (isObject(value)) {
    const result: Record<string, unknown> = { ...value }
    for (const [step, set] of stepsOf(remove)) {
      const name = step.slice(2)
      if (!step.startsWith('f:') || !Object.hasOwn(result, name)) continue
      const next = pruneMember(result[name], set, childAt(kept, step), memberType(type, name))
      if (next === undefined) delete result[name]
      else result[name] = next
    }
    return result
  }
  if (!isArray(value) || type.kind !== 'list') return value
  return value
    .map((item) => {
      const step = type.merge === 'set' ? `v:${JSON.stringify(item)}` : itemStep(type, item)
      const set = childAt(remove, step)
      return set === undefined ? item : pruneMember(item, set, childAt(kept, step), type.items)
    })
    .filter((item) => item !== undefined)
}

function pruneMember(value: unknown, remove: FieldSet, kept: FieldSet | undefined, type: TypeNode): unknown {
  if (kept === undefined && isMember(remove)) return undefined
  const next = prune(value, remove, kept, type)
  const emptied = (isObject(next) && Object.keys(next).length === 0) || (isArray(next) && next.length === 0)
  return emptied && kept === undefined && next !== value ? undefined : next
}
