import type { IncomingMessage, ServerResponse } from 'node:http'
import { bookmarkObject, type WatchMessage } from '../api/watch.ts'
import type { KindDefinition } from '../registry/definition.ts'
import type { ApiServer } from '../server.ts'
import { negotiate, type Representation } from './accept.ts'
import { booleanOf, integerOf, listRequest } from './query.ts'
import type { ResourceRoute } from './route.ts'
import { partialOf } from './partial-object.ts'
import { failureStatus } from './status.ts'
import { tableOf, tableOptions } from './table.ts'

/** Answers a watch: a line of JSON per event, until either side has enough. */
export async function answerWatch(
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
    if (representation.kind === 'metadata') return { type: 'BOOKMARK', object: partialOf(object) }
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
    return { type, object: tableOf(definition, [object], metadata, tableOptions(query, server.context.clock.now())) }
  return { type, object: representation.kind === 'metadata' ? partialOf(object) : object }
}
