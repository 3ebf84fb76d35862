/**
 * How fast manifests are judged: one NodePool in process; one AdmissionReview over TLS keep-alive from a second process, beside a bare
 * Fastify with Ajv, an Express handler that only parses the body, and two floors that judge nothing; overload; certificate rotations;
 * start of the real command until it is ready. `-o json` prints the numbers only.
 *
 * Servers are compared by requests per second and by processor time per request: the second says the same on a machine that has other
 * work, and on a quiet one whose client is the bottleneck.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge } from '../../src/admission/index.ts'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import { clientFor, createApiServer, serve } from '../../src/embedded/apiserver/index.ts'
import { systemClock } from '../../src/kube/system-clock.ts'
import { systemRandom } from '../../src/kube/system-random.ts'
import { mutateReview, validateReview } from '../../webhooks/judge-review.ts'
import { warmUp } from '../../webhooks/warm-up.ts'
import { bringWebhookSecret } from '../support/webhook-secret.ts'
import { ask, type Load, open, type OpenLoad, percentile, runLoad, runOpenLoad, type Target } from './admission/load.ts'
import { newPools, pools, reviewTexts } from './admission/review.ts'

/** With 500 connections a round of questions and answers takes up to a tenth of a second: it has to be one of many. */
const durationMs = 1_000
const rounds = 5
/** Asked before anything is measured: by then each server's hot path has been compiled. */
const warmUpRequests = 20_000
const rotations = 20

interface Server extends Target {
  readonly child: ChildProcess
}

type Kind = 'joinery' | 'fastify' | 'express' | 'parser' | 'tls'

async function startServer(kind: Kind): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'admission/server.ts'), [kind])
  const { port, authority } = await new Promise<Target>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Target))
    child.once('exit', (code) => reject(new Error(`${kind} exited with ${code}`)))
  })
  return { child, port, authority }
}

interface Judging {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly perSecond: number
}

/** After the warm-up with which the webhook starts. */
async function inProcess(): Promise<{ readonly known: Judging; readonly new: Judging }> {
  await warmUp(validateReview({ clock: systemClock(), facts: () => ({ nodePools: [] }) }), mutateReview)
  judgeEach(Array.from({ length: 10 }, () => pools).flat())
  return {
    known: judgeEach(Array.from({ length: 50 }, () => pools).flat()),
    new: judgeEach(newPools),
  }
}

function judgeEach(objects: readonly object[]): Judging {
  const times = objects.map((object) => {
    const from = performance.now()
    const { allowed } = judge({
      object: object as KubeObject,
      operation: 'CREATE',
      rules: 'all',
      facts: { nodePools: [] },
      now: 0,
    })
    if (!allowed) throw new Error('the pool of the benchmark is refused')
    return performance.now() - from
  })
  const total = times.reduce((sum, ms) => sum + ms, 0)
  return {
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    perSecond: Math.round((times.length * 1000) / total),
  }
}

/** One round of one server. */
interface Round extends Load {
  /** Of the server, for each request that it answered; what it refused meanwhile is part of the price. */
  readonly processorMicros: number
}

interface Row {
  readonly loads: Record<string, Round>
  /** Requests per second against the others', the median of the rounds. */
  readonly toFastify: number
  readonly toExpress: number
  /** As `toFastify`, where every manifest is one that has not been judged before. */
  readonly newToFastify: number
  /** The same three by processor time per request. */
  readonly byProcessorTime: Pick<Row, 'toFastify' | 'toExpress' | 'newToFastify'>
  /** As `toExpress` by processor time, of the floor that parses: no server on Node's HTTP can be above it. */
  readonly floorToExpress: number
}

