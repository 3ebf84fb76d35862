import { createServer, type Server } from 'node:https'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import type { Logger } from '../src/kube/logger.ts'
import type { Counter, Histogram, Metrics } from '../src/kube/metrics.ts'
import { createLoadGauge, type LoadLimits } from './load-shedding.ts'
import { type ReviewAnswer, type ReviewRequest, readReview, reviewText } from './review.ts'

export interface TLSMaterial {
  /** PEM: the leaf, then what signed it. */
  readonly certificate: string
  readonly key: string
}

export interface WebhookOptions {
  readonly tls: TLSMaterial
  /** PEM of the CA that signs the API server's client certificate; when given, nobody else is answered. */
  readonly clientCA?: string
  /** A promise only where something has to be waited for: the turns of the event loop that one takes are a part of the answer's cost. */
  readonly validate: (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer>
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

export function reviewMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>): WebhookMetrics {
  return {
    reviews: metrics.counter({
      name: 'joinery_webhook_reviews_total',
      help: 'Admission reviews by path and outcome.',
      labels: ['path', 'outcome'],
    }),
    duration: metrics.histogram({
      name: 'joinery_webhook_review_duration_seconds',
      help: 'Time to answer an admission review.',
      labels: ['path'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    }),
  }
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
const jsonContent = 'application/json; charset=utf-8'
const overloadedHead = {
  'content-type': jsonContent,
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
          if (request.method !== 'POST' || !load.isOverloaded(request.socket)) handler(request, response)
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

  const answer = (path: string, decide: WebhookOptions['validate']): void => {
    app.post(path, (request, reply) => {
      const { socket } = request.raw
      if (!load.enter(socket)) {
        shed(path)
        return reply.code(429).headers(overloadedHead).send(overloadedBody)
      }
      const started = performance.now()
      const settle = (outcome: string): void => {
        load.leave(socket)
        options.metrics?.reviews.increment({ path, outcome })
        options.metrics?.duration.observe({ path }, (performance.now() - started) / 1000)
      }
      const fail = (error: unknown): FastifyReply => {
        settle('failed')
        return reply.send(error instanceof Error ? error : new Error('not an error', { cause: error }))
      }
      const send = (uid: string, decided: ReviewAnswer): FastifyReply => {
        settle(decided.allowed ? 'allowed' : 'denied')
        return reply.header('content-type', jsonContent).send(reviewText(uid, decided))
      }
      const review = readReview(request.body)
      if (review.kind === 'malformed') {
        settle('malformed')
        return reply.code(400).send({ message: review.message })
      }
      const { uid } = review.request
      let decided: ReviewAnswer | Promise<ReviewAnswer>
      try {
        decided = decide(review.request)
      } catch (error) {
        return fail(error)
      }
      if (!(decided instanceof Promise)) return send(uid, decided)
      decided.then((late) => send(uid, late), fail)
      return reply
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
