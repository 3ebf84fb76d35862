/**
 * How fast manifests are judged: one NodePool in process; one AdmissionReview over TLS keep-alive from a second process, beside a bare
 * Fastify with Ajv and an Express handler that only parses the body; overload; certificate rotations; start of the real command until
 * it is ready. `-o json` prints the numbers only.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge } from '../../src/admission/index.ts'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import { createApiServer, serve } from '../../src/embedded/apiserver/index.ts'
import { systemClock } from '../../src/kube/system-clock.ts'
import { systemRandom } from '../../src/kube/system-random.ts'
import { ask, type Load, open, type OpenLoad, percentile, runLoad, runOpenLoad, type Target } from './admission/load.ts'
import { pools, reviewTexts } from './admission/review.ts'

const durationMs = 600
const rounds = 5
const rotations = 20

interface Server extends Target {
  readonly child: ChildProcess
}

async function startServer(kind: 'joinery' | 'fastify' | 'express'): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'admission/server.ts'), [kind])
  const { port, authority } = await new Promise<Target>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Target))
    child.once('exit', (code) => reject(new Error(`${kind} exited with ${code}`)))
  })
  return { child, port, authority }
}

function inProcess(): { readonly p50Ms: number; readonly p99Ms: number; readonly perSecond: number } {
  const times: number[] = []
  for (let index = 0; index < 6_000; index += 1) {
    const object = pools[index % pools.length] as unknown as KubeObject
    const from = performance.now()
    const { allowed } = judge({ object, operation: 'CREATE', rules: 'all', facts: { nodePools: [] }, now: 0 })
    if (!allowed) throw new Error('the pool of the benchmark is refused')
    // The first thousand compile rules and warm the runtime up.
    if (index >= 1_000) times.push(performance.now() - from)
  }
  const total = times.reduce((sum, ms) => sum + ms, 0)
  return {
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    perSecond: Math.round((times.length * 1000) / total),
  }
}

interface Row {
  readonly loads: Record<string, Load>
  /** Requests per second against the others', the median of the rounds. */
  readonly toFastify: number
  readonly toExpress: number
  /** As `toFastify`, where every manifest is one that has not been judged before. */
  readonly newToFastify: number
}

/** The servers take turns in short rounds, so that what else the machine does meets all of them alike. */
async function overTLS(): Promise<Record<string, Row>> {
  const results: Record<string, Row> = {}
  const servers = {
    joinery: await startServer('joinery'),
    fastify: await startServer('fastify'),
    express: await startServer('express'),
  }
  for (const server of Object.values(servers)) await runLoad(server, { connections: 20, durationMs: 2_500 })
  for (const connections of [1, 50, 500]) {
    const taken: Record<keyof typeof servers, Load[]> = { joinery: [], fastify: [], express: [] }
    const news: Load[] = []
    for (let round = 0; round < rounds; round += 1) {
      news.push(await runLoad(servers.joinery, { connections, durationMs, manifests: 'new' }))
      taken.joinery.push(await runLoad(servers.joinery, { connections, durationMs }))
      taken.fastify.push(await runLoad(servers.fastify, { connections, durationMs }))
      taken.express.push(await runLoad(servers.express, { connections, durationMs }))
    }
    results[`${connections}`] = {
      loads: Object.fromEntries(
        Object.entries({ ...taken, 'joinery, each manifest new': news }).map(([name, loads]) => [name, middle(loads)]),
      ),
      toFastify: ratio(taken.joinery, taken.fastify),
      toExpress: ratio(taken.joinery, taken.express),
      newToFastify: ratio(news, taken.fastify),
    }
  }
  for (const { child } of Object.values(servers)) child.disconnect()
  return results
}

/** The round of median throughput. */
function middle(loads: readonly Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)
  const found = sorted[Math.floor(sorted.length / 2)]
  if (found === undefined) throw new Error('no round was run')
  return found
}

function ratio(ours: readonly Load[], theirs: readonly Load[]): number {
  const ratios = ours.map(({ requestsPerSecond }, round) => requestsPerSecond / (theirs[round]?.requestsPerSecond ?? 1))
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

const judged = inProcess()
say(`in process: p50 ${judged.p50Ms} ms, p99 ${judged.p99Ms} ms, ${judged.perSecond}/s`)
const startup = await startUp()
say(`start of the command until ready: ${startup.readyMs} ms`)
const tls = await overTLS()
for (const [connections, { loads, toFastify, toExpress, newToFastify }] of Object.entries(tls)) {
  for (const [name, { requestsPerSecond, p50Ms, p99Ms }] of Object.entries(loads)) {
    say(`${connections} connections, ${name}: ${requestsPerSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms`)
  }
  say(
    `${connections} connections: ${toFastify} × bare Fastify (${newToFastify} where each manifest is new), ${toExpress} × Express`,
  )
}
const flooded = await overload()
say(`overload: ${JSON.stringify(flooded)}`)
const rotated = await rotating()
say(`rotations: ${JSON.stringify(rotated)}`)
if (asJSON) {
  const bytes = Buffer.byteLength(reviewTexts[0] ?? '')
  console.log(
    JSON.stringify(
      { reviewBytes: bytes, inProcess: judged, startup, tls, overload: flooded, rotation: rotated },
      null,
      2,
    ),
  )
}
