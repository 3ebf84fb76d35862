import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { createBodyBudget } from './body-budget.ts'
import { readBody } from './body-reader.ts'
import { clientStanding } from './client-certificate.ts'
import { type Connections, takeConnections, type TLSMaterial } from './connections.ts'
import { type Answer, createReviewDesk, headersOf, type ReviewDeskOptions, reviewPaths } from './review-desk.ts'

export type { TLSMaterial } from './connections.ts'

export interface WebhookOptions extends ReviewDeskOptions {
  readonly tls: TLSMaterial
  /** PEM of the CA that signs the API server's client certificate; when given, reviews of nobody else are judged. */
  readonly clientCA?: string
  readonly reading?: ReadingLimits
  /** Undefined when ready, else what is missing. */
  readonly unreadyBecause: () => string | undefined
  /** Text exposition of the process's metrics. */
  readonly metricsText: () => Promise<string>
}

/** What clients that have not finished a request may cost. */
export interface ReadingLimits {
  /** For all unfinished bodies together, including the overhead of keeping their pieces. */
  readonly heldBytesMax: number
  readonly connectionsMax: number
  /** From a request's first byte to its last. Slow senders are cut off: the API server sends a review at once. */
  readonly requestTimeoutMs: number
}

/**
 * Together they fit the chart's memory limit of 256 MiB, of which the process itself takes about half: an open connection takes some
 * 75 KiB, and pieces that were let go wait for the garbage collector, so that a flood over all connections takes several times what is
 * held. API servers open a connection for each review under way, which are far fewer, and four of the largest reviews may come at once.
 */
export const defaultReadingLimits: ReadingLimits = {
  heldBytesMax: 16 * 1024 * 1024,
  connectionsMax: 1_024,
  requestTimeoutMs: 10_000,
}

export interface WebhookServer {
  /** Resolves to the port listened on; 0 asks for any. Without a host it is every address, of IPv4 and IPv6. */
  listen(address: { readonly host?: string; readonly port: number }): Promise<number>
  /** The next handshake uses it; open connections go on. */
  replaceCertificate(tls: TLSMaterial): void
  /** The same for `clientCA`, when there was one. */
  replaceClientCA(clientCA: string): void
  /** Turns unready, answers what is in flight, then closes. */
  close(): Promise<void>
  readonly inject: FastifyInstance['inject']
}

/** An AdmissionReview carries the object twice; etcd refuses objects above 1.5 MiB. */
const bodyBytesMax = 4 * 1024 * 1024

const jsonMediaType = /^application\/json(?:; ?charset=utf-8)?$/i

export function createWebhookServer(options: WebhookOptions): WebhookServer {
  const { heldBytesMax, connectionsMax, requestTimeoutMs } = options.reading ?? defaultReadingLimits
  const desk = createReviewDesk({
    ...options,
    ...(options.clientCA === undefined ? {} : { standing: clientStanding }),
  })
  const bodies = createBodyBudget(heldBytesMax)
  let closing = false
  let connections: Connections | undefined
  const app = fastify({
    serverFactory(handler) {
      connections = takeConnections({ ...options, connectionsMax, requestTimeoutMs, desk, bodies }, handler)
      return connections.https
    },
    forceCloseConnections: 'idle',
    // Reading a review refuses these names, in the same walk that measures its depth: the parser's own search goes over the text twice.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    // A review that is refused fails somebody's write.
    return503OnClosing: false,
    logger: false,
  })

  const parseJSON = app.getDefaultJsonParser('ignore', 'ignore')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, body, done) => {
    const path = reviewPaths.find((one) => one === request.routeOptions.url)
    const refused = (): Error => new RefusedError(desk.refuseBody(path))
    readBody(body, { bodies, bytesMax: bodyBytesMax, refused }, (error, text) => {
      if (error === null) void parseJSON(request, text, done)
      else done(error)
    })
  })

  // Exactly one media type, judged before any parser: Fastify's own matching has been bypassed with odd white space before.
  app.addHook('onRequest', (request, reply, next) => {
    const { 'content-type': mediaType = '' } = request.headers
    if (request.method !== 'POST' || mediaType === 'application/json' || jsonMediaType.test(mediaType)) next()
    else void reply.code(415).send({ message: 'Content-Type must be application/json' })
  })

  // A connection that goes on would hold up the stop, and be cut off in the end.
  app.addHook('onSend', (_request, reply, _payload, next) => {
    if (closing) void reply.header('connection', 'close')
    next()
  })

  app.setErrorHandler(async (error: { statusCode?: number; message: string }, request, reply) => {
    if (error instanceof RefusedError) {
      await reply.code(error.answer.status).headers(headersOf(error.answer)).send(error.answer.text)
      return
    }
    const status = error.statusCode ?? 500
    if (status >= 500) options.log.error({ err: error, path: request.url }, 'admission request failed')
    await reply.code(status).send({ message: status >= 500 ? 'internal error' : error.message })
  })

  for (const path of reviewPaths) {
    app.post(path, {
      // Again, since there are more ways to write a path than the one that has been looked at.
      onRequest(request, reply, next) {
        const refusal = desk.turnAwayStranger(path, request.raw.socket)
        if (refusal === undefined) next()
        else void reply.code(refusal.status).headers(headersOf(refusal)).send(refusal.text)
      },
      handler(request, reply) {
        const send = (answer: Answer): FastifyReply =>
          reply.code(answer.status).headers(headersOf(answer)).send(answer.text)
        const answer = desk.answer(path, request.body, request.raw.socket)
        if (!(answer instanceof Promise)) return send(answer)
        void answer.then(send)
        return reply
      },
    })
  }

  app.get('/healthz', async () => 'ok')
  app.get('/readyz', async (_request, reply) => {
    const missing = closing ? 'shutting down' : options.unreadyBecause()
    // A reply is thenable until it is sent: it must not be awaited here.
    if (missing !== undefined) void reply.code(503)
    return missing ?? 'ok'
  })
  app.get('/metrics', async (_request, reply) => {
    void reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    return options.metricsText()
  })
  app.addHook('preClose', (done) => {
    connections?.close()
    done()
  })

  return {
    async listen({ host, port }) {
      if (host === undefined) await listenEverywhere(app, port)
      else await app.listen({ host, port })
      const address = app.server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    },
    replaceCertificate(tls) {
      connections?.replaceCertificate(tls)
    },
    replaceClientCA(clientCA) {
      connections?.replaceClientCA(clientCA)
    },
    async close() {
      closing = true
      await app.close()
    },
    inject: app.inject.bind(app),
  }
}

/** Of a body that is not read on. */
class RefusedError extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super('the body is refused')
    this.answer = answer
  }
}

/** Pods of an IPv6 cluster have no other address; without IPv6 in the kernel only IPv4 is left, as with Node's own servers. */
async function listenEverywhere(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ host: '::', port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error
    await app.listen({ host: '0.0.0.0', port })
  }
}
