import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import {
  type CloudProvider,
  type LaunchedInstance,
  NodeClaimNotFoundError,
  type RegistrationHook,
  type RepairPolicy,
} from '../../src/cloud/provider.ts'
import { DisruptionBrake } from '../../src/controllers/disruption-brake.ts'
import { LaunchGuard } from '../../src/controllers/launches/index.ts'
import { type ControllerMetrics, defineMetrics } from '../../src/controllers/metric-table.ts'
import { VirtualClock } from '../../src/embedded/clock.ts'
import { createCaches, type RunningCaches } from '../../src/kube/caches.ts'
import type { Controller, SingletonController } from '../../src/kube/controller.ts'
import type { Metrics } from '../../src/kube/metrics.ts'
import type { EventRecorder, EventToPublish } from '../../src/kube/recorder.ts'
import type { ObjectKey, Resource } from '../../src/kube/resource.ts'
import { startControllers } from '../../src/kube/runtime.ts'
import { toTimestamp } from '../../src/model/clock.ts'
import type { InstanceType } from '../../src/model/instance-type.ts'
import { toResources } from '../../src/model/resources.ts'
import { FakeKubeClient } from './fake-kube-client.ts'
import { fixedRandom } from './fixed-random.ts'
import { recordingLogger } from './recording-logger.ts'

/** What controllers are given, on a virtual clock and a fake API server. */
export interface ControllerWorld {
  readonly kube: FakeKubeClient
  readonly clock: VirtualClock
  readonly caches: RunningCaches
  readonly cloud: FakeCloud
  readonly recorder: EventRecorder & { readonly published: EventToPublish[] }
  readonly metrics: ControllerMetrics
  readonly counts: MetricCounts
  readonly log: ReturnType<typeof recordingLogger>
  readonly cpuMilli: number
  readonly launches: LaunchGuard
  /** None is set. */
  readonly brake: DisruptionBrake
  /** Remembers the launches that it is told of, by claim. */
  readonly cluster: { readonly launched: Map<string, string | undefined>; observeLaunch(claim: NodeClaim): void }
  /** Resolves, when the controllers run, with what stops them at once. */
  start(...controllers: readonly (Controller | SingletonController)[]): Promise<() => Promise<void>>
  run(ms: number): Promise<void>
  read<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T>
  exists<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<boolean>
  /** Reasons and messages, in order. */
  events(reason?: string): string[]
  logged(message: string): readonly Readonly<Record<string, unknown>>[]
}

/** The defaults of the options. */
export const guardDefaults = {
  breaker: { failuresInARow: 3, window: 10, backOffMs: 60_000, backOffMaxMs: 480_000 },
  budget: { size: 30, refillMs: 120_000 },
}

/** `after`: what an earlier process left behind; this one starts with an empty memory. */
export function aControllerWorld(after?: Pick<ControllerWorld, 'clock' | 'kube' | 'cloud'>): ControllerWorld {
  const clock = after?.clock ?? new VirtualClock()
  const log = recordingLogger()
  const kube = after?.kube ?? new FakeKubeClient(() => toTimestamp(clock.now()))
  const caches = createCaches({ client: kube, clock, random: fixedRandom(), log })
  const published: EventToPublish[] = []
  const counts = new MetricCounts()
  const launched = new Map<string, string | undefined>()
  return {
    kube,
    clock,
    caches,
    cloud: after?.cloud ?? new FakeCloud(clock),
    recorder: { published, publish: (...events) => void published.push(...events) },
    metrics: defineMetrics(counts),
    launches: new LaunchGuard(clock, guardDefaults),
    brake: new DisruptionBrake(clock, { nodes: 0, windowMs: 600_000 }),
    cluster: {
      launched,
      observeLaunch: ({ metadata, status }) => void launched.set(metadata.name, status?.providerID),
    },
    counts,
    log,
    cpuMilli: 1_000,
    async start(...controllers) {
      const stop = new AbortController()
      const runtime = startControllers({ caches, clock, random: fixedRandom(), log }, controllers, stop.signal)
      caches.start(stop.signal)
      await clock.settle()
      await runtime.started
      await clock.settle()
      return async () => {
        stop.abort(new Error('killed'))
        await clock.settle()
      }
    },
    run: async (ms) => void (await clock.run({ forMs: ms })),
    read: (resource, key) => kube.get(resource, key),
    exists: (resource, key) =>
      kube.get(resource, key).then(
        () => true,
        () => false,
      ),
    events: (reason) =>
      published
        .filter((event) => reason === undefined || event.reason === reason)
        .map((event) => (reason === undefined ? `${event.reason}: ${event.message}` : event.message)),
    logged: (message) => log.lines.filter((line) => line.message === message).map((line) => line.fields),
  }
}

