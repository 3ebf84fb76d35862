import type { NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { Condition, Node, PodDisruptionBudget } from '../../src/api/kubernetes.ts'
import { type Candidate, surveyCandidates } from '../../src/disruption/candidates.ts'
import type { InstanceType, Offering } from '../../src/model/instance-type.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { toRequirement } from '../../src/model/requirement.ts'
import { requirementsOf } from '../../src/model/requirements.ts'
import { noResources } from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'

/** Noon UTC of a Sunday in June, far from any yearly schedule. */
export const noon = Date.parse('2026-06-14T12:00:00Z')
export const minute = 60_000

export type PoolOptions = Partial<NodePool['spec']> & { name?: string; disruption?: NodePool['spec']['disruption'] }

export function aPool({ name = 'default', ...spec }: PoolOptions = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      uid: `pool-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
      generation: 1,
    },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
          expireAfter: '720h',
        },
      },
      disruption: {
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '100%' }],
      },
      ...spec,
    },
  }
}

let podCount = 0

export function aRunningPod(options: Partial<PodInfo> = {}): PodInfo {
  podCount += 1
  return {
    namespace: 'default',
    name: `pod-${podCount}`,
    uid: `uid-${podCount}`,
    labels: {},
    annotations: {},
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }],
    createdAt: noon - 60 * minute,
    deletedAt: undefined,
    startedAt: noon - 60 * minute,
    nodeName: 'n',
    nominatedNodeName: '',
    phase: 'Running',
    scheduledReason: '',
    ready: 'True',
    priority: undefined,
    priorityClassName: '',
    terminationGracePeriodSeconds: 30,
    requests: noResources,
    limits: noResources,
    nodeSelector: {},
    affinity: undefined,
    tolerations: [],
    topologySpreadConstraints: [],
    hostPorts: [],
    volumes: [],
    hasResourceClaims: false,
    virtualBuffer: undefined,
    ...options,
  }
}

export const daemonSetOwner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true }]
export const nodeOwner = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node' }]
export const statefulSetOwner = [
  { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'sts', controller: true },
]

export function condition(type: string, status: Condition['status'] = 'True', at = noon - 10 * minute): Condition {
  return { type, status, reason: type, message: '', lastTransitionTime: new Date(at).toISOString().replace('.000', '') }
}

export interface NodeOptions {
  /** `none` for a node without the label. */
  pool?: string
  type?: string
  capacityType?: string
  zone?: string
  pods?: readonly PodInfo[]
  /** Of the claim, beside Launched, Registered, Initialized. */
  conditions?: readonly Condition[]
  claim?: 'none'
  node?: 'none'
  annotations?: Record<string, string>
  terminationGracePeriod?: string
  ready?: Condition['status']
  initialized?: boolean
  markedForDeletion?: boolean
  nominatedUntil?: number
}

export function aStateNode(name: string, options: NodeOptions = {}): StateNode {
  const { pool = 'default', type = 'm5.large', capacityType = 'on-demand', zone = 'z1', initialized = true } = options
  const labels: Record<string, string> = {
    ...(pool === 'none' ? {} : { 'karpenter.sh/nodepool': pool }),
    'node.kubernetes.io/instance-type': type,
    ...(capacityType === '' ? {} : { 'karpenter.sh/capacity-type': capacityType }),
    ...(zone === '' ? {} : { 'topology.kubernetes.io/zone': zone }),
  }
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '2026-06-14T00:00:00Z', labels }
  const nodeClaim: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { ...metadata, name: `claim-${name}` },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
      expireAfter: '720h',
      ...(options.terminationGracePeriod === undefined
        ? {}
        : { terminationGracePeriod: options.terminationGracePeriod }),
    },
    status: {
      providerID: `aws:///z1/i-${name}`,
      conditions: [
        condition('Launched'),
        condition('Registered'),
        condition('Initialized'),
        ...(options.conditions ?? [condition('Consolidatable')]),
      ],
    },
  }
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...metadata },
    spec: { providerID: `aws:///z1/i-${name}` },
    status: { conditions: [condition('Ready', options.ready ?? 'True')] },
  }
  return {
    key: `aws:///z1/i-${name}`,
    node: options.node === 'none' ? undefined : node,
    nodeClaim: options.claim === 'none' ? undefined : nodeClaim,
    name,
    hostname: name,
    labels,
    annotations: options.annotations ?? {},
    taints: [],
    capacity: new Map([['cpu', Quantity.of(2)]]),
    allocatable: new Map([['cpu', Quantity.of(2)]]),
    managed: options.claim !== 'none',
    registered: initialized,
    initialized,
    markedForDeletion: options.markedForDeletion ?? false,
    nominatedUntil: options.nominatedUntil ?? 0,
    pods: options.pods ?? [],
    volumeLimits: new Map(),
    nodePool: pool === 'none' ? '' : pool,
  }
}

export interface OfferingOptions {
  price: number
  capacityType?: string
  zone?: string
  available?: boolean
}

function anOffering({ price, capacityType = 'on-demand', zone = 'z1', available = true }: OfferingOptions): Offering {
  return {
    requirements: requirementsOf(
      toRequirement('karpenter.sh/capacity-type', 'In', [capacityType]),
      toRequirement('topology.kubernetes.io/zone', 'In', [zone]),
    ),
    price,
    available,
  }
}

export function aType(name: string, ...offerings: readonly OfferingOptions[]): InstanceType {
  const none = { kubeReserved: noResources, systemReserved: noResources, evictionThreshold: noResources }
  return {
    name,
    requirements: requirementsOf(toRequirement('node.kubernetes.io/instance-type', 'In', [name])),
    capacity: new Map([['cpu', Quantity.of(2)]]),
    overhead: none,
    offerings: offerings.map(anOffering),
  }
}

export interface WorldOptions {
  pools?: readonly NodePool[]
  nodes?: readonly StateNode[]
  types?: readonly InstanceType[]
  budgets?: readonly PodDisruptionBudget[]
  now?: number
}

export function aWorld({
  pools = [aPool()],
  nodes = [],
  types = [aType('m5.large', { price: 1 })],
  budgets = [],
  now = noon,
}: WorldOptions = {}): Snapshot {
  return {
    now,
    nodes,
    unboundPods: [],
    nodePools: pools,
    instanceTypes: new Map(pools.map((pool) => [pool.metadata.name, { kind: 'resolved', types }])),
    daemonSets: [],
    namespaces: new Map([['default', {}]]),
    podDisruptionBudgets: budgets,
    volumes: { claims: new Map(), volumes: new Map(), storageClasses: new Map(), csiNodes: new Map() },
    spreadOwners: {
      services: [],
      replicaSets: new Map(),
      replicationControllers: new Map(),
      statefulSets: new Map(),
    },
  }
}

export function aBudget(
  name: string,
  spec: PodDisruptionBudget['spec'],
  disruptionsAllowed: number,
): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
    },
    spec,
    status: { disruptionsAllowed },
  }
}

/** The candidates of a world that must all be ones. */
export function candidatesOf(world: Snapshot): readonly Candidate[] {
  const survey = surveyCandidates(world, { disruptionClass: 'graceful', queued: new Set() })
  if (survey.blocked.length > 0) throw new Error(survey.blocked.map((found) => found.message).join('; '))
  return survey.candidates
}

/** One that nothing stands against. */
export function aCandidate(name: string): Candidate {
  const [candidate] = candidatesOf(aWorld({ nodes: [aStateNode(name)] }))
  if (candidate === undefined) throw new Error('the node is no candidate')
  return candidate
}
