import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { largeReviewTexts, newReviewTexts, reviewTexts } from './review.ts'

export interface Target {
  readonly port: number
  readonly authority: string
}

export interface Load {
  readonly requests: number
  /** Those that were answered: a refusal is no work done. */
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Answers by status; `error` counts connections that failed. */
  readonly statuses: Readonly<Record<string, number>>
  /** 99th percentile of answers that refuse for now (429). */
  readonly shedP99Ms: number | undefined
}

const keepAliveRequests = reviewTexts.map((text) => requestOf(text, ''))
const newRequests = newReviewTexts.map((text) => requestOf(text, ''))
const largeRequests = largeReviewTexts.map((text) => requestOf(text, ''))
const singleRequests = reviewTexts.map((text) => requestOf(text, 'Connection: close\r\n'))

const requestsOf = { same: keepAliveRequests, new: newRequests, large: largeRequests }

function requestOf(text: string, header: string): Buffer {
  const length = Buffer.byteLength(text)
  return Buffer.from(
    `POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${header}\r\n${text}`,
  )
}

/**
 * Asks over so many connections at once, each as soon as it has its answer. Written on bare TLS sockets, so that the client costs
 * little of the machine that it shares with the server. `fresh` connections are made anew for every request. `manifests`: the same
 * hundred in turn, or new ones each time, of which the server can remember neither whole nor part, or large ones.
 */
export async function runLoad(
  target: Target,
  options: {
    readonly connections: number
    readonly durationMs: number
    readonly fresh?: boolean
    readonly manifests?: keyof typeof requestsOf
  },
): Promise<Load> {
  const all: number[] = []
  const shed: number[] = []
  const statuses: Record<string, number> = {}
  const opened = options.fresh === true ? [] : await openAll(target, options.connections)
  const started = performance.now()
  const until = started + options.durationMs
  const record = (status: string, ms: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
    all.push(ms)
    if (status === '429') shed.push(ms)
  }
  const requests = options.fresh === true ? singleRequests : requestsOf[options.manifests ?? 'same']
  let asked = 0
  const next = (): Buffer => {
    asked += 1
    return requests[asked % requests.length] ?? Buffer.alloc(0)
  }
  const worker = async (kept: TLSSocket | undefined): Promise<void> => {
    while (performance.now() < until) {
      const from = performance.now()
      try {
        const socket = kept ?? (await open(target))
        const status = await ask(socket, next())
        if (kept === undefined) socket.destroy()
        record(status, performance.now() - from)
      } catch {
        record('error', performance.now() - from)
        if (kept !== undefined) return
      }
    }
  }
  const workers = options.fresh === true ? Array.from({ length: options.connections }, () => undefined) : opened
  await Promise.all(workers.map(worker))
  const elapsed = performance.now() - started
  for (const socket of opened) socket.destroy()
  return {
    requests: all.length,
    requestsPerSecond: Math.round(((statuses['200'] ?? 0) * 1000) / elapsed),
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    maxMs: percentile(all, 1),
    statuses,
    shedP99Ms: shed.length === 0 ? undefined : percentile(shed, 0.99),
  }
}

export interface OpenLoad {
  readonly answeredPerSecond: number
  readonly statuses: Readonly<Record<string, number>>
  /** Requests that found no connection free: zero, or there was less load than was meant. */
  readonly unsent: number
  readonly answeredP99Ms: number
  readonly shedP99Ms: number | undefined
}

/** Asks so often, however long the answers take: as clients do that know nothing of each other. */
export async function runOpenLoad(
  target: Target,
  options: { readonly perSecond: number; readonly connections: number; readonly durationMs: number },
): Promise<OpenLoad> {
  const idle = await openAll(target, options.connections)
  const opened = [...idle]
  const answered: number[] = []
  const shed: number[] = []
  const statuses: Record<string, number> = {}
  const underWay = new Set<Promise<void>>()
  let unsent = 0
  const send = async (socket: TLSSocket, index: number, due: number): Promise<void> => {
    let status = 'error'
    try {
      status = await ask(socket, largeRequests[index % largeRequests.length] ?? Buffer.alloc(0))
      idle.push(socket)
    } catch {
      // Counted below.
    }
    statuses[status] = (statuses[status] ?? 0) + 1
    const times = status === '200' ? answered : status === '429' ? shed : undefined
    times?.push(performance.now() - due)
  }
  const started = performance.now()
  const count = Math.round((options.perSecond * options.durationMs) / 1000)
  for (let sent = 0; sent < count; ) {
    const wanted = Math.min(count, ((performance.now() - started) * options.perSecond) / 1000)
    for (; sent < wanted; sent += 1) {
      const socket = idle.shift()
      const due = started + (sent * 1000) / options.perSecond
      if (socket === undefined) {
        unsent += 1
        continue
      }
      const one = send(socket, sent, due)
      underWay.add(one)
      void one.finally(() => underWay.delete(one))
    }
    await sleep(1)
  }
  const elapsed = performance.now() - started
  await Promise.all(underWay)
  for (const socket of opened) socket.destroy()
  return {
    answeredPerSecond: Math.round(((statuses['200'] ?? 0) * 1000) / elapsed),
    statuses,
    unsent,
    answeredP99Ms: percentile(answered, 0.99),
    shedP99Ms: shed.length === 0 ? undefined : percentile(shed, 0.99),
  }
}

async function openAll(target: Target, count: number): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = []
  // Handshakes in batches: hundreds at once would time each other out.
  while (sockets.length < count) {
    const batch = Math.min(50, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => open(target)))))
  }
  return sockets
}

export function open({ port, authority }: Target): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: authority, servername: 'localhost' }, () => {
      socket.off('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Sends one request and resolves to the status of its answer. */
export function ask(socket: TLSSocket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (settle: () => void): void => {
      socket.off('data', onData)
      socket.off('close', onClose)
      settle()
    }
    const onClose = (): void => finish(() => reject(new Error('closed')))
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length >= end + 4 + length) finish(() => resolve(text.slice(9, 12)))
    }
    socket.on('data', onData)
    socket.on('close', onClose)
    socket.write(request)
  })
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return Math.round(value * 1000) / 1000
}
