import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import type { Deployment, PodDisruptionBudget, Unsaved } from '../../api/kubernetes.ts'

/** One kind of workload of the demo: how many, and what each pod asks for. */
export interface Shape {
  readonly name: string
  readonly replicas: number
  readonly cpu: string
  readonly memory: string
  /** Spread evenly over the zones. */
  readonly spread?: boolean
}

/** Fifty pods: many small ones, some hungry for memory, some for CPU. */
export const shapes: readonly Shape[] = [
  { name: 'web', replicas: 20, cpu: '500m', memory: '1Gi', spread: true },
  { name: 'api', replicas: 12, cpu: '1', memory: '2Gi' },
  { name: 'batch', replicas: 8, cpu: '2', memory: '4Gi' },
  { name: 'cache', replicas: 6, cpu: '1', memory: '8Gi' },
  { name: 'search', replicas: 4, cpu: '2', memory: '12Gi' },
]

export const podCount = shapes.reduce((sum, { replicas }) => sum + replicas, 0)
/** At most this many nodes of the pool are disrupted at once. */
export const budgetNodes = 2

export const nodeClass: Unsaved<EC2NodeClass> = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'KarpenterNodeRole-demo',
    // By name, so that a new image is found within minutes; an alias is read again once a day.
    amiFamily: 'AL2023',
    amiSelectorTerms: [{ name: 'amazon-eks-node-al2023-x86_64-standard-1.33-*', owner: 'amazon' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
  },
}

/** Small types only: a fleet of several nodes shows more than one huge node. */
export const nodePool: Unsaved<NodePool> = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
          { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['9'] },
        ],
        expireAfter: '720h',
      },
    },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '30s',
      budgets: [{ nodes: String(budgetNodes) }],
    },
  },
}

/** Nodes of this pool live for an hour and take only what asks for them. */
export const shortLivedPool: Unsaved<NodePool> = {
  ...nodePool,
  metadata: { name: 'short-lived' },
  spec: {
    ...nodePool.spec,
    template: {
      ...nodePool.spec.template,
      spec: {
        ...nodePool.spec.template.spec,
        expireAfter: '1h',
        taints: [{ key: 'demo', value: 'short-lived', effect: 'NoSchedule' }],
      },
    },
  },
}

export function deployment(shape: Shape): Unsaved<Deployment> {
  const labels = { app: shape.name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: shape.name, namespace: 'default', labels },
    spec: {
      replicas: shape.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 10,
          containers: [
            { name: 'app', image: 'pause', resources: { requests: { cpu: shape.cpu, memory: shape.memory } } },
          ],
          ...(shape.spread === true
            ? {
                topologySpreadConstraints: [
                  {
                    maxSkew: 1,
                    topologyKey: 'topology.kubernetes.io/zone',
                    whenUnsatisfiable: 'DoNotSchedule' as const,
                    labelSelector: { matchLabels: labels },
                  },
                ],
              }
            : {}),
        },
      },
    },
  }
}

/** One pod that only the short-lived pool takes. */
export const shortLivedDeployment: Unsaved<Deployment> = tolerant(
  deployment({ name: 'short-lived', replicas: 1, cpu: '500m', memory: '1Gi' }),
)

function tolerant(plain: Unsaved<Deployment>): Unsaved<Deployment> {
  const { template } = plain.spec
  const tolerations = [{ key: 'demo', operator: 'Exists' as const }]
  const nodeSelector = { 'karpenter.sh/nodepool': 'short-lived' }
  return {
    ...plain,
    spec: { ...plain.spec, template: { ...template, spec: { ...template.spec, tolerations, nodeSelector } } },
  }
}

/** A quarter of each workload may be away at a time. */
export function disruptionBudget({ name }: Shape): Unsaved<PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app: name } }, maxUnavailable: '25%' },
  }
}
