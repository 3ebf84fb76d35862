import { SimulatedAWS } from '../../../src/embedded/aws/simulated-aws.ts'
import { Behaviours, type NodeBehaviour } from '../../../src/embedded/kubelet/behaviour.ts'
import { createLeaseAgent } from '../../../src/embedded/kubelet/lease-agent.ts'
import { createNodeAgent } from '../../../src/embedded/kubelet/node-agent.ts'
import { createPodAgent } from '../../../src/embedded/kubelet/pod-agent.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import { startControllers } from '../../../src/kube/runtime.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { connect } from './client.ts'
import { clusterName, region } from './moto-account.ts'

/** Machines that take no longer than a test needs to see each step. */
export const quickMachines: Partial<NodeBehaviour> = {
  bootMs: 500,
  readyMs: 500,
  podStartMs: 100,
  podStopMs: 100,
}

export interface Kubelets {
  /** The machines behind the nodes. */
  readonly aws: SimulatedAWS
  readonly behaviours: Behaviours
  stop(): Promise<void>
}

/** The embedded kubelets in front of an API server that is not the embedded one. Their heartbeats are what its controllers look at. */
export async function startKubelets(kubeconfig: string, kubernetesVersion: string): Promise<Kubelets> {
  const clock = systemClock()
  const random = new SeededRandom('kubelets')
  const log = silentLogger
  const client = connect(kubeconfig)
  const aws = new SimulatedAWS({ region, clock, random: random.fork('aws'), clusterName, kubernetesVersion })
  const behaviours = new Behaviours()
  behaviours.setAll(quickMachines)
  const caches = createCaches({ client, clock, random: random.fork('caches'), log, whole: true })
  const parts = { client, caches, clock, random: random.fork('agents'), aws, behaviours }
  const deps = { ...parts, kubernetesVersion, heartbeats: true }
  const agents = [createNodeAgent(deps), createLeaseAgent(deps), createPodAgent(deps)]
  const stopping = new AbortController()
  caches.of(nodes)
  caches.start(stopping.signal)
  const runtime = startControllers({ caches, clock, random: random.fork('runtime'), log }, agents)
  await runtime.started
  return {
    aws,
    behaviours,
    stop: async () => {
      stopping.abort(new Error('stopped'))
      await runtime.stop(0)
      await caches.stopped()
      await client.close()
    },
  }
}
