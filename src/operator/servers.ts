import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Session } from 'node:inspector/promises'
import { getHeapSnapshot } from 'node:v8'
import { pipeline } from 'node:stream/promises'
import type { AddressInfo } from 'node:net'
import { messageOf } from '../api/error-text.ts'
import type { PrometheusMetrics } from './prometheus.ts'

/** Undefined while all is well, else what is wrong. */
export type HealthCheck = () => string | undefined | Promise<string | undefined>

export interface RunningServer {
  /** The port it listens on; another than asked for when 0 was asked for. */
  readonly port: number
  close(): Promise<void>
}

/** Longest profile one request may take. */
const profileSecondsMax = 120
const profileSecondsDefault = 30

/** `/healthz` says that the process answers; `/readyz` that every check holds. `?verbose` lists them. */
export function startHealthServer(port: number, checks: Readonly<Record<string, HealthCheck>>): Promise<RunningServer> {
  return listen(port, async (path, query, response) => {
    if (path === '/healthz') return text(response, 200, 'ok')
    if (path !== '/readyz') return text(response, 404, 'not found')
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => ({ name, problem: await problemOf(check) })),
    )
    const failed = results.some(({ problem }) => problem !== undefined)
    const lines = results.map(({ name, problem }) =>
      problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
    )
    const verbose = failed || query.has('verbose')
    return text(response, failed ? 500 : 200, verbose ? `${lines.join('\n')}\n` : 'ok')
  })
}

/**
 * `/metrics`, and with profiling switched on a heap snapshot, profiles of processor time and allocations that Chrome's developer tools
 * read, and the last verdicts on nodes.
 */
export function startMetricsServer(
  port: number,
  metrics: PrometheusMetrics,
  options: {
    readonly profiling: boolean
    /** What `/debug/verdicts` tells: why disruption last left nodes alone. */
    readonly verdicts?: () => readonly unknown[]
  },
): Promise<RunningServer> {
  return listen(port, async (path, query, response) => {
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.contentType })
      return pipeline(metrics.pieces(), response)
    }
    if (!options.profiling) return text(response, 404, 'not found')
    if (path === '/debug/verdicts') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(options.verdicts?.() ?? []))
      return
    }
    if (path === '/debug/pprof/heap') return heapSnapshot(response)
    if (path === '/debug/pprof/profile') return profile(cpu, response, query)
    if (path === '/debug/pprof/allocs') return profile(allocations, response, query)
    return text(response, 404, 'not found')
  })
}

export type Handler = (
  path: string,
  query: URLSearchParams,
  response: ServerResponse,
  request: IncomingMessage,
) => Promise<void> | void

/** Serves GET and HEAD, on all addresses unless one is named. */
export async function listen(port: number, handle: Handler, host?: string): Promise<RunningServer> {
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://localhost')
    if (url === null) {
      text(response, 400, 'the path is not one')
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      text(response, 405, 'method not allowed')
      return
    }
    Promise.resolve(handle(url.pathname, url.searchParams, response, request)).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else text(response, 500, messageOf(error))
    })
  })
  // Probes and scrapes are small: whoever is slower than this is not one of them.
  server.requestTimeout = 10_000
  server.headersTimeout = 5_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function problemOf(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check()
  } catch (error) {
    return messageOf(error)
  }
}

function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(body)
}

async function heapSnapshot(response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-disposition': 'attachment; filename="joinery.heapsnapshot"',
  })
  await pipeline(getHeapSnapshot(), response)
}

interface ProfileKind {
  readonly fileName: string
  begin(session: Session): Promise<void>
  end(session: Session): Promise<{ readonly profile: object }>
}

const cpu: ProfileKind = {
  fileName: 'joinery.cpuprofile',
  begin: async (session) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
  },
  end: (session) => session.post('Profiler.stop'),
}

/** Of what was allocated meanwhile and is still in use: samples, which do not halt the process as a snapshot does. */
const allocations: ProfileKind = {
  fileName: 'joinery.heapprofile',
  begin: (session) => session.post('HeapProfiler.startSampling'),
  end: (session) => session.post('HeapProfiler.stopSampling'),
}

async function profile(kind: ProfileKind, response: ServerResponse, query: URLSearchParams): Promise<void> {
  const seconds = Number(query.get('seconds') ?? profileSecondsDefault)
  if (!(seconds > 0 && seconds <= profileSecondsMax)) {
    text(response, 400, `seconds must be between 1 and ${profileSecondsMax}`)
    return
  }
  const session = new Session()
  session.connect()
  try {
    await kind.begin(session)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const ended = await kind.end(session)
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${kind.fileName}"`,
    })
    response.end(JSON.stringify(ended.profile))
  } finally {
    session.disconnect()
  }
}