/** The servers take turns in short rounds, so that what else the machine does meets all of them alike. */
async function overTLS(): Promise<Record<string, Row>> {
  const results: Record<string, Row> = {}
  const kinds = ['joinery', 'fastify', 'express', 'parser', 'tls'] as const
  const servers = new Map<Kind, Server>()
  for (const kind of kinds) servers.set(kind, await startServer(kind))
  for (const server of servers.values()) await heatUp(server, 'same')
  // Of its own, for it forgets old manifests over new ones.
  const surprised = await startServer('joinery')
  await heatUp(surprised, 'new')
  for (const connections of [1, 50, 500]) {
    const taken: Record<Kind, Round[]> = { joinery: [], fastify: [], express: [], parser: [], tls: [] }
    const news: Round[] = []
    for (let round = 0; round < rounds; round += 1) {
      news.push(await measured(surprised, { connections, durationMs, manifests: 'new' }))
      for (const [kind, server] of servers) taken[kind].push(await measured(server, { connections, durationMs }))
    }
    const { joinery: ours, fastify, express, parser } = taken
    results[`${connections}`] = {
      loads: Object.fromEntries(
        Object.entries({ ...taken, 'joinery, each manifest new': news }).map(([name, loads]) => [name, middle(loads)]),
      ),
      toFastify: ratio(ours, fastify, throughput),
      toExpress: ratio(ours, express, throughput),
      newToFastify: ratio(news, fastify, throughput),
      byProcessorTime: {
        toFastify: ratio(ours, fastify, thrift),
        toExpress: ratio(ours, express, thrift),
        newToFastify: ratio(news, fastify, thrift),
      },
      floorToExpress: ratio(parser, express, thrift),
    }
  }
  for (const { child } of [...servers.values(), surprised]) child.disconnect()
  return results
}

const throughput = ({ requestsPerSecond }: Round): number => requestsPerSecond
const thrift = ({ processorMicros }: Round): number => 1 / processorMicros

async function heatUp(server: Server, manifests: 'same' | 'new'): Promise<void> {
  for (let asked = 0; asked < warmUpRequests; ) {
    asked += (await runLoad(server, { connections: 20, durationMs: 250, manifests })).requests
  }
}

async function measured(server: Server, options: Parameters<typeof runLoad>[1]): Promise<Round> {
  const before = await processorMs(server)
  // What the handshakes of as many connections take is none of a request's business.
  await runLoad(server, { ...options, durationMs: 0 })
  const between = await processorMs(server)
  const load = await runLoad(server, options)
  const spentMs = (await processorMs(server)) - between - (between - before)
  return { ...load, processorMicros: Math.round((spentMs * 1_000) / (load.statuses['200'] ?? 0)) }
}

function processorMs({ child }: Server): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve((message as { readonly processorMs: number }).processorMs))
    child.send('usage')
  })
}

/** The round of median throughput. */
function middle(loads: readonly Round[]): Round {
  const sorted = loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  const found = sorted[Math.floor(sorted.length / 2)]
  if (found === undefined) throw new Error('no round was run')
  return found
}

function ratio(ours: readonly Round[], theirs: readonly Round[], by: (round: Round) => number): number {
  const ratios = ours.flatMap((round, index) => {
    const other = theirs[index]
    return other === undefined ? [] : [by(round) / by(other)]
  })
  return Math.round(percentile(ratios, 0.5) * 100) / 100
}

interface Overload {
  /** Large pools come five times as often as they can be judged, whatever becomes of them. */
  readonly steady: OpenLoad & {
    readonly capacityPerSecond: number
    readonly offeredPerSecond: number
    readonly probeMaxMs: number
  }
  /** So many connections ask, each again as soon as it has its answer, that their number over what is answered or refused in a second is their wait. */
  readonly crowd: Load & { readonly probeMaxMs: number }
}

const crowdConnections = 2_560

/** More than can be answered, while a probe is asked. */
async function overload(): Promise<Overload> {
  const server = await startServer('joinery')
  await runLoad(server, { connections: 20, durationMs: 1_000 })
  const large = { connections: 50, manifests: 'large' } as const
  await runLoad(server, { ...large, durationMs: 1_000 })
  const { requestsPerSecond: capacityPerSecond } = await runLoad(server, { ...large, durationMs: 2_000 })
  const offeredPerSecond = capacityPerSecond * 5
  const steady = await probed(server, () =>
    runOpenLoad(server, { perSecond: offeredPerSecond, connections: 2_000, durationMs: 5_000 }),
  )
  const crowd = await probed(server, () => runLoad(server, { connections: crowdConnections, durationMs: 5_000 }))
  server.child.disconnect()
  return { steady: { capacityPerSecond, offeredPerSecond, ...steady }, crowd }
}

