/** Names that travel: labels, annotations, taints, finalizers, tags. Spelled once, here. */

// Labels of Kubernetes and of clouds in general.
export const labelZone = 'topology.kubernetes.io/zone'
export const labelRegion = 'topology.kubernetes.io/region'
export const labelInstanceType = 'node.kubernetes.io/instance-type'
export const labelArch = 'kubernetes.io/arch'
export const labelOS = 'kubernetes.io/os'
export const labelHostname = 'kubernetes.io/hostname'
export const labelWindowsBuild = 'node.kubernetes.io/windows-build'

// Labels of Karpenter.
export const labelNodePool = 'karpenter.sh/nodepool'
export const labelCapacityType = 'karpenter.sh/capacity-type'
export const labelRegistered = 'karpenter.sh/registered'
export const labelInitialized = 'karpenter.sh/initialized'
/** On a node: taints come from its bootstrap, so registration does not copy them. */
export const labelDoNotSyncTaints = 'karpenter.sh/do-not-sync-taints'

export const capacityTypeSpot = 'spot'
export const capacityTypeOnDemand = 'on-demand'
export const capacityTypeReserved = 'reserved'
export const capacityTypes = [capacityTypeOnDemand, capacityTypeSpot, capacityTypeReserved] as const
export type CapacityType = (typeof capacityTypes)[number]

// Labels of the AWS provider.
export const awsGroup = 'karpenter.k8s.aws'
export const labelZoneID = 'topology.k8s.aws/zone-id'
export const labelEC2NodeClass = 'karpenter.k8s.aws/ec2nodeclass'
export const labelInstanceTenancy = 'karpenter.k8s.aws/instance-tenancy'
export const labelCapacityReservationType = 'karpenter.k8s.aws/capacity-reservation-type'
export const labelCapacityReservationID = 'karpenter.k8s.aws/capacity-reservation-id'
export const labelCapacityReservationInterruptible = 'karpenter.k8s.aws/capacity-reservation-interruptible'
export const labelEncryptionInTransit = 'karpenter.k8s.aws/instance-encryption-in-transit-supported'
export const labelNitroSandbox = 'karpenter.k8s.aws/nitro-sandbox'
export const labelInstanceCategory = 'karpenter.k8s.aws/instance-category'
export const labelInstanceHypervisor = 'karpenter.k8s.aws/instance-hypervisor'
export const labelInstanceFamily = 'karpenter.k8s.aws/instance-family'
export const labelInstanceGeneration = 'karpenter.k8s.aws/instance-generation'
export const labelInstanceLocalNVMe = 'karpenter.k8s.aws/instance-local-nvme'
export const labelInstanceSize = 'karpenter.k8s.aws/instance-size'
export const labelInstanceCPU = 'karpenter.k8s.aws/instance-cpu'
export const labelInstanceCPUManufacturer = 'karpenter.k8s.aws/instance-cpu-manufacturer'
export const labelInstanceCPUSustainedClockSpeedMHz = 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz'
export const labelInstanceMemory = 'karpenter.k8s.aws/instance-memory'
export const labelInstanceEBSBandwidth = 'karpenter.k8s.aws/instance-ebs-bandwidth'
export const labelInstanceNetworkBandwidth = 'karpenter.k8s.aws/instance-network-bandwidth'
export const labelInstanceGPUName = 'karpenter.k8s.aws/instance-gpu-name'
export const labelInstanceGPUManufacturer = 'karpenter.k8s.aws/instance-gpu-manufacturer'
export const labelInstanceGPUCount = 'karpenter.k8s.aws/instance-gpu-count'
export const labelInstanceGPUMemory = 'karpenter.k8s.aws/instance-gpu-memory'
export const labelInstanceAcceleratorName = 'karpenter.k8s.aws/instance-accelerator-name'
export const labelInstanceAcceleratorManufacturer = 'karpenter.k8s.aws/instance-accelerator-manufacturer'
export const labelInstanceAcceleratorCount = 'karpenter.k8s.aws/instance-accelerator-count'
export const labelInstanceCapabilityFlex = 'karpenter.k8s.aws/instance-capability-flex'
export const labelPlacementGroupID = 'karpenter.k8s.aws/placement-group-id'
export const labelPlacementGroupPartition = 'karpenter.k8s.aws/placement-group-partition'

export const tenancyDefault = 'default'
export const tenancyDedicated = 'dedicated'

