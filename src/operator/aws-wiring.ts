import { messageOf } from '../api/error-text.ts'
import type { NodePool } from '../api/karpenter.ts'
import {
  type AWSCloud,
  type AWSGates,
  checkEC2Connectivity,
  clusterARN,
  createAWSCloudProvider,
  discoverCluster,
  VersionProvider,
} from '../cloud/aws/index.ts'
import type { AWSClients } from '../cloud/aws/clients.ts'
import { awsControllers } from '../controllers/aws/index.ts'
import {
  instanceStatusController,
  interruptionController,
  InterruptionHandler,
} from '../controllers/interruption/index.ts'
import { nodeClassController, nodeClassHashController } from '../controllers/nodeclass/index.ts'
import { ec2NodeClasses, nodeOverlays, nodePools } from '../kube/karpenter-kinds.ts'
import { readDNSAddress } from './dns-address.ts'
import { awsSettingsOf, type Options } from './options.ts'
import type { AnyController, CommonParts } from './parts.ts'

export interface AWSWiring
  extends Pick<
    CommonParts,
    'kube' | 'caches' | 'clock' | 'random' | 'log' | 'recorder' | 'metrics' | 'families' | 'options' | 'overlays'
  > {
  /** Fenced, as `kube` is. */
  readonly aws: AWSClients
  readonly serverVersion: () => Promise<{ readonly major: string; readonly minor: string }>
  readonly kubernetesCA: string
  /** That the process runs in. */
  readonly namespace: string
  /** Told what the start waits for; undefined when it goes on. */
  readonly onMissing: (problem: string | undefined) => void
}

/** Between two attempts to start: what is missing is a permission, a route, or a cluster name. */
const retryMs = 10_000

/** Finds out about the cluster and reads AWS's catalogue, however often it takes; each new reason for failing is told once. */
export async function startAWSCloud(wiring: AWSWiring, signal: AbortSignal): Promise<AWSCloud> {
  let told: string | undefined
  for (;;) {
    try {
      const cloud = await startOnce(wiring)
      wiring.onMissing(undefined)
      return cloud
    } catch (error) {
      signal.throwIfAborted()
      const text = messageOf(error)
      wiring.onMissing(text)
      if (text !== told) wiring.log.error({ err: error }, 'cannot start yet')
      told = text
      await wiring.clock.sleep(retryMs, signal)
    }
  }
}

async function startOnce(wiring: AWSWiring): Promise<AWSCloud> {
  const { aws: clients, clock, random, log, recorder, metrics, options, caches, overlays } = wiring
  const settings = awsSettingsOf(options)
  const gates = awsGatesOf(options)
  await checkEC2Connectivity(clients)
  const cluster = await discoverCluster(
    clients.eks,
    {
      clusterName: settings.clusterName,
      clusterEndpoint: settings.clusterEndpoint,
      clusterCABundle: settings.clusterCABundle,
      kubernetesCA: wiring.kubernetesCA,
      readDNSIP: () => readDNSAddress(wiring.kube, log),
    },
    log,
  )
  const version = new VersionProvider({
    eks: clients.eks,
    clusterName: settings.clusterName,
    eksControlPlane: settings.eksControlPlane,
    clock,
    log,
    readServerVersion: wiring.serverVersion,
  })
  await version.update()
  const classes = caches.of(ec2NodeClasses)
  const pools = caches.of(nodePools)
  const cloud = createAWSCloudProvider({
    clients,
    clock,
    random,
    settings,
    gates,
    cluster,
    version,
    ...(settings.enableZonalShift ? { clusterARN: await clusterARN(clients, settings.clusterName) } : {}),
    log,
    recorder,
    metrics,
    lookup: {
      nodeClass: (name) => classes.get({ name }),
      nodePool: (name): NodePool | undefined => pools.get({ name }),
    },
    minValuesPolicy: options.minValuesPolicy === 'BestEffort' ? 'BestEffort' : 'Strict',
    ...(gates.nodeOverlay
      ? {
          applyOverlays: (pool, types) => overlays.apply(pool, types),
          nodeOverlays: () => caches.of(nodeOverlays).list(),
        }
      : {}),
  })
  await cloud.start()
  return cloud
}

function awsGatesOf(options: Options): AWSGates {
  return {
    reservedCapacity: options.featureGates['ReservedCapacity'] === true,
    nodeOverlay: options.featureGates['NodeOverlay'] === true,
    nodeClassCEL: options.awsFeatureGates['NodeClassCEL'] === true,
  }
}

/** The controllers of AWS's own affairs. */
export function awsOnlyControllers(wiring: AWSWiring, cloud: AWSCloud): readonly AnyController[] {
  const { kube, caches, clock, recorder, aws: clients, options, namespace } = wiring
  const settings = awsSettingsOf(options)
  const shared = { kube, caches, clock, recorder, cloud, clients, settings, gates: awsGatesOf(options), namespace }
  const handler = new InterruptionHandler({ ...shared, disrupted: wiring.families.nodeClaimsDisrupted })
  const queue = {
    sqs: clients.sqs,
    clock,
    queueName: settings.interruptionQueue,
    region: clients.region,
    handler,
    metrics: cloud.metrics,
  }
  const hasQueue = settings.interruptionQueue !== ''
  if (hasQueue && options.observe) {
    wiring.log.info({ queue: settings.interruptionQueue }, 'leaving the interruption queue to whoever acts')
  }
  return [
    nodeClassController(shared, wiring.log),
    nodeClassHashController(shared),
    ...awsControllers(shared),
    instanceStatusController({ ec2: clients.ec2, clock, handler, metrics: cloud.metrics }),
    ...(hasQueue && !options.observe ? [interruptionController(queue)] : []),
  ]
}
