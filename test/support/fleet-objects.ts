import {
  ec2NodeClassHash,
  ec2NodeClassHashVersion,
  nodePoolHash,
  nodePoolHashVersion,
} from '../../src/api/hash/index.ts'
import type { CapacityBuffer, EC2NodeClass, InstanceTypeCatalog, NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { KubeObject, Node, Pod } from '../../src/api/kubernetes.ts'
import {
  annotationEC2NodeClassHash,
  annotationEC2NodeClassHashVersion,
  annotationNodePoolHash,
  annotationNodePoolHashVersion,
} from '../../src/api/labels.ts'

/** Builders for whole fleets as the API server holds them: pools, a class, machines with both halves, and pods that run on them. */

const fleetStart = '2026-06-14T09:00:00Z'
export const fleetNow = '2026-06-14T12:00:00Z'

export function aFleetClass(spec: Partial<NonNullable<EC2NodeClass['spec']>> = {}, name = 'default'): EC2NodeClass {
  const whole = {
    role: 'KarpenterNodeRole-demo',
    amiSelectorTerms: [{ alias: 'al2023@v20260601' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    ...spec,
  }
  const nodeClass: EC2NodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { ...meta(name), generation: 1 },
    spec: whole,
    status: {
      amis: [
        {
          id: 'ami-1',
          name: 'al2023-v20260601',
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
        },
      ],
      subnets: ['a', 'b', 'c'].map((zone) => ({ id: `subnet-${zone}`, zone: `us-east-1${zone}` })),
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      conditions: [condition('Ready')],
    },
  }
  return annotated(nodeClass, {
    [annotationEC2NodeClassHash]: ec2NodeClassHash({ spec: whole }, 'the-ca'),
    [annotationEC2NodeClassHashVersion]: ec2NodeClassHashVersion,
  })
}

export interface FleetPoolOptions extends Partial<Omit<NodePool['spec'], 'template'>> {
  readonly name?: string
  readonly template?: Partial<NodePool['spec']['template']['spec']>
  readonly labels?: Record<string, string>
}

export function aFleetPool({ name = 'default', template = {}, labels, ...spec }: FleetPoolOptions = {}): NodePool {
  const pool: NodePool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { ...meta(name), generation: 1 },
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large', 'm5.xlarge'] },
          ],
          expireAfter: '720h',
          ...template,
        },
      },
      disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '2' }] },
      ...spec,
    },
    status: { conditions: [condition('Ready')] },
  }
  return annotated(pool, {
    [annotationNodePoolHash]: nodePoolHash(pool),
    [annotationNodePoolHashVersion]: nodePoolHashVersion,
  })
}

export interface MachineOptions {
  readonly zone?: string
  readonly type?: string
  readonly taints?: NonNullable<NodeClaim['spec']['taints']>
  readonly annotations?: Record<string, string>
  /** Since when; absent: it has not drifted. */
  readonly driftedSince?: string
  readonly imageID?: string
  readonly createdAt?: string
}

/** A NodeClaim and its Node, made of the pool and class as they are given. */
export function aMachine(
  name: string,
  pool: NodePool,
  nodeClass: EC2NodeClass,
  options: MachineOptions = {},
): [NodeClaim, Node] {
  const { zone = 'us-east-1a', type = 'm5.large', driftedSince, imageID = 'ami-1', createdAt = fleetStart } = options
  const large = type.endsWith('.xlarge')
  const amounts = {
    cpu: large ? '3920m' : '1930m',
    memory: large ? '14Gi' : '6Gi',
    pods: large ? '58' : '29',
    'ephemeral-storage': '17Gi',
  }
  const labels = {
    'karpenter.sh/nodepool': pool.metadata.name,
    'karpenter.sh/capacity-type': 'on-demand',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': type,
    'karpenter.k8s.aws/instance-category': 'm',
    'karpenter.k8s.aws/instance-generation': '5',
    'topology.kubernetes.io/region': 'us-east-1',
    'topology.kubernetes.io/zone': zone,
    ...pool.spec.template.metadata?.labels,
  }
  const stamps = { ...pool.metadata.annotations, ...nodeClass.metadata.annotations, ...options.annotations }
  const providerID = `aws:///${zone}/i-${name}`
  const claim: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { ...meta(`claim-${name}`, createdAt), labels, annotations: stamps },
    spec: {
      nodeClassRef: pool.spec.template.spec.nodeClassRef,
      requirements: pool.spec.template.spec.requirements,
      ...(pool.spec.template.spec.taints === undefined ? {} : { taints: pool.spec.template.spec.taints }),
      expireAfter: '720h',
    },
    status: {
      providerID,
      nodeName: name,
      imageID,
      capacity: { ...amounts, cpu: large ? '4' : '2' },
      allocatable: amounts,
      conditions: [
        ...['Launched', 'Registered', 'Initialized', 'Ready'].map((condition_) => condition(condition_, createdAt)),
        ...(driftedSince === undefined ? [] : [condition('Drifted', driftedSince, 'NodePoolDrifted')]),
      ],
    },
  }
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      ...meta(name, createdAt),
      labels: {
        ...labels,
        'kubernetes.io/hostname': name,
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
      },
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: {
      providerID,
      ...(pool.spec.template.spec.taints === undefined ? {} : { taints: pool.spec.template.spec.taints }),
    },
    status: {
      capacity: { ...amounts, cpu: large ? '4' : '2' },
      allocatable: amounts,
      conditions: [condition('Ready', createdAt)],
    },
  }
  return [claim, node]
}

