import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createEmbeddedCluster } from '../../../src/embedded/index.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { clusterReport } from './cluster-report.ts'
import { Fleet } from './fleet.ts'
import type { FleetShape } from './fleet-manifests.ts'
import { mirrorFleet } from './fleet-mirror.ts'
import { quickMachines } from './kubelets.ts'
import { clusterName, type MotoAccount, region, startMotoAccount } from './moto-account.ts'
import { type OperatorProcess, startOperator } from './operator-process.ts'
import { Replicas } from './replicas.ts'

/** moto as the account, the embedded cluster over HTTPS, its kubelets on moto's instances. */
export interface EmbeddedWorld {
  readonly account: MotoAccount
  readonly kube: KubeClient
  fleetOf(shape?: FleetShape): Fleet
  /** A process of its own; `endpoint` is where it believes AWS to be, moto unless said; `env` where it finds credentials. */
  startOperator(options?: {
    readonly endpoint?: string
    readonly flags?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  }): Promise<OperatorProcess>
  /** How things stand, what the replicas have logged since this was last asked, and the end of moto's log. */
  report(): Promise<string>
  stop(): Promise<void>
}

const kubernetesVersion = '1.33'

export async function startEmbeddedWorld(): Promise<EmbeddedWorld> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'joinery-embedded-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const account = await startMotoAccount(kubernetesVersion)
  started.defer(() => account.stop())
  const clock = new VirtualClock({ startMs: Date.now() })
  const pacing = new AbortController()
  const paced = clock.pace(1, pacing.signal)
  const cluster = await createEmbeddedCluster({
    seed: 1,
    clock,
    region,
    clusterName,
    kubernetesVersion,
    systemNode: false,
    machines: quickMachines,
  })
  started.defer(async () => {
    await cluster.stop()
    pacing.abort()
    await paced
  })
  const kubeconfig = join(folder, 'kubeconfig')
  const server = await serve({ server: cluster.apiServer, kubeconfigPath: kubeconfig })
  started.defer(() => server.close())
  const mirror = mirrorFleet(account, cluster.aws)
  started.defer(() => mirror.stop())
  const replicas = new Replicas()
  const stops = started.move()
  return {
    account,
    kube: cluster.client,
    fleetOf: (shape) => new Fleet(cluster.client, account, shape),
    startOperator: async ({ endpoint = account.endpoint, flags = [], env = account.env } = {}) => {
      const whole = { ...env, AWS_REGION: region, AWS_ENDPOINT_URL: endpoint }
      const operator = await startOperator({ kubeconfig, account: { env: whole }, endpoint: server.url, flags })
      replicas.add(operator)
      stops.defer(() => operator.dispose())
      return operator
    },
    report: async () =>
      [await replicas.news(), await account.logTail(20), await clusterReport(cluster.client)].join('\n'),
    stop: () => stops.disposeAsync(),
  }
}