/** Adds up what metrics are given, by name and labels. */
export class MetricCounts implements Metrics {
  readonly #values = new Map<string, number[]>()

  /** The sum of all that was added or observed under labels that include these. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.observed(name, labels).reduce((sum, value) => sum + value, 0)
  }

  observed(name: string, labels: Readonly<Record<string, string>> = {}): readonly number[] {
    return this.#keysOf(name, labels).flatMap((key) => this.#values.get(key) ?? [])
  }

  #keysOf(name: string, labels: Readonly<Record<string, string>>): string[] {
    const wanted = Object.entries(labels)
    return [...this.#values.keys()].filter((key) => {
      const [known, json = '{}'] = key.split('|')
      const parsed: Record<string, string> = JSON.parse(json)
      return known === name && wanted.every(([label, value]) => parsed[label] === value)
    })
  }

  counter({ name }: { name: string }) {
    return { increment: (labels = {}, by = 1) => this.#add(name, labels, by) }
  }

  gauge({ name }: { name: string }) {
    return {
      set: (labels: object, value: number) => this.#values.set(this.#key(name, labels), [value]),
      remove: (labels: object) => this.#values.delete(this.#key(name, labels)),
      removeMatching: (labels: Readonly<Record<string, string>>) => {
        for (const key of this.#keysOf(name, labels)) this.#values.delete(key)
      },
      readFrom: () => undefined,
    }
  }

  histogram({ name }: { name: string }) {
    return { observe: (labels: object, value: number) => this.#add(name, labels, value) }
  }

  summary({ name }: { name: string }) {
    return { observe: (labels: object, value: number) => this.#add(name, labels, value) }
  }

  #add(name: string, labels: object, value: number): void {
    const key = this.#key(name, labels)
    this.#values.set(key, [...(this.#values.get(key) ?? []), value])
  }

  #key(name: string, labels: object): string {
    return `${name}|${JSON.stringify(labels)}`
  }
}

/** A cloud that launches at once and terminates after a while. */
export class FakeCloud implements CloudProvider {
  readonly name = 'fake'
  readonly nodeClassKinds = [{ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }]
  repairPolicies: RepairPolicy[] = []
  registrationHooks: RegistrationHook[] = []
  readonly instances = new Map<string, LaunchedInstance>()
  readonly created: string[] = []
  readonly deleted: string[] = []
  instanceTypes: InstanceType[] = []
  drift: (claim: NodeClaim) => string | undefined = () => undefined
  /** How long an instance goes on existing after it was asked to end. */
  terminationMs = 0
  /** Thrown by every launch. */
  failure: Error | undefined
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  getInstanceTypes(): Promise<readonly InstanceType[]> {
    return Promise.resolve(this.instanceTypes)
  }

  async create(claim: NodeClaim): Promise<LaunchedInstance> {
    this.created.push(claim.metadata.name)
    await Promise.resolve()
    if (this.failure !== undefined) throw this.failure
    const id = `i-${this.created.length}`
    const instance: LaunchedInstance = {
      providerID: `aws:///us-west-2a/${id}`,
      imageID: 'ami-1',
      labels: {
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-west-2a',
        'karpenter.sh/capacity-type': 'spot',
      },
      annotations: { 'karpenter.k8s.aws/ec2nodeclass-hash': '1' },
      capacity: toResources({ cpu: '2', memory: '8Gi', pods: '29' }),
      allocatable: toResources({ cpu: '1930m', memory: '7Gi', pods: '29' }),
      createdAt: this.#clock.now(),
      deletedAt: undefined,
    }
    this.instances.set(instance.providerID, instance)
    return instance
  }

  async get(providerID: string): Promise<LaunchedInstance> {
    await Promise.resolve()
    const found = this.instances.get(providerID)
    if (found === undefined) throw new NodeClaimNotFoundError(providerID)
    return found
  }

  list(): Promise<readonly LaunchedInstance[]> {
    return Promise.resolve([...this.instances.values()])
  }

  async delete(claim: NodeClaim): Promise<void> {
    await Promise.resolve()
    const id = claim.status?.providerID ?? ''
    const found = this.instances.get(id)
    if (found === undefined) throw new NodeClaimNotFoundError(id)
    this.deleted.push(id)
    if (found.deletedAt !== undefined) return
    this.instances.set(id, { ...found, deletedAt: this.#clock.now() })
    this.#clock.schedule(this.terminationMs, () => this.instances.delete(id))
  }

  isDrifted(claim: NodeClaim) {
    const reason = this.drift(claim)
    return Promise.resolve(reason === undefined ? undefined : { reason, fields: [] })
  }
}
