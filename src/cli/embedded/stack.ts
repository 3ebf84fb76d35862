import { createEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from '../../embedded/index.ts'
import type { FaultInjection } from '../../embedded/apiserver/index.ts'
import type { MetricQuery } from '../../controllers/rollout/index.ts'
import { ProcessClock } from '../../embedded/process-clock.ts'
import { createLogger, type LogLevel } from '../../operator/logging.ts'
import { type Operator, startOperator } from '../../operator/operator.ts'
import type { PlacementObserver } from '../../operator/solver/index.ts'
import { defaultOptions, type Options } from '../../operator/options.ts'
import { createPrometheusMetrics, type PrometheusMetrics } from '../../operator/prometheus.ts'
import { readVersion } from '../version.ts'

export interface StackOptions extends EmbeddedClusterOptions {
  /** Changes to the operator's defaults. */
  readonly settings?: Partial<Options>
  /** Each line the operator logs. */
  readonly onLogLine?: (line: string) => void
  readonly logLevel?: LogLevel
  /** What goes wrong with the calls of an operator to the API server; operators count from 1. */
  readonly operatorFaults?: (operator: number) => FaultInjection
  /** Answers the Prometheus gates of RolloutPolicies: there is no server in here. */
  readonly metricQuery?: MetricQuery
  /** Sees every plan of an operator as it was decided. */
  readonly onPlacement?: PlacementObserver
  /** Starts a new operator for one that has lost its lease, as a Deployment would. */
  readonly supervised?: true
}

/** The embedded cluster with the operator in it. Time passes only when the cluster's clock is run. */
export interface Stack {
  readonly cluster: EmbeddedCluster
  readonly operator: Operator
  readonly metrics: PrometheusMetrics
  /** Drops the operator as a crash would: at once, memory and all. */
  crashOperator(): void
  /** Starts a new operator on what the old one left. */
  startOperator(): void
  /** How many operators have been started; `operator` is the last of them. */
  readonly operators: number
  /** Lets the operator stand still for so long, except for what it is told meanwhile; resolves after what fell due has run. */
  stallOperator(ms: number): Promise<void>
  /** Rejects with the reason when the operator ended by itself. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

interface Running {
  readonly operator: Operator
  readonly metrics: PrometheusMetrics
  readonly clock: ProcessClock
  readonly crash: () => void
}

/** A container that ended is started again about as soon. */
const restartMs = 5_000

/** Role and discovery tag of the examples, so that they can be applied as they are. */
const clusterName = 'demo'

export async function startStack(options: StackOptions): Promise<Stack> {
  const {
    settings = {},
    onLogLine = () => undefined,
    logLevel = 'info',
    operatorFaults,
    metricQuery,
    onPlacement,
    supervised,
    ...clusterOptions
  } = options
  const cluster = await createEmbeddedCluster({
    clusterName,
    nodeRole: `KarpenterNodeRole-${clusterName}`,
    ...clusterOptions,
  })
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  let generation = 0
  let isStopping = false

  const start = (): Running => {
    generation += 1
    const current = generation
    const clock = new ProcessClock(cluster.clock)
    let isCrashed = false
    const log = createLogger({
      level: logLevel,
      commit: '',
      outputs: [],
      now: () => cluster.clock.now(),
      write: (line) => {
        if (!isCrashed) onLogLine(line)
      },
    })
    const metrics = createPrometheusMetrics({ processMetrics: false, log })
    const crashed = new CrashableClient()
    const operator = startOperator({
      kube: crashed.wrap(cluster.clientFor('karpenter', operatorFaults?.(current))),
      aws: crashed.wrapAWS(cluster.aws.clients),
      clock,
      random: cluster.random.fork(`operator-${current}`),
      log,
      metrics,
      options: defaultOptions({
        clusterName: cluster.clusterName,
        interruptionQueue: cluster.interruptionQueue,
        ...settings,
      }),
      serverVersion: async () => {
        const [major = '', minor = ''] = cluster.kubernetesVersion.split('.')
        return { major, minor }
      },
      kubernetesCA: '',
      namespace: 'kube-system',
      identity: `operator-${current}`,
      ...(metricQuery === undefined ? {} : { metricQuery }),
      ...(onPlacement === undefined
        ? {}
        : {
            onPlacement: (decided) => {
              if (!isCrashed) onPlacement(decided)
            },
          }),
      build: { version: readVersion({}).version, commit: '', goversion: process.version, goarch: process.arch },
    })
    operator.started.catch((error: unknown) => failure.reject(error))
    operator.finished.then(
      (outcome) => {
        if (supervised === undefined || outcome === 'stopped' || isCrashed) return
        cluster.clock.schedule(restartMs, () => {
          if (current === generation && !isStopping) running = start()
        })
      },
      (error: unknown) => {
        if (!isCrashed) failure.reject(error)
      },
    )
    return {
      operator,
      metrics,
      clock,
      crash: () => {
        isCrashed = true
        crashed.crash()
        void operator.stop()
      },
    }
  }

  let running = start()
  return {
    cluster,
    get operator() {
      return running.operator
    },
    get metrics() {
      return running.metrics
    },
    get operators() {
      return generation
    },
    failed: failure.promise,
    stallOperator: (ms) => running.clock.stall(ms),
    crashOperator: () => running.crash(),
    startOperator: () => {
      running = start()
    },
    async stop() {
      isStopping = true
      const stopping = running.operator.stop()
      // Whoever waits for a grace period waits on this clock.
      await cluster.clock.run({ until: () => running.operator.lifecycle.state === 'stopped', withinMs: 10 * 60_000 })
      await stopping
      await cluster.stop()
    },
  }
}

/** Stands between an operator and the world: after a crash nothing of it gets through any more, in either direction. */
class CrashableClient {
  #isCrashed = false

  crash(): void {
    this.#isCrashed = true
  }

  wrap<T extends object>(client: T): T {
    const isCrashed = (): boolean => this.#isCrashed
    // A client is called a hundred thousand times a day, by a dozen names.
    const known = new Map<string | symbol, unknown>()
    return new Proxy(client, {
      get(target, name) {
        let member = known.get(name)
        if (member === undefined) {
          const given: unknown = Reflect.get(target, name, target)
          if (typeof given !== 'function') return given
          member = (...args: unknown[]): unknown => {
            if (isCrashed()) throw new Error('the operator has crashed')
            return Reflect.apply(given, target, args)
          }
          known.set(name, member)
        }
        return member
      },
    })
  }

  wrapAWS<T extends object>(clients: T): T {
    const wrapped = Object.entries(clients).map(([name, client]: [string, unknown]) => [
      name,
      typeof client === 'object' && client !== null ? this.wrap(client) : client,
    ])
    return Object.fromEntries(wrapped) as T
  }
}
