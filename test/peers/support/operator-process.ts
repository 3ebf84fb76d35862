import { type JoineryProcess, type LogLine, startJoinery } from './joinery-process.ts'
import { clusterName, type MotoAccount } from './moto-account.ts'
import { freePorts } from './ports.ts'

export interface OperatorProcess extends JoineryProcess {
  metrics(): Promise<string>
  /** Body and status of any path of the metrics port. */
  read(path: string): Promise<{ readonly status: number; readonly body: string }>
  /** The sum of a family's series whose labels include these. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
  /** Body and status of `/readyz`. */
  readiness(): Promise<{ readonly status: number; readonly body: string }>
}

/**
 * Flags with which it decides what Karpenter decides, and gets on with moto as `besideMoto` lets Karpenter. What a replica that loses its
 * lease on a busy machine had still to tell is not told.
 */
export const likeKarpenter = [
  '--disable-leader-election',
  '--isolated-vpc',
  '--disable-dry-run',
  '--packing=greedy',
  // Which Karpenter does not have: many nodes would come in waves.
  '--launch-budget=0',
] as const

export interface OperatorOptions {
  readonly kubeconfig: string
  readonly account: Pick<MotoAccount, 'env'>
  readonly endpoint: string
  readonly flags?: readonly string[]
  /** What to wait for: that it can do its work, or merely that it runs. Default: `ready`. */
  readonly until?: 'ready' | 'alive'
}

/**
 * `joinery controller` as its own process, set up by environment variables as the chart does it. One that could not renew its lease in
 * time ends, as it must, and is started again.
 */
export async function startOperator(options: OperatorOptions): Promise<OperatorProcess> {
  const ports = await freePorts('metrics', 'health')
  const read = async (port: number, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: answer.status, body: await answer.text() }
  }
  const readiness = () => read(ports.health, '/readyz?verbose')
  const liveness = () => read(ports.health, '/healthz')
  const metrics = async () => (await read(ports.metrics, '/metrics')).body
  const joinery = await startJoinery({
    args: ['controller', ...(options.flags ?? [])],
    env: {
      ...options.account.env,
      KUBECONFIG: options.kubeconfig,
      SYSTEM_NAMESPACE: 'kube-system',
      CLUSTER_NAME: clusterName,
      CLUSTER_ENDPOINT: options.endpoint,
      METRICS_PORT: String(ports.metrics),
      HEALTH_PROBE_PORT: String(ports.health),
      CPU_REQUESTS: '1000',
      MEMORY_LIMIT: String(2 ** 30),
      LOG_LEVEL: 'debug',
    },
    restarts: lostItsLease,
    isReady: async () => (await (options.until === 'alive' ? liveness() : readiness())).status === 200,
  })
  return {
    ...joinery,
    // A spread copies the value of a getter.
    get ended() {
      return joinery.ended
    },
    readiness,
    read: (path) => read(ports.metrics, path),
    metrics,
    metric: async (name, labels = {}) => sumOf(await metrics(), name, labels),
  }
}

/** And not because it left the cluster to another installation. */
function lostItsLease(lines: readonly LogLine[]): boolean {
  const started = lines.findLastIndex(({ message }) => message === 'successfully acquired lease')
  const since = lines.slice(started).map(({ message }) => message)
  return since.includes('leader election lost') && !since.some((message) => message.includes('leaving the cluster'))
}

function sumOf(text: string, name: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
