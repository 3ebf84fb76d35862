import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { KubeConfig } from '@kubernetes/client-node'
import { messageOf } from '../api/error-text.ts'
import { operatorFieldManager } from '../api/nomination.ts'
import type { AWSClients } from '../cloud/aws/clients.ts'
import { createSDKClients } from '../cloud/aws/sdk-clients.ts'
import { CABundleError } from '../cloud/aws/sdk/sdk-config.ts'
import { createHTTPClient, type HTTPClient } from '../kube/http-client.ts'
import { nodeClaims, nodePools } from '../kube/karpenter-kinds.ts'
import { loadKubeConfig } from '../kube/kube-config.ts'
import type { Logger } from '../kube/logger.ts'
import type { Metrics } from '../kube/metrics.ts'
import { systemRandom } from '../kube/system-random.ts'
import type { Resource } from '../kube/resource.ts'
import type { Clock } from '../model/clock.ts'
import { type BuildInfo, type Operator, startOperator } from './operator.ts'
import type { Environment, Options } from './options.ts'
import { ownNamespace } from './own-namespace.ts'
import { createPrometheusMetrics } from './prometheus.ts'
import { parseListenAddress } from './dashboard/address.ts'
import { type FleetAvailability, startDashboardServer } from './dashboard/server.ts'
import { type HealthCheck, type RunningServer, startHealthServer, startMetricsServer } from './servers.ts'

/** The lease is renewed by a client of its own, which needs next to nothing. */
const leaseClientLimit = { qps: 20, burst: 30 }
/** Between two attempts to find out the region. */
const regionRetryMs = 10_000
/** How long the answer of the readiness check is good for: probes come often. */
const crdCheckMs = 10_000

/** What the arguments and the environment were understood as. */
export interface OperatorProcess {
  readonly env: Environment
  readonly build: BuildInfo
  readonly options: Options
  readonly log: Logger
  readonly clock: Clock
  /** Asks for an orderly stop. */
  readonly stop: AbortSignal
}

/** Runs the operator with the production adapters until it is stopped (0) or has lost the lease (1). */
export async function runOperator(process: OperatorProcess): Promise<number> {
  const { options, log, clock } = process
  const random = systemRandom()
  const metrics = createPrometheusMetrics({ processMetrics: true, log })
  const config = loadKubeConfig({
    ...(options.kubeConfig === '' ? {} : { path: options.kubeConfig }),
    ...(options.kubeContext === '' ? {} : { context: options.kubeContext }),
  })
  const observe = requestMetrics(metrics)
  const shared = {
    config,
    clock,
    random,
    userAgent: `joinery/${process.build.version}`,
    fieldManager: operatorFieldManager,
    observe,
  }
  const kube = createHTTPClient({ ...shared, qps: options.kubeClientQPS, burst: options.kubeClientBurst })
  const leaseClient = createHTTPClient({ ...shared, ...leaseClientLimit })
  const holder: { operator?: Operator } = {}
  let missing: string | undefined
  const onMissing = (problem: string | undefined): void => {
    missing = problem
  }
  let servers: readonly RunningServer[] = []
  try {
    servers = await startServers(
      options,
      metrics,
      readinessChecks({ kube, clock, operatorOf: () => holder.operator, missing: () => missing }),
      () => holder.operator,
    )
    const aws = await sdkClients(process, metrics, onMissing)
    const operator = startOperator({
      kube,
      leaseClient,
      aws,
      clock,
      random,
      log,
      metrics,
      options,
      serverVersion: async () => versionOf(await kube.getRaw('/version')),
      kubernetesCA: await caOf(config),
      namespace: await ownNamespace(process.env),
      identity: `${hostname()}_${random.uuid()}`,
      build: process.build,
      onMissing,
    })
    holder.operator = operator
    const stop = (): void => void operator.stop()
    if (process.stop.aborted) stop()
    process.stop.addEventListener('abort', stop, { once: true })
    return (await operator.finished) === 'stopped' ? 0 : 1
  } finally {
    await Promise.all([...servers.map((server) => server.close()), kube.close(), leaseClient.close()])
  }
}

export interface ReadinessSources {
  readonly kube: Pick<HTTPClient, 'list'>
  readonly clock: Clock
  readonly operatorOf: () => Operator | undefined
  /** What the start waits for, as the log says it. */
  readonly missing: () => string | undefined
}