async function probed<T>(server: Target, load: () => Promise<T>): Promise<T & { readonly probeMaxMs: number }> {
  const probes: number[] = []
  let stop = false
  const probing = (async () => {
    const socket = await open(server)
    while (!stop) {
      const from = performance.now()
      await ask(socket, Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'))
      probes.push(performance.now() - from)
      await sleep(50)
    }
    socket.destroy()
  })()
  const outcome = await load()
  stop = true
  await probing
  return { ...outcome, probeMaxMs: percentile(probes, 1) }
}

async function rotating(): Promise<object> {
  const server = await startServer('joinery')
  const loads = [
    runLoad(server, { connections: 20, durationMs: 4_000 }),
    runLoad(server, { connections: 10, durationMs: 4_000, fresh: true }),
  ]
  for (let rotation = 0; rotation < rotations; rotation += 1) {
    server.child.send('rotate')
    await sleep(180)
  }
  const [keepAlive, fresh] = await Promise.all(loads)
  server.child.disconnect()
  return { rotations, keepAlive: keepAlive?.statuses, fresh: fresh?.statuses }
}

/** The real command against an API server, from its start until `/readyz` says so. */
async function startUp(): Promise<{ readonly readyMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-bench-'))
  const server = createApiServer({ clock: systemClock(), random: systemRandom() })
  await bringWebhookSecret(clientFor(server, { fieldManager: 'bench' }))
  const kubeconfig = join(folder, 'kubeconfig')
  const api = await serve({ server, kubeconfigPath: kubeconfig })
  const port = await freePort()
  const from = performance.now()
  const bin = join(import.meta.dirname, '../../bin/joinery.js')
  const child = spawn(process.execPath, [bin, 'webhook', '--port', String(port), '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`the webhook exited with ${child.exitCode}`)
      if (performance.now() - from > 30_000) throw new Error('not ready after 30 s')
      await sleep(10)
    }
    return { readyMs: Math.round(performance.now() - from) }
  } finally {
    child.kill()
    await api.close()
    server.stop()
    rmSync(folder, { recursive: true })
  }
}

async function isReady(port: number): Promise<boolean> {
  const { request } = await import('node:https')
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false as const }
    const outgoing = request(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    outgoing.on('error', () => resolve(false))
    outgoing.end()
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

const asJSON = process.argv.includes('json')
const say = (text: string): void => {
  if (!asJSON) console.log(text)
}

const judged = await inProcess()
for (const [name, { p50Ms, p99Ms, perSecond }] of Object.entries(judged)) {
  say(`in process, ${name}: p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${perSecond}/s`)
}
const startup = await startUp()
say(`start of the command until ready: ${startup.readyMs} ms`)
const tls = await overTLS()
const names: Readonly<Record<string, string>> = { parser: 'floor, HTTPS that parses', tls: 'floor, bare TLS' }
for (const [connections, row] of Object.entries(tls)) {
  const at = `${connections} connections`
  for (const [name, { requestsPerSecond, p50Ms, p99Ms, processorMicros }] of Object.entries(row.loads)) {
    say(
      `${at}, ${names[name] ?? name}: ${requestsPerSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${processorMicros} µs of processor time each`,
    )
  }
  const said = ({ toFastify, newToFastify, toExpress }: Row['byProcessorTime']): string =>
    `${toFastify} × bare Fastify (${newToFastify} where each manifest is new), ${toExpress} × Express`
  say(`${at}, by requests per second: ${said(row)}`)
  say(`${at}, by processor time: ${said(row.byProcessorTime)}; the floor that parses ${row.floorToExpress} × Express`)
}
const flooded = await overload()
say(`overload: ${JSON.stringify(flooded)}`)
const rotated = await rotating()
say(`rotations: ${JSON.stringify(rotated)}`)
if (asJSON) {
  const bytes = Buffer.byteLength(reviewTexts[0] ?? '')
  console.log(
    JSON.stringify(
      {
        reviewBytes: bytes,
        inProcess: judged.known,
        inProcessNew: judged.new,
        startup,
        tls,
        overload: flooded,
        rotation: rotated,
      },
      null,
      2,
    ),
  )
}
