import { textOf } from '../../api/json.ts'
import type {
  CapacityBuffer,
  EC2NodeClass,
  InstanceTypeCatalog,
  NodeClaim,
  NodeOverlay,
  NodePool,
  RolloutPolicy,
} from '../../api/karpenter.ts'
import type * as k8s from '../../api/kubernetes.ts'
import type { ManifestDocument } from '../input/documents.ts'

/** Everything a simulation reads, by kind, in input order. */
export interface SimulationObjects {
  readonly nodePools: NodePool[]
  readonly nodeClasses: EC2NodeClass[]
  readonly nodeOverlays: NodeOverlay[]
  readonly nodeClaims: NodeClaim[]
  readonly nodes: k8s.Node[]
  readonly pods: k8s.Pod[]
  readonly daemonSets: k8s.DaemonSet[]
  readonly deployments: k8s.Deployment[]
  readonly replicaSets: k8s.ReplicaSet[]
  readonly replicationControllers: k8s.ReplicationController[]
  readonly statefulSets: k8s.StatefulSet[]
  readonly services: k8s.Service[]
  readonly persistentVolumeClaims: k8s.PersistentVolumeClaim[]
  readonly persistentVolumes: k8s.PersistentVolume[]
  readonly storageClasses: k8s.StorageClass[]
  readonly csiNodes: k8s.CSINode[]
  readonly podDisruptionBudgets: k8s.PodDisruptionBudget[]
  readonly priorityClasses: k8s.PriorityClass[]
  readonly namespaces: k8s.Namespace[]
  readonly capacityBuffers: CapacityBuffer[]
  readonly rolloutPolicies: RolloutPolicy[]
  readonly podTemplates: k8s.PodTemplate[]
  readonly resourceClaims: k8s.ResourceClaim[]
  readonly deviceClasses: k8s.DeviceClass[]
  readonly resourceSlices: k8s.ResourceSlice[]
  readonly catalogues: InstanceTypeCatalog[]
}

type ListName = keyof SimulationObjects

/** `group/kind` to the list it goes to, and whether objects of the kind live in a namespace. */
const listOf: Readonly<Record<string, readonly [ListName, 'namespaced' | 'cluster']>> = {
  'karpenter.sh/NodePool': ['nodePools', 'cluster'],
  'karpenter.k8s.aws/EC2NodeClass': ['nodeClasses', 'cluster'],
  'karpenter.sh/NodeOverlay': ['nodeOverlays', 'cluster'],
  'karpenter.sh/NodeClaim': ['nodeClaims', 'cluster'],
  '/Node': ['nodes', 'cluster'],
  '/Pod': ['pods', 'namespaced'],
  'apps/DaemonSet': ['daemonSets', 'namespaced'],
  'apps/Deployment': ['deployments', 'namespaced'],
  'apps/ReplicaSet': ['replicaSets', 'namespaced'],
  '/ReplicationController': ['replicationControllers', 'namespaced'],
  'apps/StatefulSet': ['statefulSets', 'namespaced'],
  '/Service': ['services', 'namespaced'],
  '/PersistentVolumeClaim': ['persistentVolumeClaims', 'namespaced'],
  '/PersistentVolume': ['persistentVolumes', 'cluster'],
  'storage.k8s.io/StorageClass': ['storageClasses', 'cluster'],
  'storage.k8s.io/CSINode': ['csiNodes', 'cluster'],
  'policy/PodDisruptionBudget': ['podDisruptionBudgets', 'namespaced'],
  'scheduling.k8s.io/PriorityClass': ['priorityClasses', 'cluster'],
  '/Namespace': ['namespaces', 'cluster'],
  'autoscaling.x-k8s.io/CapacityBuffer': ['capacityBuffers', 'namespaced'],
  '/PodTemplate': ['podTemplates', 'namespaced'],
  'resource.k8s.io/ResourceClaim': ['resourceClaims', 'namespaced'],
  'resource.k8s.io/DeviceClass': ['deviceClasses', 'cluster'],
  'resource.k8s.io/ResourceSlice': ['resourceSlices', 'cluster'],
  'joinery.dev/RolloutPolicy': ['rolloutPolicies', 'cluster'],
  'joinery.dev/InstanceTypeCatalog': ['catalogues', 'cluster'],
}

/** What a manifest has before a server filled in the rest is made up so that equal input gives equal objects. */
const epoch = '1970-01-01T00:00:00Z'
/** Of what no server has stored: theirs are above it. */
export const unstoredVersion = '0'

/** Kinds that a simulation has no use for are left out: a folder of manifests holds more than nodes and pods. */
export function sortObjects(documents: readonly ManifestDocument[]): SimulationObjects {
  const objects = emptyObjects()
  for (const { content } of documents) {
    if (content.kind !== 'object') continue
    const { object } = content
    const place = placeOf(object)
    if (place === undefined) continue
    const [list, scope] = place
    const metadata = (object.metadata ?? {}) as Partial<k8s.ObjectMeta>
    const namespace = scope === 'namespaced' ? { namespace: metadata.namespace ?? 'default' } : {}
    const name = metadata.name ?? ''
    const uid = `${object.kind ?? ''}/${namespace.namespace ?? ''}/${name}`
    const filled = { uid, resourceVersion: unstoredVersion, creationTimestamp: epoch, ...metadata, ...namespace, name }
    const target: unknown[] = objects[list]
    target.push({ ...object, metadata: filled })
  }
  return objects
}

interface Typed {
  readonly apiVersion?: unknown
  readonly kind?: unknown
}

export function isSimulationKind(object: Typed): boolean {
  return placeOf(object) !== undefined
}

/** By which an API server tells objects apart; undefined for what is none of a simulation. */
export function identityOf(object: Typed & { readonly metadata?: unknown }): string | undefined {
  const place = placeOf(object)
  const { name = '', namespace = 'default' } = (object.metadata ?? {}) as Partial<k8s.ObjectMeta>
  if (place === undefined) return undefined
  const [list, scope] = place
  return `${list}/${scope === 'namespaced' ? namespace : ''}/${name}`
}

function placeOf({ apiVersion, kind }: Typed) {
  const group = typeof apiVersion === 'string' ? apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))) : ''
  const key = `${group}/${textOf(kind)}`
  return Object.hasOwn(listOf, key) ? listOf[key] : undefined
}

export function emptyObjects(): SimulationObjects {
  return {
    nodePools: [],
    nodeClasses: [],
    nodeOverlays: [],
    nodeClaims: [],
    nodes: [],
    pods: [],
    daemonSets: [],
    deployments: [],
    replicaSets: [],
    replicationControllers: [],
    statefulSets: [],
    services: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    podDisruptionBudgets: [],
    priorityClasses: [],
    namespaces: [],
    capacityBuffers: [],
    rolloutPolicies: [],
    podTemplates: [],
    resourceClaims: [],
    deviceClasses: [],
    resourceSlices: [],
    catalogues: [],
  }
}
