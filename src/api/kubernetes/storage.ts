import type { KubeObject } from './object.ts'
import type { ResourceListText, ResourceRequirements } from './quantity.ts'
import type { LabelSelector, NodeSelectorTerm } from './selector.ts'

export interface PersistentVolumeClaim extends KubeObject {
  spec: PersistentVolumeClaimSpec
  status?: { phase?: string; capacity?: ResourceListText }
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[]
  selector?: LabelSelector
  storageClassName?: string
  volumeName?: string
  resources?: ResourceRequirements
  volumeMode?: string
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[]
    capacity?: ResourceListText
    persistentVolumeReclaimPolicy?: string
    volumeMode?: string
    storageClassName?: string
    claimRef?: { apiVersion?: string; kind?: string; namespace?: string; name?: string; uid?: string }
    csi?: { driver: string; volumeHandle?: string }
    local?: { path: string }
    hostPath?: { path: string }
    awsElasticBlockStore?: { volumeID: string }
    nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } }
    [source: string]: unknown
  }
  status?: { phase?: string }
}

export interface StorageClass extends KubeObject {
  provisioner: string
  reclaimPolicy?: string
  allowVolumeExpansion?: boolean
  mountOptions?: string[]
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[]
}

export interface CSINode extends KubeObject {
  spec: { drivers: { name: string; nodeID?: string; allocatable?: { count?: number } }[] }
}

export interface VolumeAttachment extends KubeObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName?: string } }
  status?: { attached: boolean }
}
