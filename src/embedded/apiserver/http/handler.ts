import { KubeError } from '../../../kube/errors.ts'
import type { Patch } from '../../../kube/port.ts'
import type { Caller, Target } from '../api/context.ts'
import {
  badRequest,
  methodNotAllowed,
  notFound,
  notToBeHad,
  unknownResource,
  unsupportedBody,
  unsupportedPatch,
} from '../errors.ts'
import { arrayAt, isArray, isObject, objectAt, textAt } from '../json.ts'
import { type StoredObject, storeKeyOf } from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import type { ApiServer } from '../server.ts'
import { answerMetrics } from './metrics.ts'
import { deleteOptionsOf, deleteRequest, requestOf } from './options.ts'
import { listRequest } from './query.ts'
import { answerReview } from './reviews.ts'
import type { ResourceRoute } from './route.ts'
import { createdStatus, successStatus } from './status.ts'

/** A request to a resource, read but not yet answered. */
export interface ResourceCall {
  readonly method: string
  readonly route: ResourceRoute
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: unknown
  readonly caller: Caller
  readonly userAgent: string
  readonly warn: (message: string) => void
}

export type Reply =
  | {
      readonly kind: 'object'
      readonly status: number
      readonly definition: KindDefinition
      readonly object: StoredObject
    }
  | {
      readonly kind: 'list'
      readonly definition: KindDefinition
      readonly items: readonly StoredObject[]
      readonly metadata: object
    }
  | { readonly kind: 'raw'; readonly status: number; readonly body: object }
  | { readonly kind: 'text'; readonly status: number; readonly body: string }

/** What a real cluster does and this one cannot, with the reason that a client is told. */
const missing: Readonly<Record<string, string>> = {
  'pods/log': 'pods of the embedded cluster run no programs: they log nothing',
  'pods/exec': 'pods of the embedded cluster run no programs: there is nothing to execute a command in',
  'pods/attach': 'pods of the embedded cluster run no programs: there is nothing to attach to',
  'pods/portforward': 'pods of the embedded cluster run no programs: no port of theirs is open',
  'pods/proxy': 'pods of the embedded cluster run no programs: no port of theirs is open',
  'pods/ephemeralcontainers': 'pods of the embedded cluster run no programs: there is nothing to debug',
  'serviceaccounts/token':
    'the embedded cluster knows its users by client certificate: a token would authenticate nobody',
}

/** Throws for subresources that are not to be had here; their bodies need not be read for that. */
export function refuseMissing({ group, plural, subresource }: ResourceRoute): void {
  const because = group === '' && subresource !== undefined ? missing[`${plural}/${subresource}`] : undefined
  if (because !== undefined) throw notToBeHad(because)
}

/** Everything but watches. */
export async function answerResource(server: ApiServer, call: ResourceCall): Promise<Reply> {
  const { route, caller, body } = call
  const review = answerReview(route.group, route.plural, body, caller, server.context.clock.now())
  if (review !== undefined) {
    if (call.method !== 'POST') throw methodNotAllowed()
    return { kind: 'raw', status: 201, body: review }
  }
  const usage = answerMetrics(server, call)
  if (usage !== undefined) return { kind: 'raw', status: 200, body: usage }
  const { registry } = server.context
  if (!registry.all().some(({ group, version }) => group === route.group && version === route.version)) {
    return { kind: 'text', status: 404, body: '404 page not found\n' }
  }
  const definition = server.definition(route.group, route.version, route.plural)
  if (route.subresource !== undefined && !definition.subresources.has(asSubresource(route.subresource))) {
    throw definition.custom === undefined ? unknownResource() : notFound(definition, route.name ?? '')
  }
  switch (call.method) {
    case 'GET':
      return read(server, definition, call)
    case 'POST':
      requireObjectFormat(call)
      return post(server, definition, call)
    case 'PUT':
      requireObjectFormat(call)
      return put(server, definition, call)
    case 'PATCH':
      return patch(server, definition, call)
    case 'DELETE':
      return remove(server, definition, call)
    default:
      throw methodNotAllowed()
  }
}

function requireObjectFormat({ contentType }: ResourceCall): void {
  if (!['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'].includes(contentType)) {
    throw unsupportedBody()
  }
}

function asSubresource(text: string) {
  switch (text) {
    case 'status':
    case 'scale':
    case 'eviction':
    case 'binding':
    case 'log':
    case 'finalize':
      return text
    default:
      throw unknownResource()
  }
}

function targetOf(call: ResourceCall): Target {
  if (call.route.name === undefined) throw methodNotAllowed()
  return { namespace: call.route.namespace, name: call.route.name }
}

function read(server: ApiServer, definition: KindDefinition, call: ResourceCall): Reply {
  const { route, query } = call
  if (route.name === undefined) {
    const result = server.list(definition, listRequest(query, route.namespace, undefined))
    const metadata = {
      resourceVersion: result.resourceVersion,
      ...(result.continue === undefined ? {} : { continue: result.continue }),
      ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
    }
    return { kind: 'list', definition, items: result.items, metadata }
  }
  const target = targetOf(call)
  if (route.subresource === 'scale') return { kind: 'raw', status: 200, body: server.getScale(definition, target) }
  const object = server.get(definition, target)
  return { kind: 'object', status: 200, definition, object }
}

