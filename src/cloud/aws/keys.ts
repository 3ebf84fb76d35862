/** The names this provider deals in, spelled once in the API's own list. */
import {
  labelEncryptionInTransit,
  labelInstanceAcceleratorCount,
  labelInstanceAcceleratorManufacturer,
  labelInstanceAcceleratorName,
  labelInstanceCapabilityFlex,
  labelInstanceCategory,
  labelInstanceCPU,
  labelInstanceCPUManufacturer,
  labelInstanceCPUSustainedClockSpeedMHz,
  labelInstanceEBSBandwidth,
  labelInstanceFamily,
  labelInstanceGeneration,
  labelInstanceGPUCount,
  labelInstanceGPUManufacturer,
  labelInstanceGPUMemory,
  labelInstanceGPUName,
  labelInstanceHypervisor,
  labelInstanceLocalNVMe,
  labelInstanceMemory,
  labelInstanceNetworkBandwidth,
  labelInstanceSize,
} from '../../api/labels.ts'
import { awsVocabulary } from '../../api/label-rules.ts'
import type { LabelAliases } from '../../model/requirements.ts'

export {
  annotationClusterNameTagged as clusterNameTaggedAnnotation,
  annotationEC2NodeClassHash as hashAnnotation,
  annotationEC2NodeClassHashVersion as hashVersionAnnotation,
  annotationInstanceProfileName as instanceProfileAnnotation,
  annotationMinValuesRelaxed as minValuesRelaxedAnnotation,
  annotationPriceOverlayApplied as priceOverlayAppliedAnnotation,
  annotationTagged as taggedAnnotation,
  awsGroup as nodeClassGroup,
  labelArch as archKey,
  labelCapacityReservationID as reservationIDKey,
  labelCapacityReservationInterruptible as reservationInterruptibleKey,
  labelCapacityReservationType as reservationTypeKey,
  labelCapacityType as capacityTypeKey,
  labelDoNotSyncTaints as doNotSyncTaintsKey,
  labelEC2NodeClass as nodeClassKey,
  labelInstanceTenancy as tenancyKey,
  labelInstanceType as instanceTypeKey,
  labelNitroSandbox as nitroSandboxKey,
  labelNodePool as nodePoolKey,
  labelOS as osKey,
  labelPlacementGroupID as placementGroupIDKey,
  labelPlacementGroupPartition as placementGroupPartitionKey,
  labelRegion as regionKey,
  labelRegistered as registeredKey,
  labelWindowsBuild as windowsBuildKey,
  labelZone as zoneKey,
  labelZoneID as zoneIDKey,
  tagEKSClusterName as clusterNameTag,
  tagName as nameTag,
  tagNodeClaim as nodeClaimKey,
  taintUnregistered as unregisteredTaint,
  type CapacityType,
} from '../../api/labels.ts'

export const nodeClassKind = 'EC2NodeClass'
export const launchTemplatePrefix = 'karpenter.k8s.aws/'

/** What DescribeInstanceTypes tells about a type, as labels. */
export const instanceKeys = {
  cpu: labelInstanceCPU,
  cpuManufacturer: labelInstanceCPUManufacturer,
  clockSpeed: labelInstanceCPUSustainedClockSpeedMHz,
  memory: labelInstanceMemory,
  ebsBandwidth: labelInstanceEBSBandwidth,
  networkBandwidth: labelInstanceNetworkBandwidth,
  category: labelInstanceCategory,
  generation: labelInstanceGeneration,
  family: labelInstanceFamily,
  size: labelInstanceSize,
  flex: labelInstanceCapabilityFlex,
  localNVMe: labelInstanceLocalNVMe,
  gpuName: labelInstanceGPUName,
  gpuManufacturer: labelInstanceGPUManufacturer,
  gpuCount: labelInstanceGPUCount,
  gpuMemory: labelInstanceGPUMemory,
  acceleratorName: labelInstanceAcceleratorName,
  acceleratorManufacturer: labelInstanceAcceleratorManufacturer,
  acceleratorCount: labelInstanceAcceleratorCount,
  hypervisor: labelInstanceHypervisor,
  encryptionInTransit: labelEncryptionInTransit,
} as const

/** Labels that a claim may leave undefined when it is matched with types and offerings. */
export const wellKnownLabels: ReadonlySet<string> = awsVocabulary.wellKnown
export const labelAliases: LabelAliases = awsVocabulary.aliases

export const resourceNames = {
  podENI: 'vpc.amazonaws.com/pod-eni',
  privateIPv4: 'vpc.amazonaws.com/PrivateIPv4Address',
  efa: 'vpc.amazonaws.com/efa',
  nvidiaGPU: 'nvidia.com/gpu',
  amdGPU: 'amd.com/gpu',
  gaudi: 'habana.ai/gaudi',
  neuron: 'aws.amazon.com/neuron',
  neuronCore: 'aws.amazon.com/neuroncore',
  nitroSandbox: 'eks.amazonaws.com/nitro-sandbox',
} as const

export type ReservationType = 'default' | 'capacity-block'
