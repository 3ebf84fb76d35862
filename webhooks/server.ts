import { createServer, type Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { createFastLane } from './fast-lane.ts'
import {
  type Answer,
  createReviewDesk,
  jsonContent,
  retryAfterSeconds,
  type ReviewDeskOptions,
  type ReviewPath,
  reviewPaths,
} from './review-desk.ts'

export interface TLSMaterial {
  /** PEM: the leaf, then what signed it. */
  readonly certificate: string
  readonly key: string
}

export interface WebhookOptions extends ReviewDeskOptions {
  readonly tls: TLSMaterial
  /** PEM of the CA that signs the API server's client certificate; when given, nobody else is answered. */
  readonly clientCA?: string
  /** Undefined when ready, else what is missing. */
  readonly unreadyBecause: () => string | undefined
  /** Text exposition of the process's metrics. */
  readonly metricsText: () => Promise<string>
}

export interface WebhookServer {
  /** Resolves to the port listened on; 0 asks for any. Without a host it is every address, of IPv4 and IPv6. */
  listen(address: { readonly host?: string; readonly port: number }): Promise<number>
  /** The next handshake uses it; open connections go on. */
  replaceCertificate(tls: TLSMaterial): void
  /** Turns unready, answers what is in flight, then closes. */
  close(): Promise<void>
  readonly inject: FastifyInstance['inject']
}

/** An AdmissionReview carries the object twice; etcd refuses objects above 1.5 MiB. */
const bodyBytesMax = 4 * 1024 * 1024
/** Slow senders are cut off: the API server sends a review at once. */
const requestTimeoutMs = 10_000
/** Longer than the API server goes on using a connection without a request. */
const keepAliveTimeoutMs = 75_000

const jsonMediaType = /^application\/json(?:; ?charset=utf-8)?$/i

export function createWebhookServer(options: WebhookOptions): WebhookServer {
  const desk = createReviewDesk(options)
  let closing = false
  let https: Server | undefined
  let attach: (socket: TLSSocket) => void = () => undefined
  const lane = createFastLane({
    desk,
    handOver: (socket) => attach(socket),
    keepAliveTimeoutMs,
    requestTimeoutMs,
  })
  const app = fastify({
    serverFactory(handler) {
      // HTTP/1.1 only: API servers ask for nothing else of a webhook, and what HTTP/2 adds is a way to flood it.
      https = createServer(
        {
          key: options.tls.key,
          cert: options.tls.certificate,
          minVersion: 'TLSv1.2',
          // Half-open connections must not pile up.
          handshakeTimeout: 5_000,
          ...(options.clientCA === undefined
            ? {}
            : { ca: options.clientCA, requestCert: true, rejectUnauthorized: true }),
        },
        (request, response) => {
          // Before anything is read or parsed: a refusal must be much cheaper than an answer.
          const path = request.method === 'POST' ? reviewPathOf(request.url ?? '') : undefined
          const refusal = path === undefined ? undefined : desk.turnAway(path, request.socket)
          if (refusal === undefined) handler(request, response)
          else response.writeHead(refusal.status, headersOf(refusal)).end(refusal.text)
        },
      )
      https.requestTimeout = requestTimeoutMs
      https.keepAliveTimeout = keepAliveTimeoutMs
      // What reads requests from a connection comes second: most connections never need it.
      const [readRequests] = https.listeners('secureConnection')
      if (readRequests === undefined) throw new Error('an HTTPS server reads its connections')
      const server = https
      attach = (socket) => readRequests.call(server, socket)
      https.removeAllListeners('secureConnection')
      https.on('secureConnection', (socket) => lane.take(socket))
      return https
    },
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    // Reading a review refuses these names, in the same walk that measures its depth: the parser's own search goes over the text twice.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    return503OnClosing: true,
    logger: false,
  })

  // Exactly one media type, judged before any parser: Fastify's own matching has been bypassed with odd white space before.
  app.addHook('onRequest', (request, reply, next) => {
    const { 'content-type': mediaType = '' } = request.headers
    if (request.method !== 'POST' || mediaType === 'application/json' || jsonMediaType.test(mediaType)) next()
    else void reply.code(415).send({ message: 'Content-Type must be application/json' })
  })

  app.setErrorHandler(async (error: { statusCode?: number; message: string }, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) options.log.error({ err: error, path: request.url }, 'admission request failed')
    await reply.code(status).send({ message: status >= 500 ? 'internal error' : error.message })
  })

  for (const path of reviewPaths) {
    app.post(path, (request, reply) => {
      const send = (answer: Answer): FastifyReply =>
        reply.code(answer.status).headers(headersOf(answer)).send(answer.text)
      const answer = desk.answer(path, request.body, request.raw.socket)
      if (!(answer instanceof Promise)) return send(answer)
      void answer.then(send)
      return reply
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
    lane.close()
    done()
  })

  return {
    async listen({ host, port }) {
      if (host === undefined) await listenEverywhere(app, port)
      else await app.listen({ host, port })
      const address = app.server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    },
    replaceCertificate({ certificate, key }) {
      https?.setSecureContext({
        cert: certificate,
        key,
        minVersion: 'TLSv1.2',
        ...(options.clientCA === undefined ? {} : { ca: options.clientCA }),
      })
    },
    async close() {
      closing = true
      await app.close()
    },
    inject: app.inject.bind(app),
  }
}

/** Without the query, in which the API server tells its time-out; undefined for what is no path of a review. */
function reviewPathOf(url: string): ReviewPath | undefined {
  const [path] = url.split('?', 1)
  return reviewPaths.find((one) => one === path)
}

/** Pods of an IPv6 cluster have no other address; where the kernel has no IPv6 that of IPv4 is left, as Node's own servers do it. */
async function listenEverywhere(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ host: '::', port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error
    await app.listen({ host: '0.0.0.0', port })
  }
}

function headersOf({ status, text }: Answer): Record<string, string | number> {
  return {
    'content-type': jsonContent,
    'content-length': Buffer.byteLength(text),
    ...(status === 429 ? { 'retry-after': retryAfterSeconds } : {}),
  }
}