async function post(server: ApiServer, definition: KindDefinition, call: ResourceCall): Promise<Reply> {
  const { route, body } = call
  const request = requestOf(call)
  if (route.subresource === 'eviction') {
    const options = isObject(body) ? deleteRequest(call, objectAt(body, 'deleteOptions')) : {}
    const dryRun = arrayAt(body, 'deleteOptions', 'dryRun').includes('All')
    await server.evict(targetOf(call), options, requestOf(call, dryRun))
    return { kind: 'raw', status: 201, body: createdStatus }
  }
  if (route.subresource === 'binding') {
    const nodeName = textAt(body, 'target', 'name')
    if (nodeName === undefined) throw badRequest('a binding needs target.name')
    await server.bind(targetOf(call), { nodeName, uid: textAt(body, 'metadata', 'uid') }, request)
    return { kind: 'raw', status: 201, body: createdStatus }
  }
  if (route.name !== undefined) throw methodNotAllowed()
  const object = await server.create(definition, namespaceOf(definition, call), body, request)
  return { kind: 'object', status: 201, definition, object }
}

function namespaceOf(definition: KindDefinition, { route, body }: ResourceCall): string | undefined {
  return definition.namespaced ? (route.namespace ?? textAt(body, 'metadata', 'namespace')) : undefined
}

async function put(server: ApiServer, definition: KindDefinition, call: ResourceCall): Promise<Reply> {
  const { route, body } = call
  const target = targetOf(call)
  const request = requestOf(call)
  if (route.subresource === 'scale') {
    const scale = await server.updateScale(definition, { target, change: { kind: 'put', body } }, request)
    return { kind: 'raw', status: 200, body: scale }
  }
  if (route.subresource === 'finalize') {
    const object = server.finalize(target, body, request)
    return { kind: 'object', status: 200, definition, object }
  }
  const object = await server.update(definition, { target, subresource: statusOrMain(route), body }, request)
  return { kind: 'object', status: 200, definition, object }
}

async function patch(server: ApiServer, definition: KindDefinition, call: ResourceCall): Promise<Reply> {
  const { route } = call
  const target = targetOf(call)
  const request = requestOf(call)
  const change = patchOf(call)
  if (route.subresource === 'scale') {
    const scale = await server.updateScale(definition, { target, change: { kind: 'patch', patch: change } }, request)
    return { kind: 'raw', status: 200, body: scale }
  }
  const existed = server.context.store.get(definition.table, storeKeyOf(target.namespace, target.name)) !== undefined
  const object = await server.patch(definition, { target, subresource: statusOrMain(route), patch: change }, request)
  return { kind: 'object', status: existed ? 200 : 201, definition, object }
}

function statusOrMain(route: ResourceRoute): 'status' | undefined {
  if (route.subresource === undefined || route.subresource === 'status') return route.subresource
  throw methodNotAllowed()
}

function patchOf({ contentType, body, query }: ResourceCall): Patch {
  switch (contentType) {
    case 'application/json-patch+json':
      if (!isArray(body)) {
        throw badRequest(
          'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
        )
      }
      return { kind: 'json', body: operationsOf(body) }
    case 'application/merge-patch+json':
      return { kind: 'merge', body: objectBody(body) }
    case 'application/strategic-merge-patch+json':
      return { kind: 'strategic', body: objectBody(body) }
    case 'application/apply-patch+yaml':
    case 'application/apply-patch+json':
      return { kind: 'apply', body: objectBody(body), force: query.get('force') === 'true' }
    default:
      throw unsupportedPatch()
  }
}

/** More operations in one patch are refused, as what they might add up to. */
const operationsMax = 10_000

function operationsOf(body: readonly unknown[]): readonly object[] {
  if (body.length > operationsMax) {
    const limit = `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${body.length}`
    throw new KubeError('RequestEntityTooLarge', 413, `Request entity too large: ${limit}`)
  }
  return body.map((operation) => {
    if (isObject(operation)) return operation
    const kind = isArray(operation) ? 'array' : typeof operation
    throw badRequest(`error decoding patch: json: cannot unmarshal ${kind} into Go value of type handlers.jsonPatchOp`)
  })
}

function objectBody(body: unknown): object {
  if (!isObject(body)) throw badRequest('the patch is not an object')
  return body
}

async function remove(server: ApiServer, definition: KindDefinition, call: ResourceCall): Promise<Reply> {
  const { route, query } = call
  const sent = deleteOptionsOf(call)
  const options = deleteRequest(call, sent)
  const request = requestOf(call, arrayAt(sent, 'dryRun').includes('All'))
  if (route.subresource !== undefined) throw methodNotAllowed()
  if (route.name === undefined) {
    if (definition.table === '/namespaces') throw methodNotAllowed()
    const items = await server.deleteCollection(
      definition,
      listRequest(query, route.namespace, undefined),
      options,
      request,
    )
    return { kind: 'list', definition, items, metadata: { resourceVersion: String(server.context.store.revision) } }
  }
  const { object, removed } = await server.delete(definition, targetOf(call), options, request)
  if (!removed || definition.table === '/pods') return { kind: 'object', status: 200, definition, object }
  const { name, uid } = object.metadata
  const group = definition.group === '' ? {} : { group: definition.group }
  return { kind: 'raw', status: 200, body: successStatus({ name, ...group, kind: definition.plural, uid }) }
}

/** The list object that a list answers with. */
export function listBody(reply: Extract<Reply, { kind: 'list' }>): object {
  const { definition, items, metadata } = reply
  const list = { kind: definition.listKind, apiVersion: apiVersionOf(definition) }
  // Typed lists do not repeat the kind in their items; lists of custom objects do, and always name a continue token.
  if (definition.custom !== undefined) return { ...list, metadata: { continue: '', ...metadata }, items }
  return { ...list, metadata, items: items.map(({ apiVersion: _version, kind: _kind, ...item }) => item) }
}
