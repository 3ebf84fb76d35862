import { createServer, type Server } from 'node:https'
import { type FastifyInstance, fastify } from 'fastify'
import type { Logger } from '../src/kube/logger.ts'
import type { Counter, Histogram } from '../src/kube/metrics.ts'
import { createLoadGauge, type LoadLimits } from './load-shedding.ts'
import { type ReviewAnswer, type ReviewRequest, readReview, toReviewBody } from './review.ts'

export interface TLSMaterial {
  /** PEM: the leaf, then what signed it. */
  readonly certificate: string
  readonly key: string
}

export interface WebhookOptions {
  readonly tls: TLSMaterial
  /** PEM of the CA that signs the API server's client certificate; when given, nobody else is answered. */
  readonly clientCA?: string
  readonly validate: (request: ReviewRequest) => Promise<ReviewAnswer>
  readonly mutate: (request: ReviewRequest) => ReviewAnswer
  /** Undefined when ready, else what is missing. */
  readonly unreadyBecause: () => string | undefined
  /** Text exposition of the process's metrics. */
  readonly metricsText: () => Promise<string>
  readonly log: Logger
  readonly metrics?: WebhookMetrics
  readonly limits?: LoadLimits
}

interface WebhookMetrics {
  /** Labels: path, outcome (allowed, denied, malformed, shed, failed). */
  readonly reviews: Counter
  /** Labels: path. Seconds. */
  readonly duration: Histogram
}

export interface WebhookServer {
  /** Resolves to the port listened on; 0 asks for any. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>
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

const overloadedBody = JSON.stringify({ message: 'overloaded, try again' })
const overloadedHead = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(overloadedBody),
  'retry-after': '1',
} as const

const jsonMediaType = /^application\/json(?:; ?charset=utf-8)?$/i

export function createWebhookServer(options: WebhookOptions): WebhookServer {
  const load = createLoadGauge(options.limits)
  let closing = false
  const shed = (path: string): void => options.metrics?.reviews.increment({ path, outcome: 'shed' })
  let https: Server | undefined
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
          if (request.method !== 'POST' || !load.isOverloaded()) handler(request, response)
          else {
            shed(request.url ?? '')
            response.writeHead(429, overloadedHead).end(overloadedBody)
          }
        },
      )
      https.requestTimeout = requestTimeoutMs
      https.keepAliveTimeout = 75_000
      return https
    },
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    return503OnClosing: true,
    logger: false,
  })

  // Exactly one media type, judged before any parser: Fastify's own matching has been bypassed with odd white space before.
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST') return
    if (!jsonMediaType.test(request.headers['content-type'] ?? '')) {
      await reply.code(415).send({ message: 'Content-Type must be application/json' })
    }
  })

  app.setErrorHandler(async (error: { statusCode?: number; message: string }, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) options.log.error({ err: error, path: request.url }, 'admission request failed')
    await reply.code(status).send({ message: status >= 500 ? 'internal error' : error.message })
  })

  const answer = (path: string, decide: (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer>): void => {
    app.post(path, async (request, reply) => {
      if (!load.enter()) {
        shed(path)
        return reply.code(429).headers(overloadedHead).send(overloadedBody)
      }
      const started = performance.now()
      try {
        const review = readReview(request.body)
        if (review.kind === 'malformed') {
          options.metrics?.reviews.increment({ path, outcome: 'malformed' })
          return await reply.code(400).send({ message: review.message })
        }
        const decided = await decide(review.request)
        options.metrics?.reviews.increment({ path, outcome: decided.allowed ? 'allowed' : 'denied' })
        return await reply.send(toReviewBody(review.request.uid, decided))
      } catch (error) {
        options.metrics?.reviews.increment({ path, outcome: 'failed' })
        throw error
      } finally {
        load.leave()
        options.metrics?.duration.observe({ path }, (performance.now() - started) / 1000)
      }
    })
  }
  answer('/validate', options.validate)
  answer('/mutate', options.mutate)

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

  return {
    async listen({ host, port }) {
      await app.listen({ host, port })
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
