import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../api/context.ts'
import type { ApiServer } from '../server.ts'
import { negotiate, type Representation } from './accept.ts'
import { answerDescription } from './api-description.ts'
import { mediaType, parseBody, readBytes } from './body.ts'
import { answerResource, listBody, refuseMissing, type Reply } from './handler.ts'
import { partialOf } from './partial-object.ts'
import { booleanOf } from './query.ts'
import { parseRoute } from './route.ts'
import { sendBody, sendJson } from './send.ts'
import { failureStatus } from './status.ts'
import { tableOf, tableOptions } from './table.ts'
import { answerWatch } from './watch-stream.ts'

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
    await answerDescription(server, request, response, route)
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
        send(status, tableOf(definition, [object], metadata, tableOptions(query, server.context.clock.now())))
      } else if (representation.kind === 'metadata') send(status, partialOf(object))
      else send(status, object)
      return
    }
    case 'list': {
      const { definition, items, metadata } = reply
      if (representation.kind === 'table') {
        send(200, tableOf(definition, items, metadata, tableOptions(query, server.context.clock.now())))
      } else if (representation.kind === 'metadata') {
        const partials = items.map(partialOf)
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
