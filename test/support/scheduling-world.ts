import type { Node, Pod, PodSpec, Taint } from '../../src/api/kubernetes.ts'
import type { NodeClaim, NodePool, NodePoolRequirement } from '../../src/api/karpenter.ts'
import { coreVocabulary, type LabelVocabulary } from '../../src/api/label-rules.ts'
import type { DeviceTemplate, InstanceType, Offering } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { parseQuantity } from '../../src/model/quantity.ts'
import { absent, oneOf, oneValue, type Requirement } from '../../src/model/requirement.ts'
import { requirementsOf } from '../../src/model/requirements.ts'
import { addResources, type Resources, toResources } from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { toPodInfo } from '../../src/model/to-pod-info.ts'

/** Builders for scheduling tests: the smallest world in which a solve makes sense, with fixed names and times. */

export const zoneKey = 'topology.kubernetes.io/zone'
export const capacityTypeKey = 'karpenter.sh/capacity-type'
export const hostnameKey = 'kubernetes.io/hostname'
export const instanceTypeKey = 'node.kubernetes.io/instance-type'
const now = Date.UTC(2026, 0, 1)
const created = '2026-01-01T00:00:00Z'

/** The core labels and those that the test catalogues' types carry, as kwok registers its own. */
export const testVocabulary: LabelVocabulary = {
  ...coreVocabulary,
  wellKnown: new Set([...coreVocabulary.wellKnown, 'integer', 'size', 'special', 'reservation-id']),
}

export interface TypeOptions {
  readonly name: string
  readonly cpu: string
  readonly memory: string
  readonly pods?: string
  readonly arch?: string
  readonly os?: readonly string[]
  readonly resources?: Readonly<Record<string, string>>
  readonly price?: number
  readonly offerings?: readonly Offering[]
  readonly requirements?: readonly Requirement[]
  readonly deviceTemplates?: readonly DeviceTemplate[]
}

export function anOffering(zone: string, capacityType: string, price: number, rest: Partial<Offering> = {}): Offering {
  return {
    requirements: requirementsOf(oneValue(zoneKey, zone), oneValue(capacityTypeKey, capacityType)),
    price,
    available: true,
    ...rest,
  }
}

export function aType(options: TypeOptions): InstanceType {
  const { name, cpu, memory, pods = '5', arch = 'amd64', os = ['linux', 'windows', 'darwin'] } = options
  const capacity = toResources({ cpu, memory, pods, ...options.resources })
  const cpus = parseQuantity(cpu).toNumber()
  const bytes = parseQuantity(memory).toNumber()
  const price = options.price ?? 0.1 * cpus + (0.1 * bytes) / 1e9 + (options.resources === undefined ? 0 : 1)
  const offerings = options.offerings ?? [
    anOffering('z1', 'spot', price),
    anOffering('z2', 'spot', price),
    anOffering('z1', 'on-demand', price),
    anOffering('z2', 'on-demand', price),
    anOffering('z3', 'on-demand', price),
  ]
  const isLarge = cpus > 4 && bytes > 8 * 2 ** 30
  const valuesOf = (key: string): string[] => [
    ...new Set(offerings.flatMap((offering) => [...(offering.requirements.get(key)?.values ?? [])])),
  ]
  return {
    name,
    requirements: requirementsOf(
      oneValue(instanceTypeKey, name),
      oneValue('kubernetes.io/arch', arch),
      oneOf('kubernetes.io/os', os),
      oneOf(zoneKey, valuesOf(zoneKey)),
      oneOf(capacityTypeKey, valuesOf(capacityTypeKey)),
      oneValue('integer', String(cpus)),
      oneValue('size', isLarge ? 'large' : 'small'),
      isLarge ? oneValue('special', 'optional') : absent('special'),
      ...(options.requirements ?? []),
    ),
    capacity,
    overhead: {
      kubeReserved: toResources({ cpu: '100m', memory: '10Mi' }),
      systemReserved: new Map(),
      evictionThreshold: new Map(),
    },
    offerings,
    ...(options.deviceTemplates === undefined ? {} : { deviceTemplates: options.deviceTemplates }),
  }
}

