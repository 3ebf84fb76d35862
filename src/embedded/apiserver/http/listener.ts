import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import { kubernetesYAML } from '../../../api/kubernetes-yaml.ts'
import type { Caller } from '../api/context.ts'
import { bookmarkObject, type WatchMessage } from '../api/watch.ts'
import { unknownResource } from '../errors.ts'
import type { KindDefinition } from '../registry/definition.ts'
import type { ApiServer } from '../server.ts'
import { negotiate, type Representation, type Syntax } from './accept.ts'
import { mediaType, parseBody, readBytes } from './body.ts'
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  groupVersions,
} from './discovery.ts'
import { answerResource, listBody, refuseMissing, type Reply } from './handler.ts'
import { booleanOf, integerOf, listRequest } from './query.ts'
import { parseRoute, type ResourceRoute, type Route } from './route.ts'
import { failureStatus } from './status.ts'
import { tableOf } from './table.ts'

/** Reported to clients; kubectl warns when it is more than one minor version away. */
const kubernetesVersion = {
  major: '1',
  minor: '33',
  gitVersion: 'v1.33.0+joinery',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
}

const swaggerProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

export interface ListenerOptions {
  readonly server: ApiServer
  readonly authenticate: (request: IncomingMessage) => Caller | undefined
}

/** Answers HTTP requests as a Kubernetes API server does. Nothing a client sends makes it throw. */
export function createListener(options: ListenerOptions): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    handle(options, request, response).catch((error: unknown) => {
      if (response.headersSent) response.end()
      else sendFailure(response, error)
    })
  }
}

async function handle(
  { server, authenticate }: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Clients that ask what time it is here must not get the time of the machine.
  response.setHeader('date', new Date(server.context.clock.now()).toUTCString())
  const url = new URL(request.url ?? '/', 'https://localhost')
  const route = parseRoute(url.pathname)
  const caller = authenticate(request)
  if (caller === undefined && route.kind !== 'health' && route.kind !== 'version') {
    sendJson(response, 401, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    })
    return
  }
  if (route.kind !== 'resource' || caller === undefined) {
    await answerMeta(server, request, response, route)
    return
  }
  refuseMissing(route)
  const representation = negotiate(request.headers.accept)
  const watching = request.method === 'GET' && booleanOf(url.searchParams, 'watch') === true
  if (watching) {
    await answerWatch(server, request, response, { route, query: url.searchParams })
    return
  }
  const contentType = mediaType(request.headers['content-type'])
  const body = parseBody(await readBytes(request), contentType)
  const warnings: string[] = []
  const reply = await answerResource(server, {
    method: request.method ?? 'GET',
    route,
    query: url.searchParams,
    contentType,
    body,
    caller,
    userAgent: request.headers['user-agent'] ?? 'unknown',
    // At once: what is refused in the end is warned about, too.
    warn(message) {
      // Headers are bytes: UTF-8, as a Go server writes it and kubectl reads it.
      warnings.push(Buffer.from(`299 - ${JSON.stringify(message)}`).toString('latin1'))
      response.setHeader('Warning', warnings)
    },
  })
  sendReply(server, response, reply, { representation, query: url.searchParams })
}

function sendReply(
  server: ApiServer,
  response: ServerResponse,
  reply: Reply,
  wanted: { readonly representation: Representation; readonly query: URLSearchParams },
): void {
  const { representation, query } = wanted
  const send = (status: number, body: object): void => sendBody(response, status, body, representation.syntax)
  switch (reply.kind) {
    case 'raw':
      send(reply.status, reply.body)
      return
    case 'text':
      response.writeHead(reply.status, { 'content-type': 'text/plain' })
      response.end(reply.body)
      return
    case 'object': {
      const { definition, object, status } = reply
      const metadata = { resourceVersion: object.metadata.resourceVersion }
      if (representation.kind === 'table') {
        send(status, tableOf(definition, [object], metadata, tableOptions(server, query)))
      } else if (representation.kind === 'metadata') send(status, partial(object))
      else send(status, object)
      return
    }
    case 'list': {
      const { definition, items, metadata } = reply
      if (representation.kind === 'table') {
        send(200, tableOf(definition, items, metadata, tableOptions(server, query)))
      } else if (representation.kind === 'metadata') {
        const partials = items.map(partial)
        send(200, {
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata,
          items: partials,
        })
      } else send(200, listBody(reply))
    }
  }
}

function partial(object: { readonly metadata: object }): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}

function tableOptions(server: ApiServer, query: URLSearchParams) {
  const include = query.get('includeObject')
  const includeObject: 'None' | 'Metadata' | 'Object' =
    include === 'None' || include === 'Object' ? include : 'Metadata'
  return { includeObject, now: server.context.clock.now() }
}

