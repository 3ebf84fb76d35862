import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '../../src/embedded/random.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { pods } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { startAWSEdge } from '../peers/support/aws-edge.ts'
import { eventually } from '../peers/support/eventually.ts'
import { startMotoAccount } from '../peers/support/moto-account.ts'
import { type OperatorProcess, startOperator } from '../peers/support/operator-process.ts'
import { priceList } from '../peers/support/price-list.ts'
import { isPoolReady, type LargeFleet, writeLargeFleet, writePendingPod, writePool } from './operator/large-fleet.ts'
import { startEmbedded, startReal } from './operator/servers.ts'

/**
 * `npm run bench:operator [-- -o json] [-- embedded|real …]`: `joinery controller` as its own process in front of a fleet that is already
 * there, 2,000 nodes with 40,000 pods unless JOINERY_BENCH_NODES says otherwise. Needs Linux (memory and processor time are read from
 * /proc), moto for the account, and for `real` a kube-apiserver. The server and moto share the machine with the operator.
 */
interface Result {
  readonly server: string
  readonly nodes: number
  readonly pods: number
  /** From the start of the process until its caches are filled and its controllers run. */
  readonly syncedSeconds: number
  /** Processor time of it, which does not depend on what else the machine does. */
  readonly syncedCPUSeconds: number
  readonly peakMB: number
  readonly steadyMB: number
  /** Of one core. */
  readonly idlePercent: number
  /** The same with so many pod events a second. */
  readonly busyPercent: number
  readonly eventsPerSecond: number
  /** From a pod that has no room to its NodeClaim, the batching window of a second taken off; the median of five. */
  readonly pendingToClaimMs: number
  /** Over the last minute, when the processes were synced: two cores are full at 2. */
  readonly loadAverage: number
}

const size = { nodes: Number(process.env['JOINERY_BENCH_NODES'] ?? 2_000), podsPerNode: 20 }
/** What etcd was given behind its back keeps a server busy for seconds after it has taken it in. */
const restMs = 10_000
/** Every claim's last pod event is written once after a start, at the client's rate: 2,000 of them take some ten seconds. */
const settleMs = 45_000
const measureMs = 30_000
const eventsPerSecond = 100
const batchIdleMs = 1_000
const tries = 5
/** For a NodeClaim. */
const patienceMs = 120_000

const servers = { embedded: startEmbedded, real: startReal } as const

async function measure(name: keyof typeof servers): Promise<Result> {
  const tell = narrate(name)
  tell('starting the server and the account')
  const server = await servers[name](tell)
  const account = await startMotoAccount(server.version)
  const edge = await startAWSEdge(account.endpoint)
  let operator: OperatorProcess | undefined
  try {
    const options = {
      kubeconfig: server.kubeconfig,
      account: { env: { ...account.env, AWS_ENDPOINT_URL: edge.endpoint } },
      endpoint: server.url,
      // A server that shares two cores with everything else may be late with a lease, which would end the run.
      flags: ['--disable-leader-election', '--log-level=info'],
    }
    // Without prices the operator would ask for them again and again.
    edge.add({ action: 'GetProducts', times: Number.POSITIVE_INFINITY, fault: priceList('m5.large', '0.096') })
    tell('an operator makes the pool ready')
    await writePool(server.kube)
    const first = await startOperator(options)
    await eventually('the pool is ready', () => isPoolReady(server.kube))
    await first.dispose()
    const fleet = await writeLargeFleet(server, account, size)
    const { describeInstances } = fleet
    const answer = { kind: 'answer', type: 'text/xml', body: describeInstances } as const
    edge.add({ action: 'DescribeInstances', times: Number.POSITIVE_INFINITY, fault: answer })
    tell(`${restMs / 1_000} s for the server to come to rest`)
    await sleep(restMs)
    tell('the operator that is measured starts')
    const startedAt = performance.now()
    operator = await startOperator(options)
    const running = operator
    await eventually('the controllers run', async () =>
      (await running.lines()).some(({ message }) => message === 'controllers started'),
    )
    const syncedSeconds = (performance.now() - startedAt) / 1_000
    const syncedCPUSeconds = (await processorMs(running)) / 1_000
    const [loadAverage = 0] = loadavg()
    tell(`synced after ${syncedSeconds.toFixed(1)} s; ${settleMs / 1_000} s to settle`)
    await sleep(settleMs)
    tell(`${measureMs / 1_000} s without events, then as long with ${eventsPerSecond} a second`)
    const idlePercent = await loadWhile(running, () => sleep(measureMs))
    const busyPercent = await loadWhile(running, () => makeEvents(server.kube, fleet))
    tell(`${tries} pods without room`)
    const steadyMB = await memoryMB(running, 'VmRSS')
    const pendingToClaimMs = await medianLatency(server.kube)
    return {
      server: name,
      nodes: size.nodes,
      pods: fleet.podNames.length,
      syncedSeconds,
      syncedCPUSeconds,
      peakMB: await memoryMB(running, 'VmHWM'),
      steadyMB,
      idlePercent,
      busyPercent,
      eventsPerSecond,
      pendingToClaimMs,
      loadAverage,
    }
  } catch (error) {
    process.stderr.write(`${(await operator?.logTail(20)) ?? ''}\n`)
    throw error
  } finally {
    await operator?.dispose()
    await edge.stop()
    await account.stop()
    await server.stop()
  }
}

