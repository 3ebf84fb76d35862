import type * as k8s from '../api/kubernetes.ts'
import type { Resource } from './resource.ts'

function resource<T extends k8s.KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced: boolean,
): Resource<T> {
  return Object.freeze({ group, version, kind, plural, namespaced })
}

export const pods = resource<k8s.Pod>('', 'v1', 'Pod', 'pods', true)
export const nodes = resource<k8s.Node>('', 'v1', 'Node', 'nodes', false)
export const namespaces = resource<k8s.Namespace>('', 'v1', 'Namespace', 'namespaces', false)
export const services = resource<k8s.Service>('', 'v1', 'Service', 'services', true)
export const events = resource<k8s.Event>('', 'v1', 'Event', 'events', true)
export const podTemplates = resource<k8s.PodTemplate>('', 'v1', 'PodTemplate', 'podtemplates', true)
export const persistentVolumes = resource<k8s.PersistentVolume>(
  '',
  'v1',
  'PersistentVolume',
  'persistentvolumes',
  false,
)
export const persistentVolumeClaims = resource<k8s.PersistentVolumeClaim>(
  '',
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
  true,
)
export const deployments = resource<k8s.Deployment>('apps', 'v1', 'Deployment', 'deployments', true)
export const replicaSets = resource<k8s.ReplicaSet>('apps', 'v1', 'ReplicaSet', 'replicasets', true)
export const replicationControllers = resource<k8s.ReplicationController>(
  '',
  'v1',
  'ReplicationController',
  'replicationcontrollers',
  true,
)
export const statefulSets = resource<k8s.StatefulSet>('apps', 'v1', 'StatefulSet', 'statefulsets', true)
export const daemonSets = resource<k8s.DaemonSet>('apps', 'v1', 'DaemonSet', 'daemonsets', true)
export const podDisruptionBudgets = resource<k8s.PodDisruptionBudget>(
  'policy',
  'v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
  true,
)
export const storageClasses = resource<k8s.StorageClass>(
  'storage.k8s.io',
  'v1',
  'StorageClass',
  'storageclasses',
  false,
)
export const csiNodes = resource<k8s.CSINode>('storage.k8s.io', 'v1', 'CSINode', 'csinodes', false)
export const volumeAttachments = resource<k8s.VolumeAttachment>(
  'storage.k8s.io',
  'v1',
  'VolumeAttachment',
  'volumeattachments',
  false,
)
export const priorityClasses = resource<k8s.PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'PriorityClass',
  'priorityclasses',
  false,
)
export const leases = resource<k8s.Lease>('coordination.k8s.io', 'v1', 'Lease', 'leases', true)
export const resourceSlices = resource<k8s.ResourceSlice>(
  'resource.k8s.io',
  'v1',
  'ResourceSlice',
  'resourceslices',
  false,
)
export const resourceClaims = resource<k8s.ResourceClaim>(
  'resource.k8s.io',
  'v1',
  'ResourceClaim',
  'resourceclaims',
  true,
)
export const deviceClasses = resource<k8s.DeviceClass>('resource.k8s.io', 'v1', 'DeviceClass', 'deviceclasses', false)
