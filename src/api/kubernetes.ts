/**
 * The shapes of Kubernetes' own objects as they travel: JSON, with quantities and timestamps as text. Only the fields this project
 * reads or writes are named; objects keep whatever else they carry. Client-node's classes are not used because they turn
 * timestamps into Date and drop unknown fields.
 */

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ObjectMeta {
  name: string
  generateName?: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: unknown[]
}

/** Any object as an API server stores it. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

/** What a client sends to create an object: the server fills in the rest of the metadata. */
export type Unsaved<T extends KubeObject> = Omit<T, 'metadata'> & { metadata: Partial<ObjectMeta> }

/** metav1.Condition, and the older core conditions, which lack observedGeneration. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime: string
  reason?: string
  message?: string
  observedGeneration?: number
}

export type QuantityText = string | number
export type ResourceListText = Record<string, QuantityText>

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  key: string
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  values?: string[]
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

export interface Taint {
  key: string
  value?: string
  effect: TaintEffect
  timeAdded?: string
}

/** Empty texts mean what missing fields do. The API server leaves them out; manifests in files may have them. */
export interface Toleration {
  key?: string
  operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt' | ''
  value?: string
  effect?: TaintEffect | ''
  tolerationSeconds?: number
}

export interface NodeSelectorRequirement {
  key: string
  operator: string
  values?: string[]
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[]
  matchFields?: NodeSelectorRequirement[]
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] }
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[]
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  namespaces?: string[]
  namespaceSelector?: LabelSelector
  topologyKey: string
  matchLabelKeys?: string[]
  mismatchLabelKeys?: string[]
}

export interface WeightedPodAffinityTerm {
  weight: number
  podAffinityTerm: PodAffinityTerm
}

interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

export interface Affinity {
  nodeAffinity?: NodeAffinity
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: 'Honor' | 'Ignore'
  nodeTaintsPolicy?: 'Honor' | 'Ignore'
  matchLabelKeys?: string[]
}

interface ContainerPort {
  containerPort: number
  hostPort?: number
  hostIP?: string
  protocol?: string
  name?: string
}

interface ResourceRequirements {
  requests?: ResourceListText
  limits?: ResourceListText
  claims?: { name: string; request?: string }[]
}

export interface Container {
  name: string
  image?: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: unknown }[]
  ports?: ContainerPort[]
  resources?: ResourceRequirements
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
}

export interface Volume {
  name: string
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean }
  ephemeral?: { volumeClaimTemplate?: { metadata?: Partial<ObjectMeta>; spec: PersistentVolumeClaimSpec } }
  [source: string]: unknown
}

export interface PodSpec {
  nodeName?: string
  hostname?: string
  subdomain?: string
  schedulerName?: string
  priority?: number
  priorityClassName?: string
  preemptionPolicy?: string
  nodeSelector?: Record<string, string>
  affinity?: Affinity
  tolerations?: Toleration[]
  topologySpreadConstraints?: TopologySpreadConstraint[]
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
  overhead?: ResourceListText
  resources?: ResourceRequirements
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[]
  schedulingGates?: { name: string }[]
  terminationGracePeriodSeconds?: number
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  serviceAccountName?: string
  hostNetwork?: boolean
  runtimeClassName?: string
}

export interface ContainerStatus {
  name: string
  ready?: boolean
  restartCount?: number
  state?: Record<string, unknown>
  resources?: ResourceRequirements
  allocatedResources?: ResourceListText
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  conditions?: Partial<Condition>[]
  nominatedNodeName?: string
  startTime?: string
  reason?: string
  message?: string
  podIP?: string
  resize?: string
  containerStatuses?: ContainerStatus[]
  initContainerStatuses?: ContainerStatus[]
  resourceClaimStatuses?: { name: string; resourceClaimName?: string }[]
}

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: PodStatus
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime?: string
}

interface NodeStatus {
  capacity?: ResourceListText
  allocatable?: ResourceListText
  conditions?: Partial<NodeCondition>[]
  addresses?: { type: string; address: string }[]
  nodeInfo?: Record<string, string>
  phase?: string
}

export interface Node extends KubeObject {
  spec: { providerID?: string; taints?: Taint[]; unschedulable?: boolean; podCIDR?: string }
  status?: NodeStatus
}

export interface PodTemplateSpec {
  metadata?: Partial<ObjectMeta>
  spec: PodSpec
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number
    selector: LabelSelector
    template: PodTemplateSpec
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } }
    paused?: boolean
    revisionHistoryLimit?: number
    minReadySeconds?: number
    progressDeadlineSeconds?: number
  }
  status?: Record<string, unknown>
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplateSpec; minReadySeconds?: number }
  status?: Record<string, unknown>
}

