import type { EC2NodeClass, NodePool } from '../../src/api/karpenter.ts'
import type {
  Affinity,
  DaemonSet,
  Deployment,
  KubeObject,
  PodDisruptionBudget,
  PodTemplateSpec,
  StatefulSet,
  Unsaved,
} from '../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, labelHostname, labelZone } from '../../src/api/labels.ts'
import type { Resource } from '../../src/kube/resource.ts'

/** A Job as far as the simulation says one. */
export interface Job extends KubeObject {
  spec: { template: PodTemplateSpec; completions?: number; parallelism?: number; ttlSecondsAfterFinished?: number }
}

export const jobs: Resource<Job> = Object.freeze({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})

export interface Shape {
  readonly name: string
  readonly replicas: number
  readonly cpu: string
  readonly memory: string
  readonly spread?: boolean
  /** Over what else its pods are spread, by a label of nodes; whether they must be, `whenUnsatisfiable` tells. */
  readonly spreadOver?: { readonly key: string; readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway' }
  /** No two of its pods on one node. */
  readonly apart?: boolean
  /** The workload in whose zones it has to run. */
  readonly near?: string
  readonly hostPort?: number
  readonly doNotDisrupt?: boolean
  /** As `maxUnavailable` of its PodDisruptionBudget; none when absent. */
  readonly maxUnavailable?: string | number
  /** What else its pods say. */
  readonly pod?: Partial<PodTemplateSpec['spec']>
}

/** Stands in the user data of the EC2NodeClass, and nowhere that anybody reads. */
export const secretMarker = 'token-s3cr3t-of-the-cluster'

export function aNodeClass(more: Partial<NonNullable<EC2NodeClass['spec']>> = {}): Unsaved<EC2NodeClass> {
  const tags = { 'karpenter.sh/discovery': 'demo' }
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: 'KarpenterNodeRole-demo',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
      userData: `#!/bin/bash\necho ${secretMarker} > /etc/token\n`,
      ...more,
    },
  }
}

export interface PoolShape {
  readonly name: string
  readonly capacityTypes?: readonly string[]
  /** All up to eight CPUs when absent. */
  readonly instanceTypes?: readonly string[]
  readonly budget?: string
  readonly nodes?: string
  readonly cpu?: string
  readonly expireAfter?: string
  readonly terminationGracePeriod?: string
  readonly weight?: number
  readonly consolidateAfter?: string
  /** WhenEmptyOrUnderutilized when absent. */
  readonly consolidationPolicy?: ConsolidationPolicy
  /** `default` when absent. */
  readonly nodeClass?: string
  /** amd64 alone when absent. */
  readonly archs?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: Template['taints']
  readonly startupTaints?: Template['taints']
  readonly requirements?: Template['requirements']
  /** Beside the one that `budget` stands for. */
  readonly budgets?: Disruption['budgets']
}

type Template = NodePool['spec']['template']['spec']
type Disruption = NonNullable<NodePool['spec']['disruption']>

type ConsolidationPolicy = NonNullable<Disruption['consolidationPolicy']>

export function aPool(shape: PoolShape): Unsaved<NodePool> {
  const {
    capacityTypes = ['on-demand'],
    instanceTypes,
    budget = '20%',
    expireAfter = '720h',
    consolidateAfter = '60s',
    consolidationPolicy = 'WhenEmptyOrUnderutilized',
    nodeClass = 'default',
    archs = ['amd64'],
    labels,
    taints,
    startupTaints,
    requirements = [],
    budgets = [],
  } = shape
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: shape.name },
    spec: {
      ...(shape.weight === undefined ? {} : { weight: shape.weight }),
      limits: { cpu: shape.cpu ?? '400', ...(shape.nodes === undefined ? {} : { nodes: shape.nodes }) },
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass },
          ...(taints === undefined ? {} : { taints }),
          ...(startupTaints === undefined ? {} : { startupTaints }),
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: [...archs] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [...capacityTypes] },
            instanceTypes === undefined
              ? { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['9'] }
              : { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [...instanceTypes] },
            ...requirements,
          ],
          expireAfter,
          ...(shape.terminationGracePeriod === undefined
            ? {}
            : { terminationGracePeriod: shape.terminationGracePeriod }),
        },
      },
      disruption: {
        consolidationPolicy,
        consolidateAfter,
        budgets: [{ nodes: budget }, ...budgets],
      },
    },
  }
}

function podTemplate(shape: Shape): PodTemplateSpec {
  const labels = { app: shape.name }
  const spreads = [
    ...(shape.spread === true ? [{ key: labelZone, whenUnsatisfiable: 'DoNotSchedule' as const }] : []),
    ...(shape.spreadOver === undefined ? [] : [shape.spreadOver]),
  ]
  const affinity = affinityOf(shape)
  return {
    metadata: {
      labels,
      ...(shape.doNotDisrupt === true ? { annotations: { [annotationDoNotDisrupt]: 'true' } } : {}),
    },
    spec: {
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          name: 'app',
          image: 'pause',
          resources: { requests: { cpu: shape.cpu, memory: shape.memory } },
          ...(shape.hostPort === undefined
            ? {}
            : { ports: [{ containerPort: shape.hostPort, hostPort: shape.hostPort }] }),
        },
      ],
      ...(affinity === undefined ? {} : { affinity }),
      ...(spreads.length === 0
        ? {}
        : {
            topologySpreadConstraints: spreads.map(({ key, whenUnsatisfiable }) => ({
              maxSkew: 1,
              topologyKey: key,
              whenUnsatisfiable,
              labelSelector: { matchLabels: labels },
            })),
          }),
      ...shape.pod,
    },
  }
}

function affinityOf({ name, apart, near }: Shape): Affinity | undefined {
  const term = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey })
  if (apart !== true && near === undefined) return undefined
  return {
    ...(apart === true
      ? { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(name, labelHostname)] } }
      : {}),
    ...(near === undefined
      ? {}
      : { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(near, labelZone)] } }),
  }
}

export function aDeployment(shape: Shape): Unsaved<Deployment> {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: shape.name, namespace: 'default' },
    spec: {
      replicas: shape.replicas,
      selector: { matchLabels: { app: shape.name } },
      template: podTemplate(shape),
    },
  }
}

export function aBudget(shape: Shape): Unsaved<PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: shape.name, namespace: 'default' },
    spec: { selector: { matchLabels: { app: shape.name } }, maxUnavailable: shape.maxUnavailable ?? '25%' },
  }
}

/** A database: one volume for each pod, in the zone where the pod was first placed. */
export function aStatefulSet(shape: Shape): Unsaved<StatefulSet> {
  const template = podTemplate(shape)
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: shape.name, namespace: 'default' },
    spec: {
      replicas: shape.replicas,
      serviceName: shape.name,
      selector: { matchLabels: { app: shape.name } },
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
        },
      ],
    },
  }
}

export function aDaemonSet(name: string): Unsaved<DaemonSet> {
  const labels = { app: name }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          tolerations: [{ operator: 'Exists' }],
          containers: [{ name: 'agent', image: 'pause', resources: { requests: { cpu: '100m', memory: '128Mi' } } }],
        },
      },
    },
  }
}

export function aJob(name: string, completions: number): Unsaved<Job> {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: {
      completions,
      parallelism: completions,
      ttlSecondsAfterFinished: 600,
      template: {
        metadata: { labels: { job: name } },
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'work', image: 'pause', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
        },
      },
    },
  }
}
