import { customResourceDefinitions } from '../api/generated/crds.gen.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { createCaches } from '../kube/caches.ts'
import type { Controller } from '../kube/controller.ts'
import { namespaces } from '../kube/kinds.ts'
import { type Logger, silentLogger } from '../kube/logger.ts'
import { hasCode } from '../kube/errors.ts'
import type { KubeClient } from '../kube/port.ts'
import { type Runtime, startControllers } from '../kube/runtime.ts'
import {
  type ApiServer,
  type ApiServerOptions,
  clientFor,
  createApiServer,
  type FaultInjection,
  httpsTransport,
  saveState,
} from './apiserver/index.ts'
import { numberAt } from './apiserver/json.ts'
import { apiVersionOf } from './apiserver/registry/definition.ts'
import type { TypeFacts } from './aws/catalogue.ts'
import type { AWSTimings } from './aws/account.ts'
import { SimulatedAWS } from './aws/simulated-aws.ts'
import { createBaseObjects } from './base-objects.ts'
import { VirtualClock } from './clock.ts'
import { Behaviours, type NodeBehaviour } from './kubelet/behaviour.ts'
import { createLeaseAgent } from './kubelet/lease-agent.ts'
import { createNodeAgent, type NodeAgentDeps } from './kubelet/node-agent.ts'
import { createPodAgent } from './kubelet/pod-agent.ts'
import type { EmbeddedState } from './persistence.ts'
import { EventLog, type Told } from './events/event-log.ts'
import { tellOfChanges } from './events/tell.ts'
import { createLoadBalancerController } from './load-balancers.ts'
import { installDefinition } from './own-definitions.ts'
import { createNodeLifecycleController } from './nodes/node-lifecycle.ts'
import { createPodEvictionController } from './nodes/pod-eviction.ts'
import { createTaintAgentController, type TaintAgent } from './nodes/taint-agents.ts'
import { SeededRandom } from './random.ts'
import { createScheduler } from './scheduler/scheduler.ts'
import { addOwnService } from './own-service.ts'
import { addSystemNode } from './system-node.ts'
import { createVPC } from './vpc.ts'
import { type AttachmentOptions, createAttachmentController } from './storage/attachments.ts'
import { createEphemeralVolumeController } from './storage/ephemeral-volumes.ts'
import { createExpander } from './storage/expander.ts'
import { createProvisioner } from './storage/provisioner.ts'
import { createReclaimer } from './storage/reclaimer.ts'
import { createWorkloadControllers, type ScaleOf } from './workloads/index.ts'

export interface EmbeddedClusterOptions {
  /** Decides every random choice of the run. */
  readonly seed: number | string
  readonly clock?: VirtualClock
  readonly region?: string
  /** Letters of the zones with subnets. */
  readonly zones?: readonly string[]
  readonly clusterName?: string
  readonly kubernetesVersion?: string
  /** Instance types that EC2 offers; all of the catalogue when absent. */
  readonly offers?: (facts: TypeFacts) => boolean
  readonly timings?: Partial<AWSTimings>
  /** How every machine behaves unless told otherwise. */
  readonly machines?: Partial<NodeBehaviour>
  /** Agents that remove a startup taint some time after their node is ready, as a network plugin does. */
  readonly taintAgents?: readonly TaintAgent[]
  /** How long volumes take to attach and detach. */
  readonly attachments?: AttachmentOptions
  /** Name of the IAM role for nodes, and of the queue for interruptions. */
  readonly nodeRole?: string
  readonly interruptionQueue?: string
  /** A node of a managed node group, where the autoscaler itself would run. */
  readonly systemNode?: boolean
  /** Whether kubelets renew leases and heartbeats while nothing happens: for people who look on at about the pace of real time. */
  readonly heartbeats?: boolean
  /** Custom resource definitions to install; the project's own when absent. */
  readonly crds?: readonly KubeObject[]
  /** How admission webhooks are reached. Time stands still while one is asked. */
  readonly webhooks?: ApiServerOptions['webhooks']
  /** What an earlier cluster saved: names, objects, instances and time are taken from it. */
  readonly state?: EmbeddedState
  readonly log?: Logger
}

