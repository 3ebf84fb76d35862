import { jsonEqual } from '../../../api/json.ts'
import { hasCode } from '../../../kube/errors.ts'
import { badRequest, conflict, field, invalid, notFound, staleVersion } from '../errors.ts'
import { isObject, type JsonObject, textAt, withAt } from '../json.ts'
import { asStored, finalizersOf, type IncomingObject, type StoredObject, storeKeyOf, withMetadata } from '../object.ts'
import { fieldsOfUpdate } from '../patch/managed-fields.ts'
import { hasStatus, type KindDefinition } from '../registry/definition.ts'
import { checkMetadata, readBody } from './body.ts'
import { enforceGrowth } from './builtin-admission.ts'
import type { ApiContext, Target, WriteRequest } from './context.ts'
import { allocate, inStorageVersion, quiet, specErrors, type TrackFields } from './create.ts'
import { enforceLimits } from './limit-ranges.ts'
import {
  carryMetadata,
  checkPreconditions,
  finalizerErrors,
  finalizerWarnings,
  metadataErrors,
  parseIncoming,
  requireName,
  throwIfInvalid,
} from './metadata.ts'
import { inVersion } from './read.ts'

export interface UpdateInput {
  readonly target: Target
  readonly subresource: 'status' | undefined
  /** The object the client wants, given what is stored. Called again when another write came in between. */
  readonly change: (old: StoredObject) => unknown
  readonly track?: TrackFields
  readonly isPatch?: boolean
  /** A PUT of most custom kinds must name the version it replaces. */
  readonly requireVersion?: boolean
}

/** How often a write that names no version is computed anew when admission let another write slip in. */
const attemptsMax = 10

export async function updateObject(
  context: ApiContext,
  definition: KindDefinition,
  input: UpdateInput,
  request: WriteRequest,
): Promise<StoredObject> {
  const key = storeKeyOf(input.target.namespace, input.target.name)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const old = context.store.get(definition.table, key)
    if (old === undefined) throw notFound(definition, input.target.name)
    const prepared = prepare(context, definition, input, inVersion(definition, old), request)
    if (prepared === 'unchanged') return inVersion(definition, old)
    const admitted = await admit(context, definition, input, inVersion(definition, old), prepared, request)
    if (context.store.get(definition.table, key) === old) {
      return commit(context, definition, input, { old, key, object: admitted }, request)
    }
  }
  throw conflict(definition, input.target.name, staleVersion)
}

