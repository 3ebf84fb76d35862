import type { CapacityBuffer, NodeOverlay, NodePool } from '../../../src/api/karpenter.ts'
import type {
  DaemonSet,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  Unsaved,
} from '../../../src/api/kubernetes.ts'
import type { Requests, VolumeShape, Workload } from './workloads.ts'

export function poolsOf({ name, pools = [{}] }: Workload): readonly Unsaved<NodePool>[] {
  return pools.map((shape) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: `${name}${shape.suffix ?? ''}` },
    spec: {
      template: {
        metadata: {
          labels: { ...shape.labels, fleet: name },
          ...(shape.annotations === undefined ? {} : { annotations: shape.annotations }),
        },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'decisions' },
          expireAfter: 'Never',
          requirements: shape.requirements ?? [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large', 'm5.large'] },
          ],
          ...shape.template,
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
      ...shape.spec,
    },
  }))
}

export function podsOf({ name, groups, volumes }: Workload): readonly Unsaved<Pod>[] {
  return groups.flatMap(({ count, requests, labels = {}, spec = {} }, group) =>
    Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-${group}-${index}`, namespace: 'default', labels: { ...labels, workload: name } },
      spec: {
        containers: [container(requests)],
        ...mounted(volumes),
        ...spec,
        nodeSelector: { ...spec.nodeSelector, fleet: name },
      },
    })),
  )
}

function mounted(volumes: readonly VolumeShape[] | undefined) {
  return volumes && { volumes: volumes.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name } })) }
}

/** With a taint that the API server adds, for want of which kube-scheduler would use it too early. */
export function neighboursOf({ name, neighbour }: Workload): readonly Unsaved<Node>[] {
  if (neighbour === undefined) return []
  const { zone, allocatable } = neighbour
  const labels = { fleet: name, 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone }
  const room = { pods: '110', ...allocatable }
  const ready = { type: 'Ready', status: 'True' as const, reason: 'KubeletReady', message: '' }
  return [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: {},
      status: { allocatable: room, capacity: room, conditions: [ready] },
    },
  ]
}

/** What runs on them. */
export function residentsOf({ name, neighbour, volumes }: Workload): readonly Unsaved<Pod>[] {
  if (neighbour?.resident === undefined) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-resident`, namespace: 'default', labels: { workload: name } },
      spec: {
        nodeName: name,
        containers: [container(neighbour.resident.requests)],
        tolerations: [{ operator: 'Exists' }],
        ...mounted(volumes),
      },
    },
  ]
}

/** Names of the pods that end before anything is decided. */
export function failedOf({ name, groups }: Workload): readonly string[] {
  return groups.flatMap(({ count, hasFailed }, group) =>
    hasFailed === undefined ? [] : Array.from({ length: count }, (_, index) => `${name}-${group}-${index}`),
  )
}

export function volumesOf({ volumes = [] }: Workload): readonly Unsaved<PersistentVolume>[] {
  return volumes.map(({ name, labels = {}, accessMode = 'ReadWriteOnce', nodeLabels }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels: { ...labels } },
    spec: {
      accessModes: [accessMode],
      capacity: { storage: '1Gi' },
      csi: { driver: 'driver.example.com', volumeHandle: name },
      claimRef: { namespace: 'default', name },
      ...(nodeLabels && {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: Object.entries(nodeLabels).map(([key, value]) => ({
                  key,
                  operator: 'In' as const,
                  values: [value],
                })),
              },
            ],
          },
        },
      }),
    },
  }))
}

export function volumeClaimsOf({ volumes = [] }: Workload): readonly Unsaved<PersistentVolumeClaim>[] {
  return volumes.map(({ name, accessMode = 'ReadWriteOnce' }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: name,
    },
  }))
}

export function daemonsOf({ name, daemon }: Workload): readonly Unsaved<DaemonSet>[] {
  if (daemon === undefined) return []
  const labels = { daemon: name }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container(daemon)], nodeSelector: { fleet: name } } },
      },
    },
  ]
}

export function overlaysOf({ name, overlays = [] }: Workload): readonly Unsaved<NodeOverlay>[] {
  return overlays.map(({ only = {}, ...spec }, index) => ({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: `${name}-${index}` },
    spec: {
      ...spec,
      requirements: Object.entries({ 'karpenter.sh/nodepool': name, ...only }).map(([key, value]) => ({
        key,
        operator: 'In' as const,
        values: [value],
      })),
    },
  }))
}

export function templatesOf({ name, buffer }: Workload): readonly Unsaved<PodTemplate>[] {
  if (buffer === undefined) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name, namespace: 'default' },
      template: {
        metadata: { labels: { workload: name } },
        spec: { containers: [standIn(buffer)], nodeSelector: { fleet: name } },
      },
    },
  ]
}

export function buffersOf({ name, buffer }: Workload): readonly Unsaved<CapacityBuffer>[] {
  if (buffer === undefined) return []
  return [
    {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name, namespace: 'default' },
      spec: { podTemplateRef: { name }, replicas: buffer.count },
    },
  ]
}

function standIn({ requests, isLimits }: NonNullable<Workload['buffer']>) {
  if (isLimits === undefined) return container(requests)
  return { name: 'app', image: 'registry.example/app:1', resources: { limits: requests } }
}

function container(requests: Requests) {
  // What is not of Kubernetes itself has limits, too.
  const { cpu: _cpu, memory: _memory, ...extended } = requests
  return { name: 'app', image: 'registry.example/app:1', resources: { requests, limits: extended } }
}
