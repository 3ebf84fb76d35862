import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Logger } from '../src/kube/logger.ts'
import { systemClock } from '../src/kube/system-clock.ts'
import type { BodyBudget } from './body-budget.ts'
import { createFastLane } from './fast-lane.ts'
import { headersOf, type ReviewDesk, type ReviewPath, reviewPaths } from './review-desk.ts'

export interface TLSMaterial {
  /** PEM: the leaf, then what signed it. */
  readonly certificate: string
  readonly key: string
}

export interface ConnectionsOptions {
  readonly tls: TLSMaterial
  /** PEM of the CA that signs the API server's client certificate. */
  readonly clientCA?: string
  readonly connectionsMax: number
  readonly requestTimeoutMs: number
  readonly desk: ReviewDesk
  readonly bodies: BodyBudget
  readonly log: Pick<Logger, 'warn'>
}

export interface Connections {
  readonly https: Server
  /** The next handshake uses it; open connections go on. */
  replaceCertificate(tls: TLSMaterial): void
  /** The same for who may sign the certificates of clients. Only where an authority was given from the start. */
  replaceClientCA(clientCA: string): void
  /** Ends what waits for a next request on the fast lane, and after the time of a whole request all that is left, on whichever way. */
  close(): void
}

/**
 * Longer than API servers keep a connection without a request, which is the 90 s of Go's transport: a review that is sent while its
 * connection is being ended from here fails, and is not sent again.
 */
const keepAliveTimeoutMs = 120_000

/** A line for each connection that finds no place would be an attack of its own. */
const crowdLogIntervalMs = 60_000

/** Takes connections, bounds how many there are, and sends each the way of the fast lane first; what that hands over is for `handler`. */
export function takeConnections(options: ConnectionsOptions, handler: RequestListener): Connections {
  const { requestTimeoutMs, desk, bodies } = options
  let { tls, clientCA } = options
  // HTTP/1.1 only: API servers ask for nothing else of a webhook, and what HTTP/2 adds is a way to flood it.
  const https = createServer(
    {
      key: tls.key,
      cert: tls.certificate,
      minVersion: 'TLSv1.2',
      // Half-open connections must not pile up.
      handshakeTimeout: 5_000,
      // The kubelet's probes come to the same port and have no certificate: who may ask is looked at request by request.
      ...(clientCA === undefined ? {} : { ca: clientCA, requestCert: true, rejectUnauthorized: false }),
      // Here, not later: how often connections are looked at is read once, and the limit of the headers does not follow that of the request.
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 10),
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    (request, response) => {
      response.on('timeout', (socket) => {
        // As on the fast lane: who waits for a decision may wait on, and who has an answer has had its time to read it.
        if (response.writableEnded) socket.destroy()
      })
      // Before anything is read or parsed: a refusal must be much cheaper than an answer.
      const path = request.method === 'POST' ? reviewPathOf(request.url ?? '') : undefined
      const refusal = path === undefined ? undefined : desk.turnAway(path, request.socket)
      if (refusal === undefined) handler(request, response)
      else response.writeHead(refusal.status, headersOf(refusal)).end(refusal.text)
    },
  )
  // How long nothing may move in either direction: Node has limits for requests that do not come, but none for answers that nobody reads.
  https.timeout = requestTimeoutMs
  // What reads requests from a connection comes second: most connections never need it.
  const [readRequests] = https.listeners('secureConnection')
  if (readRequests === undefined) throw new Error('an HTTPS server reads its connections')
  const handOver = (socket: TLSSocket): void => readRequests.call(https, socket)
  const lane = createFastLane({ desk, bodies, handOver, keepAliveTimeoutMs, requestTimeoutMs })
  https.removeAllListeners('secureConnection')
  https.on('secureConnection', (socket) => lane.take(socket))
  const open = bound(https, options, () => lane.makeRoom())
  const renewContext = (next: { readonly tls: TLSMaterial; readonly clientCA: string | undefined }): void => {
    const ca = next.clientCA === undefined ? {} : { ca: next.clientCA }
    https.setSecureContext({ cert: next.tls.certificate, key: next.tls.key, minVersion: 'TLSv1.2', ...ca })
    // What TLS refused is not tried again with the next of the two.
    tls = next.tls
    clientCA = next.clientCA
  }
  return {
    https,
    replaceCertificate: (next) => renewContext({ tls: next, clientCA }),
    replaceClientCA: (next) => renewContext({ tls, clientCA: next }),
    close() {
      lane.close()
      if (!https.listening) return
      // Node no longer looks for slow requests once its server closes, and whoever hears no end would keep it waiting.
      const late = systemClock().schedule(requestTimeoutMs, () => open.forEach((socket) => socket.destroy()))
      https.once('close', () => late.cancel())
    },
  }
}

/**
 * The last place is kept free by those that only wait: whoever holds all places without asking keeps nobody out. Returns what is open at
 * any time.
 */
function bound(
  https: Server,
  { connectionsMax, log }: Pick<ConnectionsOptions, 'connectionsMax' | 'log'>,
  makeRoom: () => boolean,
): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  https.maxConnections = connectionsMax
  https.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size >= connectionsMax && !makeRoom()) https.closeIdleConnections()
  })
  https.on(
    'drop',
    onceIn(crowdLogIntervalMs, () => log.warn({ connections: connectionsMax }, 'too many connections')),
  )
  return open
}

/** Without the query, in which the API server tells its time-out; undefined for a path that takes no reviews. */
function reviewPathOf(url: string): ReviewPath | undefined {
  const [path] = url.split('?', 1)
  return reviewPaths.find((one) => one === path)
}

/** Runs `call` at most once per `intervalMs`. */
function onceIn(intervalMs: number, call: () => void): () => void {
  let lastAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - lastAt < intervalMs) return
    lastAt = now
    call()
  }
}
