import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import { customResourceDefinitions } from '../../src/api/karpenter.ts'
import { clientFor, createApiServer, serve } from '../../src/embedded/apiserver/index.ts'
import { SeededRandom } from '../../src/embedded/random.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { pods } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import type { Resource } from '../../src/kube/resource.ts'
import { systemClock } from '../../src/kube/system-clock.ts'
import { startAWSEdge } from '../peers/support/aws-edge.ts'
import { connect } from '../peers/support/client.ts'
import { startControlPlane } from '../peers/support/control-plane.ts'
import { installCRDs } from '../peers/support/crds.ts'
import { eventually } from '../peers/support/eventually.ts'
import { startMotoAccount } from '../peers/support/moto-account.ts'
import { type OperatorProcess, startOperator } from '../peers/support/operator-process.ts'
import { isPoolReady, type LargeFleet, writeLargeFleet, writePendingPod, writePool } from './operator/large-fleet.ts'

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

interface Server {
  readonly kubeconfig: string
  readonly url: string
  /** `major.minor`, by which images are found. */
  readonly version: string
  readonly kube: KubeClient
  stop(): Promise<void>
}

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}
const size = { nodes: Number(process.env['JOINERY_BENCH_NODES'] ?? 2_000), podsPerNode: 20 }
/** What the embedded server says of itself. */
const embeddedVersion = '1.33'
/** Every claim's last pod event is written once after a start, at the client's rate: 2,000 of them take some ten seconds. */
const settleMs = 45_000
const measureMs = 30_000
const eventsPerSecond = 100
const batchIdleMs = 1_000
const tries = 5

const servers: Readonly<Record<string, () => Promise<Server>>> = { embedded: startEmbedded, real: startReal }

async function startEmbedded(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-bench-'))
  const server = createApiServer({ clock: systemClock(), random: new SeededRandom(1) })
  const admin = clientFor(server, { fieldManager: 'kubectl' })
  for (const crd of customResourceDefinitions as unknown as readonly KubeObject[]) await admin.create(definitions, crd)
  const kubeconfig = join(folder, 'kubeconfig')
  const running = await serve({ server, kubeconfigPath: kubeconfig })
  return {
    kubeconfig,
    url: running.url,
    version: embeddedVersion,
    kube: admin,
    stop: async () => {
      await running.close()
      server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startReal(): Promise<Server> {
  const controlPlane = await startControlPlane()
  await installCRDs(controlPlane)
  const { body } = await controlPlane.request('GET', '/version')
  const { major, minor } = body as { major: string; minor: string }
  const kube = connect(controlPlane.kubeconfig)
  return {
    kubeconfig: controlPlane.kubeconfig,
    url: controlPlane.url,
    version: `${major}.${minor}`,
    kube,
    stop: async () => {
      await kube.close()
      await controlPlane.stop()
    },
  }
}

async function measure(name: string, start: () => Promise<Server>): Promise<Result> {
  const server = await start()
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
    await writePool(server.kube)
    const first = await startOperator(options)
    await eventually('the pool is ready', () => isPoolReady(server.kube))
    await first.dispose()
    const fleet = await writeLargeFleet(server.kube, account, size)
    const { describeInstances } = fleet
    const answer = { kind: 'answer', type: 'text/xml', body: describeInstances } as const
    edge.add({ action: 'DescribeInstances', times: Number.POSITIVE_INFINITY, fault: answer })
    const startedAt = performance.now()
    operator = await startOperator(options)
    const running = operator
    await eventually('the controllers run', async () =>
      (await running.lines()).some(({ message }) => message === 'controllers started'),
    )
    const syncedSeconds = (performance.now() - startedAt) / 1_000
    const syncedCPUSeconds = (await processorMs(running)) / 1_000
    const [loadAverage = 0] = loadavg()
    await sleep(settleMs)
    const idlePercent = await loadWhile(running, () => sleep(measureMs))
    const busyPercent = await loadWhile(running, () => makeEvents(server.kube, fleet))
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
    const before = (await kube.list(nodeClaims)).items.length
    const startedAt = performance.now()
    await writePendingPod(kube, `pending-${index}`)
    for (;;) {
      if ((await kube.list(nodeClaims)).items.length > before) break
      if (performance.now() - startedAt > 120_000) throw new Error('no NodeClaim for a pod without room')
      await sleep(20)
    }
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

/** The program below the shell that watches over it. */
async function pidOf({ pid = 0 }: OperatorProcess): Promise<string> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  for (const child of children) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8')
    if (command.includes('joinery.js')) return child
  }
  throw new Error('the operator has ended')
}

async function memoryMB(operator: OperatorProcess, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${await pidOf(operator)}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1_024
}

/** Linux counts in hundredths of a second, whatever the machine. */
const msPerTick = 10

async function processorMs(operator: OperatorProcess): Promise<number> {
  const stat = await readFile(`/proc/${await pidOf(operator)}/stat`, 'utf8')
  // The second field is the name, in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * msPerTick
}

const args = process.argv.slice(2)
const asJSON = args.includes('json')
const wanted = Object.keys(servers).filter((name) => args.includes(name))
const results: Result[] = []
for (const [name, start] of Object.entries(servers)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const result = await measure(name, start)
  const rounded = Object.entries(result).map(([key, value]) => [
    key,
    typeof value === 'number' ? Number(value.toFixed(1)) : value,
  ])
  results.push(Object.fromEntries(rounded) as Result)
}
if (asJSON) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`)
else console.table(results)
