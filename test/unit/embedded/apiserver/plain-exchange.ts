import { answerResource, listBody } from '../../../../src/embedded/apiserver/http/handler.ts'
import { listRequest } from '../../../../src/embedded/apiserver/http/query.ts'
import { parseRoute } from '../../../../src/embedded/apiserver/http/route.ts'
import { failureStatus } from '../../../../src/embedded/apiserver/http/status.ts'
import { type ApiServer, systemCaller } from '../../../../src/embedded/apiserver/index.ts'
import type { ExchangeRequest, ExchangeResponse } from '../../../contracts/api-server/exchange.ts'

/** Answers a request as the HTTP server would, without a connection. */
export async function exchange(server: ApiServer, request: ExchangeRequest): Promise<ExchangeResponse> {
  const url = new URL(request.path, 'https://localhost')
  const warnings: string[] = []
  const route = parseRoute(url.pathname)
  if (route.kind !== 'resource') throw new Error(`${request.path} is no resource`)
  try {
    if (url.searchParams.get('watch') === 'true') {
      const wanted = listRequest(url.searchParams, route.namespace, route.name, 'watch')
      server.watch(server.definition(route.group, route.version, route.plural), wanted).close()
      return { status: 200, body: '', warnings }
    }
    const reply = await answerResource(server, {
      method: request.method,
      route,
      query: url.searchParams,
      contentType: request.contentType ?? 'application/json',
      // As it would come off the wire: nothing shared with the test's own objects.
      body: request.body === undefined ? undefined : structuredClone(request.body),
      caller: systemCaller,
      userAgent: '',
      warn: (message) => warnings.push(message),
    })
    switch (reply.kind) {
      case 'object':
        return { status: reply.status, body: reply.object, warnings }
      case 'list':
        return { status: 200, body: listBody(reply), warnings }
      case 'raw':
        return { status: reply.status, body: reply.body, warnings }
      case 'text':
        return { status: reply.status, body: reply.body, warnings }
    }
  } catch (error) {
    const { code, body } = failureStatus(error)
    return { status: code, body, warnings }
  }
}