export interface ReplicationController extends KubeObject {
  spec?: { replicas?: number; selector?: Record<string, string>; template?: PodTemplateSpec }
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number
    selector: LabelSelector
    template: PodTemplateSpec
    serviceName?: string
    podManagementPolicy?: string
    ordinals?: { start?: number }
    volumeClaimTemplates?: { metadata: Partial<ObjectMeta>; spec: PersistentVolumeClaimSpec }[]
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } }
    revisionHistoryLimit?: number
    minReadySeconds?: number
  }
  status?: Record<string, unknown>
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector
    template: PodTemplateSpec
    updateStrategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string } }
    revisionHistoryLimit?: number
    minReadySeconds?: number
  }
  status?: Record<string, unknown>
}

export interface ControllerRevision extends KubeObject {
  /** As those of StatefulSets and DaemonSets have it: a patch that brings the template back. */
  data?: { spec?: { template?: PodTemplateSpec & { $patch?: string } } }
  revision: number
}

export interface PodDisruptionBudget extends KubeObject {
  spec: {
    selector?: LabelSelector
    minAvailable?: number | string
    maxUnavailable?: number | string
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  status?: {
    disruptionsAllowed?: number
    currentHealthy?: number
    desiredHealthy?: number
    expectedPods?: number
    /** When the eviction of each of these pods was granted. */
    disruptedPods?: Record<string, string>
    observedGeneration?: number
    conditions?: Condition[]
  }
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[]
  selector?: LabelSelector
  storageClassName?: string
  volumeName?: string
  resources?: ResourceRequirements
  volumeMode?: string
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: PersistentVolumeClaimSpec
  status?: { phase?: string }
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

/** resource.k8s.io/v1: devices that a DRA driver offers, a part of a pool. Reachable from one node, from some, or from all. */
export interface ResourceSlice extends KubeObject {
  spec: {
    driver: string
    nodeName?: string
    nodeSelector?: NodeSelector
    allNodes?: boolean
    /** Each device says for itself which nodes reach it. */
    perDeviceNodeSelection?: boolean
    pool: { name: string; generation: number; resourceSliceCount: number }
    devices?: Device[]
    sharedCounters?: CounterSet[]
  }
}

export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[]
}

export interface Device {
  name: string
  attributes?: Record<string, DeviceAttribute>
  capacity?: Record<string, { value: QuantityText; requestPolicy?: CapacityRequestPolicy }>
  consumesCounters?: { counterSet: string; counters: Record<string, { value: QuantityText }> }[]
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  taints?: { key: string; value?: string; effect: string }[]
  allowMultipleAllocations?: boolean
}

/** Exactly one field is set. */
export interface DeviceAttribute {
  bool?: boolean
  int?: number
  string?: string
  version?: string
}

export interface CapacityRequestPolicy {
  default?: QuantityText
  validValues?: QuantityText[]
  validRange?: { min: QuantityText; max?: QuantityText; step?: QuantityText }
}

export interface CounterSet {
  name: string
  counters: Record<string, { value: QuantityText }>
}

export interface DeviceSelector {
  cel?: { expression: string }
}

/** resource.k8s.io/v1. */
export interface DeviceClass extends KubeObject {
  spec: { selectors?: DeviceSelector[] }
}

/** What one request or one of its alternatives asks for. */
export interface DeviceSubRequest {
  deviceClassName: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  count?: number
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string }[]
  capacity?: { requests?: ResourceListText }
}

/** Either `exactly` or `firstAvailable`. */
export interface DeviceRequest {
  name: string
  exactly?: DeviceSubRequest & { adminAccess?: boolean }
  firstAvailable?: (DeviceSubRequest & { name: string })[]
}

export interface DeviceConstraint {
  requests?: string[]
  matchAttribute?: string
  distinctAttribute?: string
}

/** resource.k8s.io/v1: devices that one or several pods want. */
export interface ResourceClaim extends KubeObject {
  spec: { devices?: { requests?: DeviceRequest[]; constraints?: DeviceConstraint[] } }
  status?: {
    allocation?: {
      devices?: { results?: DeviceAllocationResult[] }
      nodeSelector?: NodeSelector
    }
    reservedFor?: { apiGroup?: string; resource: string; name: string; uid: string }[]
  }
}

interface DeviceAllocationResult {
  request: string
  driver: string
  pool: string
  device: string
  adminAccess?: boolean
  /** Of a device that several may have. */
  shareID?: string
  consumedCapacity?: ResourceListText
}

export interface PriorityClass extends KubeObject {
  value: number
  globalDefault?: boolean
  preemptionPolicy?: string
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string }
}

export interface Service extends KubeObject {
  spec: { selector?: Record<string, string>; clusterIP?: string; ports?: unknown[]; [field: string]: unknown }
  status?: { loadBalancer?: { ingress?: { hostname?: string; ip?: string }[] } }
}

export interface PodTemplate extends KubeObject {
  template: PodTemplateSpec
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

export interface Event extends KubeObject {
  involvedObject: {
    apiVersion?: string
    kind?: string
    namespace?: string
    name?: string
    uid?: string
    fieldPath?: string
  }
  reason?: string
  message?: string
  type?: 'Normal' | 'Warning'
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
  firstTimestamp?: string
  lastTimestamp?: string
  eventTime?: string | null
  count?: number
  series?: { count?: number; lastObservedTime?: string }
  action?: string
}