async function answerWatch(
  server: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  { route, query }: { readonly route: ResourceRoute; readonly query: URLSearchParams },
): Promise<void> {
  const definition = server.definition(route.group, route.version, route.plural)
  const write = (line: object): void => {
    response.write(`${JSON.stringify(line)}\n`)
  }
  const representation = negotiate(request.headers.accept, ['json'])
  const start = (): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
  }
  let stream
  try {
    stream = server.watch(definition, {
      ...listRequest(query, route.namespace, route.name, 'watch'),
      allowBookmarks: booleanOf(query, 'allowWatchBookmarks'),
      sendInitialEvents: booleanOf(query, 'sendInitialEvents'),
      timeoutSeconds: integerOf(query, 'timeoutSeconds'),
    })
  } catch (error) {
    const failure = failureStatus(error)
    if (failure.code !== 410) throw error
    // A version that is gone is told inside the stream, as watch caches do.
    start()
    write({ type: 'ERROR', object: failure.body })
    response.end()
    return
  }
  request.on('close', stream.close)
  response.on('close', stream.close)
  start()
  for (let message = await stream.next(); message !== undefined; message = await stream.next()) {
    if (response.destroyed) break
    write(watchLine(server, definition, message, { representation, query }))
  }
  response.end()
}

function watchLine(
  server: ApiServer,
  definition: KindDefinition,
  message: WatchMessage,
  wanted: { readonly representation: Representation; readonly query: URLSearchParams },
): object {
  const { representation, query } = wanted
  if (message.type === 'BOOKMARK') {
    const object = bookmarkObject(definition, message)
    // Whoever asked for metadata knows no other kind, and would give the watch up over one.
    if (representation.kind === 'metadata') return { type: 'BOOKMARK', object: partial(object) }
    if (representation.kind !== 'table') return { type: 'BOOKMARK', object }
    return {
      type: 'BOOKMARK',
      object: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: object.metadata,
        columnDefinitions: null,
        rows: [{ cells: null, object }],
      },
    }
  }
  const { object, type } = message
  const metadata = { resourceVersion: object.metadata.resourceVersion }
  if (representation.kind === 'table')
    return { type, object: tableOf(definition, [object], metadata, tableOptions(server, query)) }
  return { type, object: representation.kind === 'metadata' ? partial(object) : object }
}

async function answerMeta(
  server: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
): Promise<void> {
  const definitions = server.context.registry.all()
  if (route.kind === 'health') {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('ok')
    return
  }
  // What describes the API to tools is JSON, whatever they accept.
  const isDescription = ['swagger', 'openapi', 'openapiVersion'].includes(route.kind)
  const representation = negotiate(isDescription ? undefined : request.headers.accept)
  const send = (body: object): void => sendBody(response, 200, body, representation.syntax)
  switch (route.kind) {
    case 'version':
      send(kubernetesVersion)
      return
    case 'coreVersions':
    case 'groups': {
      const core = route.kind === 'coreVersions'
      if (representation.kind !== 'discovery') {
        send(core ? apiVersions(request.headers.host ?? '') : apiGroupList(definitions))
        return
      }
      const { version } = representation
      response.setHeader(
        'content-type',
        `application/${representation.syntax};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      )
      send(aggregatedDiscovery(definitions, core, version))
      return
    }
    case 'group': {
      const versions = groupVersions(definitions).get(route.group)
      if (versions === undefined) throw unknownResource()
      send(apiGroup(route.group, versions))
      return
    }
    case 'resources': {
      const list = apiResourceList(definitions, route.group, route.version)
      if (list === undefined) throw unknownResource()
      send(list)
      return
    }
    case 'swagger': {
      const { swaggerDocument, swaggerProtobuf } = await import('./openapi-v2.ts')
      const document = swaggerDocument(definitions)
      if (!(request.headers.accept ?? '').includes('proto-openapi.spec.v2')) send(document)
      else {
        response.writeHead(200, { 'content-type': swaggerProtobufType })
        response.end(swaggerProtobuf(document))
      }
      return
    }
    case 'openapi': {
      const paths: Record<string, object> = {}
      for (const { group, version } of definitions) {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${server.context.registry.version}` }
      }
      send({ paths })
      return
    }
    case 'openapiVersion': {
      const kinds = definitions.filter(({ group, version }) => group === route.group && version === route.version)
      if (kinds.length === 0) throw unknownResource()
      // Half a megabyte of documentation, which only explain and apply read.
      const { openapiDocument } = await import('./openapi.ts')
      send(openapiDocument(kinds))
      return
    }
    case 'resource':
    case 'unknown':
      throw unknownResource()
  }
}

function sendFailure(response: ServerResponse, error: unknown): void {
  const { code, body } = failureStatus(error)
  const retryAfter = retrySeconds(body)
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter))
  sendJson(response, code, body)
}

function retrySeconds(body: object): number | undefined {
  if (!('details' in body) || typeof body.details !== 'object' || body.details === null) return undefined
  const { details } = body
  return 'retryAfterSeconds' in details && typeof details.retryAfterSeconds === 'number'
    ? details.retryAfterSeconds
    : undefined
}

function sendBody(response: ServerResponse, status: number, body: object, syntax: Syntax): void {
  if (syntax === 'json') {
    sendJson(response, status, body)
    return
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/yaml')
  response.writeHead(status)
  response.end(stringify(body, { ...kubernetesYAML, aliasDuplicateObjects: false }))
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json')
  response.writeHead(status)
  response.end(`${JSON.stringify(body)}\n`)
}