/** What goes on, for a person who waits: `embedded 12 s: …`, on standard error. */
function narrate(server: string): (text: string) => void {
  const startedAt = performance.now()
  return (text) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    process.stderr.write(`${server} ${seconds} s: ${text}\n`)
  }
}

async function makeEvents(kube: KubeClient, { podNames }: LargeFleet): Promise<void> {
  const random = new SeededRandom(1)
  const until = performance.now() + measureMs
  for (let count = 0; performance.now() < until; count += 1) {
    const name = podNames[random.below(podNames.length)] ?? ''
    const body = { metadata: { annotations: { touched: String(count) } } }
    await kube.patch(pods, { namespace: 'default', name }, { kind: 'merge', body })
    const due = until - measureMs + ((count + 1) * 1_000) / eventsPerSecond
    await sleep(Math.max(0, due - performance.now()))
  }
}

async function medianLatency(kube: KubeClient): Promise<number> {
  const latencies: number[] = []
  for (let index = 0; index < tries; index += 1) {
    const { resourceVersion } = await kube.list(nodeClaims, { limit: 1 })
    const patience = AbortSignal.timeout(patienceMs)
    // A watch costs the server nothing; asking again and again for two thousand claims would be what is measured.
    const events = kube.watch(nodeClaims, { resourceVersion, signal: patience })
    const startedAt = performance.now()
    await writePendingPod(kube, `pending-${index}`)
    for await (const event of events) if (event.type === 'ADDED') break
    latencies.push(performance.now() - startedAt - batchIdleMs)
    // Batches do not run into one another.
    await sleep(3_000)
  }
  return latencies.toSorted((a, b) => a - b)[Math.floor(tries / 2)] ?? 0
}

async function loadWhile(operator: OperatorProcess, work: () => Promise<void>): Promise<number> {
  const [before, startedAt] = [await processorMs(operator), performance.now()]
  await work()
  return (100 * ((await processorMs(operator)) - before)) / (performance.now() - startedAt)
}

async function memoryMB(operator: OperatorProcess, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${await operator.pid()}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1_024
}

/** Linux counts in hundredths of a second, whatever the machine. */
const msPerTick = 10

async function processorMs(operator: OperatorProcess): Promise<number> {
  const stat = await readFile(`/proc/${await operator.pid()}/stat`, 'utf8')
  // The second field is the name, in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * msPerTick
}

const args = process.argv.slice(2)
const asJSON = args.includes('json')
const names = Object.keys(servers) as (keyof typeof servers)[]
const wanted = names.filter((name) => args.includes(name))
const results: Result[] = []
for (const name of wanted.length > 0 ? wanted : names) {
  const rounded = Object.entries(await measure(name)).map(([key, value]) => [
    key,
    typeof value === 'number' ? Number(value.toFixed(1)) : value,
  ])
  results.push(Object.fromEntries(rounded) as Result)
}
if (asJSON) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`)
else console.table(results)