/** The six types that the numbered cases are about. */
export const catalogueF: readonly InstanceType[] = [
  aType({ name: 'default', cpu: '4', memory: '4Gi' }),
  aType({ name: 'small', cpu: '2', memory: '2Gi' }),
  aType({ name: 'gpu-a', cpu: '4', memory: '4Gi', resources: { 'vendor-a': '2' } }),
  aType({ name: 'gpu-b', cpu: '4', memory: '4Gi', resources: { 'vendor-b': '2' } }),
  aType({ name: 'arm', cpu: '16', memory: '128Gi', arch: 'arm64', os: ['linux', 'windows', 'darwin', 'ios'] }),
  aType({ name: 'single', cpu: '4', memory: '4Gi', pods: '1' }),
]

export function fakeTypes(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, i) =>
    aType({ name: `fake-it-${i}`, cpu: `${i + 1}`, memory: `${2 * (i + 1)}Gi`, pods: `${10 * (i + 1)}` }),
  )
}

export interface PoolOptions {
  readonly name?: string
  readonly requirements?: readonly NodePoolRequirement[]
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly startupTaints?: readonly Taint[]
  readonly expireAfter?: string
  readonly terminationGracePeriod?: string
  readonly limits?: Readonly<Record<string, string>>
  readonly weight?: number
  readonly replicas?: number
  readonly deleting?: boolean
  readonly ready?: boolean
}

export function aPool(options: PoolOptions = {}): NodePool {
  const { name = 'np', requirements = [], labels, taints, startupTaints, limits, weight, replicas } = options
  const { expireAfter, terminationGracePeriod } = options
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: created,
      annotations: { 'karpenter.sh/nodepool-hash': `hash-${name}` },
      ...(options.deleting === true ? { deletionTimestamp: created } : {}),
    },
    spec: {
      template: {
        metadata: labels === undefined ? {} : { labels: { ...labels } },
        spec: {
          nodeClassRef: { group: 'karpenter.test.sh', kind: 'TestNodeClass', name: 'default' },
          requirements: [...requirements],
          ...(taints === undefined ? {} : { taints: [...taints] }),
          ...(startupTaints === undefined ? {} : { startupTaints: [...startupTaints] }),
          ...(expireAfter === undefined ? {} : { expireAfter }),
          ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
        },
      },
      ...(limits === undefined ? {} : { limits: { ...limits } }),
      ...(weight === undefined ? {} : { weight }),
      ...(replicas === undefined ? {} : { replicas }),
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: options.ready === false ? 'False' : 'True',
          lastTransitionTime: created,
          reason: 'Ready',
          message: '',
        },
      ],
    },
  }
}

export interface PodOptions extends Partial<Omit<PodSpec, 'containers' | 'hostPorts'>> {
  readonly name?: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly requests?: Readonly<Record<string, string>>
  readonly hostPorts?: readonly { port: number; ip?: string; protocol?: string }[]
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name?: string }
  readonly created?: string
  readonly uid?: string
  readonly status?: Pod['status']
  readonly deleting?: boolean
}

let podsMade = 0

/** A pending pod that the scheduler found no node for. Names count up, so that they are unique within a run. */
export function aPod(options: PodOptions = {}): PodInfo {
  podsMade += 1
  const {
    name = `pod-${String(podsMade).padStart(6, '0')}`,
    namespace = 'default',
    labels = {},
    annotations = {},
    requests = {},
    hostPorts = [],
    owner,
    uid = `uid-${namespace}-${name}`,
    status,
    deleting,
    created: createdAt = created,
    ...spec
  } = options
  const bound = (spec.nodeName ?? '') !== ''
  return toPodInfo({
    metadata: {
      name,
      namespace,
      uid,
      labels: { ...labels },
      annotations: { ...annotations },
      creationTimestamp: createdAt,
      ...(deleting === true ? { deletionTimestamp: created } : {}),
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ name: 'owner', ...owner, uid: 'uid-owner', controller: true }] }),
    },
    spec: {
      ...spec,
      containers: [
        {
          name: 'main',
          resources: { requests: { ...requests } },
          ports: hostPorts.map(({ port, ip, protocol }) => ({
            containerPort: port,
            hostPort: port,
            ...(ip === undefined ? {} : { hostIP: ip }),
            ...(protocol === undefined ? {} : { protocol }),
          })),
        },
      ],
    },
    status: status ?? {
      phase: bound ? 'Running' : 'Pending',
      conditions: bound ? [] : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    },
  })
}