export interface FleetPodOptions {
  readonly cpu?: string
  readonly memory?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly nodeSelector?: Record<string, string>
}

/** Running on the node, owned by a ReplicaSet. */
export function aPodOn(node: string, name: string, options: FleetPodOptions = {}): Pod {
  const { cpu = '500m', memory = '1Gi', labels, annotations, nodeSelector } = options
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...meta(name, fleetStart),
      namespace: 'default',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs-web', controller: true }],
    },
    spec: {
      nodeName: node,
      containers: [{ name: 'main', image: 'example.com/web:1', resources: { requests: { cpu, memory } } }],
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
    },
    status: { phase: 'Running', conditions: [condition('Ready')], startTime: fleetStart },
  }
}

/** Without a node, and marked as one that fits nowhere. */
export function aWaitingPod(name: string, options: FleetPodOptions = {}): Pod {
  const { nodeName: _, ...spec } = aPodOn('', name, options).spec
  const { metadata, ...pod } = aPodOn('', name, options)
  const scheduled = { ...condition('PodScheduled', fleetStart, 'Unschedulable'), status: 'False' as const }
  return { ...pod, metadata, spec, status: { phase: 'Pending', conditions: [scheduled] } }
}

/** A buffer that holds room for `replicas` pods of this size. */
export function aBuffer(cpu: string, replicas: number): KubeObject[] {
  const metadata = { ...meta('spare'), namespace: 'default' }
  const containers = [{ name: 'main', image: 'example.com/web:1', resources: { requests: { cpu } } }]
  const template = { apiVersion: 'v1', kind: 'PodTemplate', metadata, template: { spec: { containers } } }
  const buffer: CapacityBuffer = {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata,
    spec: { podTemplateRef: { name: 'spare' }, replicas },
  }
  return [template, buffer]
}

export function annotated<T extends KubeObject>(object: T, annotations: Record<string, string>): T {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  }
}

function condition(type: string, since = fleetStart, reason = type) {
  return { type, status: 'True' as const, reason, message: '', lastTransitionTime: since, observedGeneration: 1 }
}

function meta(name: string, creationTimestamp = '2026-06-01T00:00:00Z') {
  return { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp }
}

/** The two types of the fleet's pools, so that a test need not build the whole catalogue of AWS. */
export function aFleetCatalogue(): InstanceTypeCatalog {
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c']
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'InstanceTypeCatalog',
    metadata: meta('fleet'),
    instanceTypes: [
      { name: 'm5.large', cpu: '2', memory: '8Gi', pods: '29', price: 0.096 },
      { name: 'm5.xlarge', cpu: '4', memory: '16Gi', pods: '58', price: 0.192 },
    ].map(({ name, price, ...capacity }) => ({
      name,
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
        { key: 'topology.kubernetes.io/region', operator: 'In', values: ['us-east-1'] },
      ],
      capacity,
      overhead: { kubeReserved: { cpu: '70m', memory: '1Gi' } },
      offerings: zones.map((zone) => ({
        requirements: [
          { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        ],
        price,
      })),
    })),
  }
}