export interface EmbeddedCluster {
  readonly clock: VirtualClock
  readonly random: SeededRandom
  readonly apiServer: ApiServer
  readonly aws: SimulatedAWS
  readonly behaviours: Behaviours
  readonly clusterName: string
  readonly nodeRole: string
  readonly interruptionQueue: string
  readonly kubernetesVersion: string
  /** As a cluster administrator. */
  readonly client: KubeClient
  /** A client of its own for one component, with faults of its own. */
  clientFor(fieldManager: string, faults?: FaultInjection): KubeClient
  /** Whether nothing is being reconciled at this instant. */
  readonly idle: boolean
  /** The cluster as it is now, to continue from with the option `state`; `writeEmbeddedState` puts it into a file. */
  save(): EmbeddedState
  stop(): Promise<void>
}

/**
 * A whole cluster in this process: API server, scheduler, kubelets, workload controllers, and the AWS account below. Time does not pass
 * until somebody runs the clock.
 */
export async function createEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { state } = options
  const clock = options.clock ?? new VirtualClock(state === undefined ? {} : { startMs: state.savedAtMs })
  // A continued run draws anew: the same seed and the same saved state give the same run again.
  const seed = state === undefined ? options.seed : `${options.seed}@${state.savedAtMs}`
  const random = new SeededRandom(seed)
  const identity = identityOf(options)
  const { region, clusterName, kubernetesVersion, nodeRole, interruptionQueue } = identity
  const log = options.log ?? silentLogger

  const aws = new SimulatedAWS({
    region,
    clock,
    pace: clock,
    random: random.fork('aws'),
    clusterName,
    kubernetesVersion,
    ...(options.timings === undefined ? {} : { timings: options.timings }),
    ...(options.offers === undefined ? {} : { offers: options.offers }),
  })
  const { transport = httpsTransport, ...otherWebhookOptions } = options.webhooks ?? {}
  const apiServer = createApiServer({
    clock,
    pace: clock,
    random: random.fork('apiserver'),
    serviceAccounts: 'admitted',
    webhooks: { ...otherWebhookOptions, transport: (call) => clock.hold(transport(call)) },
    ...(state === undefined ? {} : { state: state.apiServer }),
  })
  // A generator that nothing else's draws depend on.
  const own = { ...apiServer.context, random: new SeededRandom(`${seed}/own`) }
  const events = new EventLog(own)
  const stopTelling = tellOfChanges(apiServer.context.store, events)
  const behaviours = new Behaviours()
  if (state !== undefined) behaviours.state = structuredClone(state.behaviours)
  Object.assign(behaviours.state.all, options.machines)
  const admin = clientFor(apiServer, { fieldManager: 'kubectl' })

  if (state === undefined) {
    createVPC(aws, { clusterName, zones: options.zones ?? ['a', 'b', 'c'], nodeRole, interruptionQueue })
    if (options.systemNode !== false) addSystemNode(aws, { clusterName, nodeRole })
  } else aws.load(state.aws)
  const crds = options.crds ?? (customResourceDefinitions as unknown as readonly KubeObject[])
  for (const crd of crds) await installDefinition(admin, crd)
  await createBaseObjects(admin)
  addOwnService(own)

  const manager = clientFor(apiServer, { fieldManager: 'kube-controller-manager' })
  const stopping = new AbortController()
  const caches = createCaches({ client: manager, clock, random: random.fork('caches'), log, whole: true })
  const deps: NodeAgentDeps = {
    client: manager,
    caches,
    clock,
    random: random.fork('controllers'),
    aws,
    behaviours,
    kubernetesVersion,
    heartbeats: options.heartbeats ?? false,
  }
  const controllers = controllersOf(deps, options, {
    clientOf: (fieldManager) => clientFor(apiServer, { fieldManager }),
    scaleOf: scalesOf(apiServer),
    tell: (told) => events.tell(told),
  })
  caches.of(namespaces)
  caches.start(stopping.signal)
  const runtime: Runtime = startControllers(
    { caches, clock, random: random.fork('runtime'), log },
    controllers,
    stopping.signal,
  )
  await runtime.started

  return {
    clock,
    random,
    apiServer,
    aws,
    behaviours,
    clusterName,
    nodeRole,
    interruptionQueue,
    kubernetesVersion,
    client: admin,
    clientFor: (fieldManager, faults) =>
      clientFor(apiServer, { fieldManager, ...(faults === undefined ? {} : { faults }) }),
    get idle() {
      return runtime.idle
    },
    save: () => ({
      formatVersion: 1,
      savedAtMs: clock.now(),
      ...identity,
      apiServer: saveState(apiServer.context.store),
      aws: aws.toJSON(),
      behaviours: structuredClone(behaviours.state),
    }),
    async stop() {
      // Not gracefully: what sleeps would wait for a clock that nobody runs any more.
      stopping.abort(new Error('stopped'))
      await runtime.stop(0)
      stopTelling()
      events.stop()
      apiServer.stop()
      await caches.stopped()
    },
  }
}