/** Keys below karpenter.k8s.aws that schemas admit. All but the node class label are also well-known. */
export const awsLabelKeys: readonly string[] = [
  labelInstanceTenancy,
  labelCapacityReservationType,
  labelCapacityReservationID,
  labelCapacityReservationInterruptible,
  labelEC2NodeClass,
  labelEncryptionInTransit,
  labelNitroSandbox,
  labelInstanceCategory,
  labelInstanceHypervisor,
  labelInstanceFamily,
  labelInstanceGeneration,
  labelInstanceLocalNVMe,
  labelInstanceSize,
  labelInstanceCPU,
  labelInstanceCPUManufacturer,
  labelInstanceCPUSustainedClockSpeedMHz,
  labelInstanceMemory,
  labelInstanceEBSBandwidth,
  labelInstanceNetworkBandwidth,
  labelInstanceGPUName,
  labelInstanceGPUManufacturer,
  labelInstanceGPUCount,
  labelInstanceGPUMemory,
  labelInstanceAcceleratorName,
  labelInstanceAcceleratorManufacturer,
  labelInstanceAcceleratorCount,
  labelInstanceCapabilityFlex,
  labelPlacementGroupID,
  labelPlacementGroupPartition,
]

// Annotations.
export const annotationNodePoolHash = 'karpenter.sh/nodepool-hash'
export const annotationNodePoolHashVersion = 'karpenter.sh/nodepool-hash-version'
export const annotationEC2NodeClassHash = 'karpenter.k8s.aws/ec2nodeclass-hash'
export const annotationEC2NodeClassHashVersion = 'karpenter.k8s.aws/ec2nodeclass-hash-version'
export const annotationInstanceProfileName = 'karpenter.k8s.aws/instance-profile-name'
export const annotationTagged = 'karpenter.k8s.aws/tagged'
export const annotationClusterNameTagged = 'compatibility.karpenter.k8s.aws/cluster-name-tagged'
export const annotationDoNotDisrupt = 'karpenter.sh/do-not-disrupt'
export const annotationTerminationTimestamp = 'karpenter.sh/nodeclaim-termination-timestamp'
export const annotationMinValuesRelaxed = 'karpenter.sh/nodeclaim-min-values-relaxed'
export const annotationRequestedDRADrivers = 'karpenter.sh/requested-dra-drivers'
export const annotationPriceOverlayApplied = 'karpenter.sh/price-overlay-applied'
export const annotationCapacityOverlayApplied = 'karpenter.sh/capacity-overlay-applied'
export const annotationBufferFakePod = 'karpenter.sh/capacity-buffer-fake-pod'
export const annotationBufferName = 'karpenter.sh/capacity-buffer-name'
export const annotationBufferNamespace = 'karpenter.sh/capacity-buffer-namespace'

// Finalizers.
export const finalizerTermination = 'karpenter.sh/termination'
export const finalizerEC2NodeClass = 'karpenter.k8s.aws/termination'

// Taints.
const taintUnregisteredKey = 'karpenter.sh/unregistered'
export const taintDisruptedKey = 'karpenter.sh/disrupted'
export const taintUnregistered = Object.freeze({ key: taintUnregisteredKey, effect: 'NoExecute' } as const)
export const taintDisrupted = Object.freeze({ key: taintDisruptedKey, effect: 'NoSchedule' } as const)
/** Every taint whose key starts so is ephemeral, whatever its effect. */
const readinessTaintPrefix = 'readiness.k8s.io/'
/** Taints a starting node carries for a while: ignored before initialization, and gone when it is complete. Compared by key and effect. */
const knownEphemeralTaints = Object.freeze([
  Object.freeze({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const),
  Object.freeze({ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' } as const),
  Object.freeze({ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' } as const),
  Object.freeze({
    key: 'node.cloudprovider.kubernetes.io/uninitialized',
    value: 'true',
    effect: 'NoSchedule',
  } as const),
  taintUnregistered,
])

export function isKnownEphemeralTaint(taint: { readonly key: string; readonly effect: string }): boolean {
  return (
    taint.key.startsWith(readinessTaintPrefix) ||
    knownEphemeralTaints.some((known) => known.key === taint.key && known.effect === taint.effect)
  )
}

// EC2 tags.
export const tagName = 'Name'
export const tagNodePool = 'karpenter.sh/nodepool'
export const tagNodeClaim = 'karpenter.sh/nodeclaim'
export const tagEC2NodeClass = 'karpenter.k8s.aws/ec2nodeclass'
export const tagEKSClusterName = 'eks:eks-cluster-name'
export const tagClusterOwnedValue = 'owned'

export function clusterOwnedTagKey(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`
}

/** The label that ties claims and nodes to their node class: `<group>/<lowercased kind>`. */
export function nodeClassLabelKey(reference: { readonly group: string; readonly kind: string }): string {
  return `${reference.group}/${reference.kind.toLowerCase()}`
}
