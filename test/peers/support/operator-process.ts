import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, untilReady } from './child.ts'
import { clusterName, type MotoAccount } from './moto-account.ts'
import { freePorts } from './ports.ts'

const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'joinery.js')
const startTimeoutMs = 90_000

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

export interface OperatorProcess {
  readonly ended: boolean
  metrics(): Promise<string>
  /** Body and status of `/readyz`. */
  readiness(): Promise<{ readonly status: number; readonly body: string }>
  lines(): Promise<readonly LogLine[]>
  logTail(lines?: number): Promise<string>
  /** As when its machine loses power. */
  kill(): Promise<void>
  /** Asks for an orderly end and waits for it. */
  stop(): Promise<void>
  /** Ends it, and removes its log. */
  dispose(): Promise<void>
}

export interface OperatorOptions {
  readonly kubeconfig: string
  readonly account: MotoAccount
  readonly endpoint: string
  readonly flags?: readonly string[]
}

/** `joinery controller` as its own process, set up by environment variables as the chart does it. */
export async function startOperator(options: OperatorOptions): Promise<OperatorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-operator-'))
  const ports = await freePorts('metrics', 'health')
  const child = startChild({
    name: 'joinery controller',
    command: process.execPath,
    args: [bin, 'controller', ...(options.flags ?? [])],
    logPath: join(folder, 'operator.log'),
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
  })
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.health}/readyz?verbose`)
    return { status: answer.status, body: await answer.text() }
  }
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await untilReady(child, startTimeoutMs, async () => (await readiness()).status === 200)
  } catch (error) {
    await child.stop()
    await remove()
    throw error
  }
  return {
    get ended() {
      return child.ended
    },
    metrics: async () => (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text(),
    readiness,
    lines: async () =>
      (await readFile(join(folder, 'operator.log'), 'utf8'))
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as LogLine),
    logTail: (lines) => child.logTail(lines),
    kill: () => child.kill(),
    stop: () => child.stop(),
    dispose: async () => {
      await child.stop()
      await remove()
    },
  }
}