function prepare(
  context: ApiContext,
  definition: KindDefinition,
  input: UpdateInput,
  old: StoredObject,
  request: WriteRequest,
): IncomingObject | 'unchanged' {
  const wanted = input.change(old)
  if (wanted === old) return 'unchanged'
  if (!isObject(wanted) || wanted['metadata'] !== old.metadata)
    judgeAsBody(input, wanted, () => checkMetadata(definition, wanted))
  if (textAt(wanted, 'metadata', 'name') === undefined) {
    throw badRequest(
      `the name of the object (${input.target.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  const parsed = requireName(parseIncoming(definition, wanted, input.target.namespace), input.target)
  const version = textAt(parsed, 'metadata', 'resourceVersion') ?? ''
  if (version === '' && input.requireVersion === true && !definition.strategy.unconditionalUpdate) {
    const errors = [field.invalid('metadata.resourceVersion', 0, 'must be specified for an update')]
    throw invalid({ ...definition, kind: definition.plural }, input.target.name, errors)
  }
  checkPreconditions(definition, old, { uid: textAt(parsed, 'metadata', 'uid'), resourceVersion: version })
  const decoded = readWanted(context, definition, input, { wanted: carryMetadata(parsed, old), old }, request)
  return shape(definition, input, decoded, old)
}

/** What a patch makes of an object is judged as the patch's fault. */
function readWanted(
  context: ApiContext,
  definition: KindDefinition,
  input: UpdateInput,
  { wanted, old }: { readonly wanted: IncomingObject; readonly old: StoredObject },
  request: WriteRequest,
): IncomingObject {
  return judgeAsBody(input, wanted, () => readBody(context, definition, wanted, request, old))
}

function judgeAsBody<T>(input: UpdateInput, wanted: unknown, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (input.isPatch !== true || !hasCode(error, 'BadRequest')) throw error
    const because = error instanceof Error ? error.message.replace(/^.*? cannot be handled as a \S+: /, '') : ''
    throw invalid({ group: '', plural: '', kind: '' }, '', [field.invalid('patch', JSON.stringify(wanted), because)])
  }
}

/** Keeps what the request may not touch: the status on the main resource, everything else on the status subresource. */
function shape(
  definition: KindDefinition,
  input: UpdateInput,
  object: IncomingObject,
  old: StoredObject,
): IncomingObject {
  if (input.subresource === undefined) {
    const kept = hasStatus(definition) ? withAt(object, ['status'], old['status']) : object
    const prepared = definition.strategy.prepareUpdate(kept, old)
    return definition.tracksGeneration && !equalSpec(prepared, old)
      ? withMetadata(prepared, { generation: (old.metadata.generation ?? 0) + 1 })
      : prepared
  }
  const metadata =
    definition.custom === undefined
      ? object.metadata
      : { ...old.metadata, managedFields: object.metadata['managedFields'] }
  return {
    ...old,
    metadata: { ...metadata },
    ...(object['status'] === undefined ? { status: undefined } : { status: object['status'] }),
  }
}

/** Equal outside metadata and status: what `metadata.generation` counts. */
function equalSpec(object: JsonObject, old: StoredObject): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(old)])
  for (const name of ['metadata', 'status', 'apiVersion', 'kind']) names.delete(name)
  return [...names].every((name) => jsonEqual(object[name], old[name]))
}

async function admit(
  context: ApiContext,
  definition: KindDefinition,
  input: UpdateInput,
  old: StoredObject,
  object: IncomingObject,
  request: WriteRequest,
): Promise<IncomingObject> {
  const { target, subresource } = input
  const attempt = { definition, subresource, operation: 'UPDATE', target, old, request } as const
  const pending = context.admission.mutate({ ...attempt, object })
  const mutated = pending instanceof Promise ? await pending : pending
  const next =
    mutated === undefined || mutated === object
      ? object
      : shape(definition, input, readBody(context, definition, carryMetadata(mutated, old), quiet), old)
  throwIfInvalid(definition, next, [
    ...metadataErrors(definition, next, old),
    ...finalizerErrors(next, old),
    ...(subresource === 'status' && definition.custom === undefined
      ? definition.strategy.validateStatus(next, old)
      : specErrors(context, definition, next, old)),
  ])
  for (const warning of finalizerWarnings(definition, next, old)) request.warn(warning)
  if (subresource === undefined) {
    enforceLimits(context, definition, next, old)
    enforceGrowth(context, definition, next, old)
  }
  const verdict = context.admission.validate({ ...attempt, object: next })
  if (verdict instanceof Promise) await verdict
  return next
}

function commit(
  context: ApiContext,
  definition: KindDefinition,
  input: UpdateInput,
  state: { readonly old: StoredObject; readonly key: string; readonly object: IncomingObject },
  request: WriteRequest,
): StoredObject {
  const { old, key } = state
  const track: TrackFields =
    input.track ??
    ((next, previous) =>
      fieldsOfUpdate(context, definition, { next, old: previous, request, subresource: input.subresource }))
  const complete = input.subresource === undefined ? allocate(context, definition, state.object, old) : state.object
  const next = inStorageVersion(definition, withoutUndefined(track(complete, inVersion(definition, old))))
  if (sameContent(next, old)) return inVersion(definition, old)
  if (request.dryRun) return inVersion(definition, asStored(next))
  if (isGone(next)) {
    const last = context.store.put(definition.table, key, next)
    context.store.remove(definition.table, key)
    return inVersion(definition, last)
  }
  return inVersion(definition, context.store.put(definition.table, key, next))
}

/** A write that changes nothing gets no new version. Most change what is outside the metadata, so that is looked at first. */
function sameContent(next: StoredObject, old: StoredObject): boolean {
  const names = Object.keys(next)
  if (names.length !== Object.keys(old).length) return false
  return (
    names.every((name) => name === 'metadata' || jsonEqual(next[name], old[name])) &&
    sameMetadata(next.metadata, old.metadata)
  )
}

function sameMetadata(next: StoredObject['metadata'], old: StoredObject['metadata']): boolean {
  const { resourceVersion: _next, ...wanted } = next
  const { resourceVersion: _old, ...stored } = old
  return jsonEqual(wanted, stored)
}

/** Deleted, and nobody holds it any more: neither a finalizer nor a grace period. */
export function isGone(object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  if (deletionTimestamp === undefined || finalizersOf(object).length > 0) return false
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') return false
  return deletionGracePeriodSeconds === 0
}

function withoutUndefined(object: IncomingObject): IncomingObject {
  return object['status'] === undefined && Object.hasOwn(object, 'status')
    ? withAt(object, ['status'], undefined)
    : object
}