export function pods(count: number, options: PodOptions = {}): PodInfo[] {
  return Array.from({ length: count }, () => aPod(options))
}

export interface NodeOptions {
  readonly name: string
  readonly pool?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly allocatable?: Readonly<Record<string, string>>
  readonly capacity?: Readonly<Record<string, string>>
  readonly pods?: readonly PodInfo[]
  readonly initialized?: boolean
  readonly registered?: boolean
  readonly managed?: boolean
  readonly markedForDeletion?: boolean
  readonly volumeLimits?: Readonly<Record<string, number>>
  /** A launched claim that no node has joined yet. */
  readonly withoutNode?: boolean
}

export function aNode(options: NodeOptions): StateNode {
  const { name, pool = '', initialized = true, registered = true, markedForDeletion = false } = options
  const managed = options.managed ?? pool !== ''
  const allocatable: Resources = toResources(options.allocatable ?? { cpu: '4', memory: '4Gi', pods: '110' })
  const labels: Record<string, string> = {
    [hostnameKey]: name,
    ...(pool === '' ? {} : { 'karpenter.sh/nodepool': pool }),
    ...options.labels,
  }
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: created, labels }
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    spec: { providerID: `test:///${name}`, taints: [...(options.taints ?? [])] },
  }
  const nodeClaim: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { ...metadata, uid: `uid-claim-${name}` },
    spec: { nodeClassRef: { group: 'karpenter.test.sh', kind: 'TestNodeClass', name: 'default' }, requirements: [] },
    status: { providerID: `test:///${name}` },
  }
  return {
    key: `test:///${name}`,
    node: options.withoutNode === true ? undefined : node,
    nodeClaim: managed ? nodeClaim : undefined,
    name,
    hostname: labels[hostnameKey] ?? name,
    labels,
    annotations: {},
    taints: options.taints ?? [],
    capacity: addResources(
      toResources(options.capacity ?? options.allocatable ?? { cpu: '4', memory: '4Gi', pods: '110' }),
      toResources({ nodes: '1' }),
    ),
    allocatable,
    managed,
    registered: registered && options.withoutNode !== true,
    initialized: initialized && options.withoutNode !== true,
    markedForDeletion,
    nominatedUntil: 0,
    pods: options.pods ?? [],
    volumeLimits: new Map(Object.entries(options.volumeLimits ?? {})),
    nodePool: pool,
  }
}

export interface WorldOptions {
  readonly pools?: readonly NodePool[]
  /** By pool, or the same for all. */
  readonly types?: readonly InstanceType[] | ReadonlyMap<string, readonly InstanceType[]>
  readonly nodes?: readonly StateNode[]
  readonly daemonSets?: Snapshot['daemonSets']
  readonly pods?: readonly PodInfo[]
  readonly namespaces?: Snapshot['namespaces']
  readonly podDisruptionBudgets?: Snapshot['podDisruptionBudgets']
  readonly volumes?: Partial<Snapshot['volumes']>
  readonly devices?: Snapshot['devices']
  readonly spreadOwners?: Partial<Snapshot['spreadOwners']>
}

export function aSnapshot(options: WorldOptions = {}): Snapshot {
  const { pools = [aPool()], types = catalogueF, nodes = [], daemonSets = [] } = options
  return {
    now,
    nodes,
    unboundPods: options.pods ?? [],
    nodePools: pools,
    instanceTypes: new Map(
      pools.map(({ metadata: { name } }) => [
        name,
        {
          kind: 'resolved',
          types: types instanceof Map ? (types.get(name) ?? []) : types,
        },
      ]),
    ),
    daemonSets,
    namespaces: options.namespaces ?? new Map([['default', {}]]),
    podDisruptionBudgets: options.podDisruptionBudgets ?? [],
    ...(options.devices === undefined ? {} : { devices: options.devices }),
    volumes: {
      claims: new Map(),
      volumes: new Map(),
      storageClasses: new Map(),
      csiNodes: new Map(),
      ...options.volumes,
    },
    spreadOwners: {
      services: [],
      replicaSets: new Map(),
      replicationControllers: new Map(),
      statefulSets: new Map(),
      ...options.spreadOwners,
    },
  }
}