type ClusterIdentity = Pick<
  EmbeddedState,
  'region' | 'clusterName' | 'kubernetesVersion' | 'nodeRole' | 'interruptionQueue'
>

/** What a cluster is called, and where: as it was saved, else as it was asked for. */
function identityOf({ state, ...options }: EmbeddedClusterOptions): ClusterIdentity {
  const clusterName = state?.clusterName ?? options.clusterName ?? 'joinery'
  return {
    region: state?.region ?? options.region ?? 'us-west-2',
    clusterName,
    kubernetesVersion: state?.kubernetesVersion ?? options.kubernetesVersion ?? '1.33',
    nodeRole: state?.nodeRole ?? options.nodeRole ?? `${clusterName}-node`,
    interruptionQueue: state?.interruptionQueue ?? options.interruptionQueue ?? clusterName,
  }
}

/** Everything that makes the cluster live: kubelets and scheduler write in their own names, the others as the controller manager. */
function controllersOf(
  deps: NodeAgentDeps,
  { taintAgents = [], attachments = {} }: EmbeddedClusterOptions,
  {
    clientOf,
    scaleOf,
    tell,
  }: {
    readonly clientOf: (fieldManager: string) => KubeClient
    readonly scaleOf: ScaleOf
    readonly tell: (told: Told) => void
  },
): readonly Controller[] {
  const kubelet = { ...deps, client: clientOf('kubelet') }
  const scheduler = { ...deps, client: clientOf('kube-scheduler'), tell }
  return [
    createNodeAgent(kubelet),
    ...(deps.heartbeats ? [createLeaseAgent(kubelet)] : []),
    createPodAgent(kubelet),
    createNodeLifecycleController(deps),
    createPodEvictionController({ ...deps, tell }),
    createTaintAgentController(deps, taintAgents),
    createScheduler(scheduler),
    ...createWorkloadControllers({ ...deps, tell }, scaleOf),
    createProvisioner({ ...deps, tell, zones: subnetZones(deps.aws) }),
    createReclaimer(deps),
    createExpander({ ...deps, tell }),
    createLoadBalancerController(deps, deps.aws.account.region.name),
    createEphemeralVolumeController(deps),
    createAttachmentController(deps, attachments),
  ]
}

/** Of any kind that the API server has, as a disruption controller asks for it. */
function scalesOf(server: ApiServer): ScaleOf {
  return ({ apiVersion, kind, name, uid }, namespace) => {
    const { registry } = server.context
    const definition = registry.all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion)
    if (definition?.scale === undefined) return { kind: 'unscaled' }
    try {
      const scale = server.getScale(definition, { namespace, name })
      if (scale.metadata.uid !== uid) return { kind: 'gone' }
      return { kind: 'replicas', replicas: numberAt(scale, 'spec', 'replicas') ?? 0 }
    } catch (error) {
      if (hasCode(error, 'NotFound')) return { kind: 'gone' }
      throw error
    }
  }
}

function subnetZones(aws: SimulatedAWS): readonly string[] {
  return [...new Set(aws.state.subnets.map(({ zone }) => zone))].sort()
}
