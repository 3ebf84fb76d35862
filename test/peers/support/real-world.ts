import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { connect } from './client.ts'
import { clusterReport } from './cluster-report.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { installCRDs } from './crds.ts'
import { Fleet } from './fleet.ts'
import type { FleetShape } from './fleet-manifests.ts'
import { mirrorFleet } from './fleet-mirror.ts'
import { type Kubelets, startKubelets } from './kubelets.ts'
import { type MotoAccount, type Release, releases, startMotoAccount } from './moto-account.ts'
import type { LogLine } from './joinery-process.ts'
import { type OperatorProcess, startOperator } from './operator-process.ts'
import { Replicas } from './replicas.ts'
import { installAdmission, installRBAC, operatorAccount } from './shipped.ts'
import { startWebhook } from './webhook-process.ts'

/** A real control plane with rights, webhook and policies installed as shipped, moto as the account, our kubelets on moto's instances. */
export interface RealWorld {
  readonly controlPlane: ControlPlane
  readonly account: MotoAccount
  readonly kube: HTTPClient
  readonly fleet: Fleet
  /** Another fleet beside it. */
  fleetOf(shape: FleetShape): Fleet
  /** A replica of the operator, with the rights of the shipped service account. */
  startOperator(...flags: readonly string[]): Promise<OperatorProcess>
  /** Machines that boot from it never become ready. */
  breakRelease(release: Release): void
  /** What all replicas so far have logged. */
  lines(): Promise<readonly LogLine[]>
  /** How things stand, what the replicas have logged since this was last asked, and the ends of all other logs. */
  report(): Promise<string>
  stop(): Promise<void>
}

/** Three heartbeats and a half: dead machines are noticed before a test loses patience, busy ones are not taken for dead. */
const nodeMonitorGracePeriodSeconds = 35

/** What a user has before anything is installed, and what is left of a `RealWorld` without the operator's things. */
export interface EmptyWorld extends Pick<RealWorld, 'controlPlane' | 'account' | 'kube' | 'stop'> {
  readonly kubelets: Kubelets
  /** What `stop` ends, latest first. */
  readonly stops: AsyncDisposableStack
}

export async function startEmptyWorld(): Promise<EmptyWorld> {
  await using started = new AsyncDisposableStack()
  const controlPlane = await startControlPlane({
    controllerManager: { nodeMonitorGracePeriodSeconds },
    scheduler: 'run',
  })
  started.defer(() => controlPlane.stop())
  const { body } = await controlPlane.request('GET', '/version')
  const { major, minor } = body as { major: string; minor: string }
  const kubernetesVersion = `${major}.${minor}`
  const account = await startMotoAccount(kubernetesVersion)
  started.defer(() => account.stop())
  const kubelets = await startKubelets(controlPlane.kubeconfig, kubernetesVersion)
  started.defer(() => kubelets.stop())
  const mirror = mirrorFleet(account, kubelets.aws)
  started.defer(() => mirror.stop())
  const kube = connect(controlPlane.kubeconfig)
  started.defer(() => kube.close())
  const stops = started.move()
  return { controlPlane, account, kube, kubelets, stops, stop: () => stops.disposeAsync() }
}

export async function startRealWorld(): Promise<RealWorld> {
  const empty = await startEmptyWorld()
  const { controlPlane, account, kube, kubelets } = empty
  await using started = empty.stops.move()
  await installCRDs(controlPlane)
  await installRBAC(controlPlane)
  await installAdmission(controlPlane)
  const webhook = await startWebhook(controlPlane)
  started.defer(() => webhook.dispose())
  const replicas = new Replicas()
  const stops = started.move()
  return {
    controlPlane,
    account,
    kube,
    fleet: new Fleet(kube, account),
    fleetOf: (shape) => new Fleet(kube, account, shape),
    startOperator: async (...flags) => {
      const { namespace, name } = operatorAccount
      const kubeconfig = await controlPlane.serviceAccountKubeconfig(namespace, name)
      const operator = await startOperator({ kubeconfig, account, endpoint: controlPlane.url, flags })
      stops.defer(() => operator.dispose())
      replicas.add(operator)
      return operator
    },
    breakRelease: (release) => kubelets.behaviours.setImage(releases[release], { becomesReady: false }),
    lines: () => replicas.lines(),
    report: async () =>
      [
        await clusterReport(kube),
        await webhook.logTail(10),
        await account.logTail(10),
        await controlPlane.logs(10),
        await replicas.news(),
      ].join('\n'),
    stop: () => stops.disposeAsync(),
  }
}
