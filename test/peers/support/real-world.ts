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
  /** What `stop` ends first, latest first. */
  readonly stops: (() => Promise<unknown>)[]
}

export async function startEmptyWorld(): Promise<EmptyWorld> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each()
  }
  try {
    const controlPlane = await startControlPlane({
      controllerManager: { nodeMonitorGracePeriodSeconds },
      scheduler: 'run',
    })
    stops.push(() => controlPlane.stop())
    const { body } = await controlPlane.request('GET', '/version')
    const { major, minor } = body as { major: string; minor: string }
    const kubernetesVersion = `${major}.${minor}`
    const account = await startMotoAccount(kubernetesVersion)
    stops.push(() => account.stop())
    const kubelets = await startKubelets(controlPlane.kubeconfig, kubernetesVersion)
    stops.push(() => kubelets.stop())
    const mirror = mirrorFleet(account, kubelets.aws)
    stops.push(() => mirror.stop())
    const kube = connect(controlPlane.kubeconfig)
    stops.push(() => kube.close())
    return { controlPlane, account, kube, kubelets, stops, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function startRealWorld(): Promise<RealWorld> {
  const { controlPlane, account, kube, kubelets, stops, stop } = await startEmptyWorld()
  try {
    await installCRDs(controlPlane)
    await installRBAC(controlPlane)
    await installAdmission(controlPlane)
    const webhook = await startWebhook(controlPlane)
    stops.push(() => webhook.dispose())
    const replicas = new Replicas()
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
        stops.push(() => operator.dispose())
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
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