/** Everything that decides about readiness; a replica that waits for the lease is ready to take over. */
export function readinessChecks(sources: ReadinessSources): Readonly<Record<string, HealthCheck>> {
  const { kube, clock, operatorOf, missing } = sources
  let checked: { readonly at: number; readonly problem: string | undefined } | undefined
  let checking: Promise<string | undefined> | undefined
  const check = async (): Promise<string | undefined> => {
    const problem = await unresolvable(kube)
    checked = { at: clock.monotonicMs(), problem }
    return problem
  }
  return {
    ping: () => undefined,
    manager: () => {
      const operator = operatorOf()
      if (operator?.lifecycle.state === 'waiting for the lease') return undefined
      const synced = operator?.lifecycle.state === 'running' && operator.lifecycle.cachesSynced
      if (synced) return undefined
      const problem = missing()
      return problem === undefined ? 'failed to sync caches' : `cannot start yet: ${problem}`
    },
    crd: () => {
      if (checked !== undefined && clock.monotonicMs() - checked.at < crdCheckMs) return checked.problem
      // Probes go on while an API server takes minutes to answer: it is not asked more often for that.
      checking ??= check().finally(() => {
        checking = undefined
      })
      return checking
    },
  }
}

async function unresolvable(kube: Pick<HTTPClient, 'list'>): Promise<string | undefined> {
  for (const resource of [nodePools, nodeClaims] as readonly Resource[]) {
    try {
      await kube.list(resource, { limit: 1 })
    } catch (error) {
      return `${resource.plural}: ${messageOf(error)}`
    }
  }
  return undefined
}

/** @throws when one of them cannot listen; those that could are closed: a probe that is still answered would hide the failure. */
async function startServers(
  options: Options,
  metrics: ReturnType<typeof createPrometheusMetrics>,
  checks: Readonly<Record<string, HealthCheck>>,
  operatorOf: () => Operator | undefined,
): Promise<readonly RunningServer[]> {
  const dashboard = parseListenAddress(options.dashboardAddress)
  const verdicts = (): readonly unknown[] => operatorOf()?.verdicts.all() ?? []
  const fleet = (): FleetAvailability =>
    operatorOf()?.fleet() ?? { kind: 'unavailable', problem: 'The operator starts.' }
  const { metricsPort, healthProbePort, dashboardAddress, enableProfiling: profiling } = options
  const started = await Promise.allSettled([
    listening('health-probe-port', healthProbePort, startHealthServer(healthProbePort, checks)),
    listening('metrics-port', metricsPort, startMetricsServer(metricsPort, metrics, { profiling, verdicts })),
    ...(dashboard === undefined
      ? []
      : [listening('dashboard-address', dashboardAddress, startDashboardServer(dashboard, fleet))]),
  ])
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = started.find((one) => one.status === 'rejected')
  if (failed === undefined) return servers
  await Promise.all(servers.map((server) => server.close()))
  throw failed.reason
}

async function listening(flag: string, at: string | number, server: Promise<RunningServer>): Promise<RunningServer> {
  try {
    return await server
  } catch (error) {
    const because = messageOf(error)
    throw new Error(`cannot serve at ${at} (--${flag}): ${because}`, { cause: error })
  }
}

/** Waits for a region: outside EC2 nobody tells it, and a pod may start before the metadata service answers. A bundle may be mounted late, too. */
async function sdkClients(
  { options, log, clock, env, build, stop }: OperatorProcess,
  metrics: Metrics,
  onMissing: (problem: string | undefined) => void,
): Promise<AWSClients> {
  const { enableZonalShift } = options
  // As every AWS SDK spells it.
  const metadataEndpoint = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? ''
  const metadata = metadataEndpoint === '' ? {} : { metadataEndpoint }
  for (let told = ''; ; ) {
    try {
      const clients = await createSDKClients({
        clock,
        metrics,
        enableZonalShift,
        version: build.version,
        env,
        ...metadata,
      })
      onMissing(undefined)
      return clients
    } catch (error) {
      const text = error instanceof CABundleError ? error.message : `${messageOf(error)}; set AWS_REGION`
      onMissing(text)
      if (text !== told) log.error({ err: text }, 'cannot start yet')
      told = text
      await clock.sleep(regionRetryMs, stop)
    }
  }
}

function requestMetrics(metrics: Metrics): (answer: { method: string; status: number; seconds: number }) => void {
  const total = metrics.counter({
    name: 'client_go_request_total',
    help: 'Requests to the API server by method and answer.',
    labels: ['code', 'method'],
  })
  const duration = metrics.histogram({
    name: 'client_go_request_duration_seconds',
    help: 'Time until the API server answered.',
    labels: ['verb'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  })
  return ({ method, status, seconds }) => {
    total.increment({ code: status === 0 ? '<error>' : String(status), method })
    duration.observe({ verb: method }, seconds)
  }
}

function versionOf(answer: unknown): { readonly major: string; readonly minor: string } {
  const { major, minor } = (answer ?? {}) as { major?: unknown; minor?: unknown }
  if (typeof major !== 'string' || typeof minor !== 'string')
    throw new Error('the API server does not tell its version')
  return { major, minor }
}

async function caOf(config: KubeConfig): Promise<string> {
  const cluster = config.getCurrentCluster()
  if (cluster?.caData !== undefined) return cluster.caData
  return cluster?.caFile === undefined ? '' : (await readFile(cluster.caFile)).toString('base64')
}
