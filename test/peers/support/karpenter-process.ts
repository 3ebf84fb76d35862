import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, untilReady } from './child.ts'
import { buildGoProgram, goEnv, whyNoGo } from './go-program.ts'
import type { LogLine } from './joinery-process.ts'
import { clusterName, type MotoAccount } from './moto-account.ts'
import { freePorts } from './ports.ts'
import { runOrThrow } from './run.ts'

/** Names the release, which is built from its published modules as it is. */
const source = join(import.meta.dirname, '..', 'karpenter', 'controller')
const module = 'github.com/aws/karpenter-provider-aws'
const startTimeoutMs = 120_000

/** Settings with which it gets on with moto. */
export const besideMoto = {
  AWS_EC2_METADATA_DISABLED: 'true',
  // moto has no list of prices; both sides fall back on those that they carry.
  ISOLATED_VPC: 'true',
  // moto answers what a dry run asks with errors that are tried again for a quarter of a minute.
  DISABLE_DRY_RUN: 'true',
} as const

/** Why the program cannot be built here; undefined when it can. */
export function whyNoKarpenter(): Promise<string | undefined> {
  return whyNoGo(source)
}

/** The path of Karpenter's controller; see `buildGoProgram`. */
export function buildKarpenter(): Promise<string> {
  return buildGoProgram({
    title: 'Karpenter',
    name: 'karpenter',
    source,
    package: `${module}/cmd/controller`,
  })
}

/** The definitions that the release carries, as they are: one file of YAML each. */
export async function karpenterCRDs(): Promise<readonly string[]> {
  const folder = join(await moduleFolder(), 'pkg', 'apis', 'crds')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort()
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

/** The folder of the Helm chart that the release carries. */
export async function karpenterChart(): Promise<string> {
  return join(await moduleFolder(), 'charts', 'karpenter')
}

/** The folder of the example manifests that the release carries. */
export async function karpenterExamples(): Promise<string> {
  return join(await moduleFolder(), 'examples', 'v1')
}

/** The folder of what the release's own tests render user data from, and to. */
export async function karpenterUserData(): Promise<string> {
  return join(await moduleFolder(), 'pkg', 'providers', 'launchtemplate', 'testdata')
}

async function moduleFolder(): Promise<string> {
  const args = ['mod', 'download', '-json', module]
  const { Dir } = JSON.parse(await runOrThrow('go', args, { cwd: source, env: goEnv, timeoutMs: 600_000 })) as {
    Dir: string
  }
  return Dir
}

export interface KarpenterProcess {
  /** Everything logged so far. */
  lines(): Promise<readonly LogLine[]>
  logTail(lines?: number): Promise<string>
  metrics(): Promise<string>
  /** Asks it to end and waits for it. */
  stop(): Promise<void>
  /** Ends it, and removes its log. Safe to call twice. */
  dispose(): Promise<void>
}

export interface KarpenterOptions {
  /** May do everything: what Karpenter's own rights are is not looked at here. */
  readonly kubeconfig: string
  readonly account: Pick<MotoAccount, 'env'>
  readonly endpoint: string
  readonly env?: Readonly<Record<string, string>>
}

/** Karpenter's controller as its own process, set up as `startOperator` sets up ours; resolves when it is ready. */
export async function startKarpenter(options: KarpenterOptions): Promise<KarpenterProcess> {
  const command = await buildKarpenter()
  const ports = await freePorts('metrics', 'health')
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'joinery-karpenter-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const logPath = join(folder, 'output.log')
  const namespace = 'kube-system'
  const child = startChild({
    name: 'karpenter',
    command,
    args: [],
    logPath,
    env: {
      ...options.account.env,
      ...besideMoto,
      KUBECONFIG: options.kubeconfig,
      SYSTEM_NAMESPACE: namespace,
      DISABLE_LEADER_ELECTION: 'true',
      CLUSTER_NAME: clusterName,
      CLUSTER_ENDPOINT: options.endpoint,
      METRICS_PORT: String(ports.metrics),
      HEALTH_PROBE_PORT: String(ports.health),
      LOG_LEVEL: 'debug',
      ...options.env,
    },
  })
  started.defer(() => child.stop())
  await untilReady(child, startTimeoutMs, async () => (await fetch(`http://127.0.0.1:${ports.health}/readyz`)).ok)
  const stops = started.move()
  const lines = async (): Promise<readonly LogLine[]> =>
    (await readFile(logPath, 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
  return {
    lines,
    logTail: (lines) => child.logTail(lines),
    metrics: async () => (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text(),
    stop: () => child.stop(),
    dispose: () => stops.disposeAsync(),
  }
}
