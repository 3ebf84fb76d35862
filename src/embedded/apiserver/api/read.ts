import { goQuoted } from '../../../api/go-text.ts'
import { KubeError } from '../../../kube/errors.ts'
import { badRequest, expired, field, notFound } from '../errors.ts'
import { isObject } from '../json.ts'
import { type StoredObject, storeKeyOf } from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { selectionOf } from '../selection.ts'
import type { ApiContext, Target } from './context.ts'

export interface ListRequest {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | Parameters<typeof selectionOf>[0]['labelSelector']
  readonly fieldSelector?: string | undefined
  readonly limit?: number | undefined
  readonly continue?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: string | undefined
}

export interface ListResult {
  readonly items: readonly StoredObject[]
  readonly resourceVersion: string
  readonly continue?: string | undefined
  readonly remainingItemCount?: number | undefined
}

export function getObject(context: ApiContext, definition: KindDefinition, target: Target): StoredObject {
  const object = context.store.get(definition.table, storeKeyOf(target.namespace, target.name))
  if (object === undefined) throw notFound(definition, target.name)
  return inVersion(definition, object)
}

/** The object in the version of `definition`: most versions of one kind differ only in `apiVersion`. */
export function inVersion(definition: KindDefinition, object: StoredObject): StoredObject {
  const apiVersion = apiVersionOf(definition)
  if (object.apiVersion === apiVersion) return object
  return definition.conversion?.fromStored(object) ?? { ...object, apiVersion }
}

export function listObjects(context: ApiContext, definition: KindDefinition, request: ListRequest): ListResult {
  const { store } = context
  const prefix = request.namespace === undefined || request.namespace === '' ? '' : `${request.namespace}/`
  const token = request.continue === undefined || request.continue === '' ? undefined : parseToken(request.continue)
  const exact = request.resourceVersionMatch === 'Exact'
  const wanted = parseRevision(request.resourceVersion, 'list')
  if (wanted > store.revision) throw tooLarge(wanted, store.revision)
  const revision = token?.revision ?? (exact ? wanted : store.revision)
  const all = store.listAt(definition.table, prefix, revision)
  if (all === 'expired') {
    throw expired(
      token === undefined
        ? 'The resourceVersion for the provided list is too old.'
        : 'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    )
  }
  const matches = selectionOf(request, definition.fields)
  const limit = request.limit === undefined || request.limit <= 0 ? undefined : request.limit
  const resourceVersion = String(revision)
  const items: StoredObject[] = []
  for (let index = token === undefined ? 0 : firstAfter(all, token.after); index < all.length; index += 1) {
    const object = all[index]
    if (object === undefined || (matches !== undefined && !matches(object))) continue
    if (limit !== undefined && items.length === limit) {
      const last = items.at(-1)
      const after = last === undefined ? '' : storeKeyOf(last.metadata.namespace, last.metadata.name)
      const more = { items, resourceVersion, continue: formatToken(revision, after) }
      // The count is only known when nothing is filtered out.
      return matches === undefined ? { ...more, remainingItemCount: all.length - index } : more
    }
    items.push(inVersion(definition, object))
  }
  return { items, resourceVersion }
}

/** Empty and "0" mean any version, which here is always the latest. A real server blames itself for what it cannot read of a watch. */
export function parseRevision(text: string | undefined, verb: 'list' | 'watch'): number {
  if (text === undefined || text === '') return 0
  const isNumber = /^\d+$/.test(text)
  if (isNumber && BigInt(text) < 2n ** 64n) return Number(text)
  const because = `strconv.ParseUint: parsing ${goQuoted(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`
  const message = `resourceVersion: ${field.invalid('', text, because).message}`
  throw verb === 'list' ? badRequest(`invalid resource version: ${message}`) : new KubeError('Unknown', 500, message)
}

export function tooLarge(wanted: number, current: number): KubeError {
  return new KubeError('Timeout', 504, `Too large resource version: ${wanted}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    retryAfterMs: 1000,
  })
}

function firstAfter(objects: readonly StoredObject[], key: string): number {
  const index = objects.findIndex((object) => storeKeyOf(object.metadata.namespace, object.metadata.name) > key)
  return index === -1 ? objects.length : index
}

function formatToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url')
}

function parseToken(text: string): { revision: number; after: string } {
  let because = 'it has no start'
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (isObject(parsed) && typeof parsed['rv'] === 'number' && typeof parsed['start'] === 'string') {
      return { revision: parsed['rv'], after: parsed['start'] }
    }
  } catch {
    // JSON's own words depend on the engine.
    because = `invalid character '${Buffer.from(text, 'base64url').toString('latin1').at(0) ?? ''}' looking for beginning of value`
  }
  throw badRequest(`invalid continue token: continue key is not valid: ${because}`)
}
