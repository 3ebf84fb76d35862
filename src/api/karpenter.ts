/** The wire types of the kinds this project serves, generated from schemas/. */

export type { CapacityBuffer, CapacityBufferSpec, CapacityBufferStatus } from './generated/capacitybuffer.gen.ts'
export type {
  AMIRequirement,
  AMISelectorTerm,
  BlockDevice,
  BlockDeviceMapping,
  CapacityReservationSelectorTerm,
  ConnectionTracking,
  CPUOptions,
  EC2NodeClass,
  EC2NodeClassSpec,
  EC2NodeClassStatus,
  ImageRevision,
  MetadataOptions,
  NetworkInterface,
  NamedImage,
  PinnedImages,
  PlacementGroupSelector,
  ResolvedAMI,
  ResolvedCapacityReservation,
  ResolvedSecurityGroup,
  ResolvedSubnet,
  SecurityGroupSelectorTerm,
  SubnetSelectorTerm,
} from './generated/ec2nodeclass.gen.ts'
export type {
  CatalogInstanceType,
  CatalogOffering,
  CatalogOverhead,
  CatalogRequirement,
  InstanceTypeCatalog,
} from './generated/instancetypecatalog.gen.ts'
export type {
  NodeClaim,
  NodeClaimRequirement,
  NodeClaimResources,
  NodeClaimSpec,
  NodeClaimStatus,
  NodeClassReference,
} from './generated/nodeclaim.gen.ts'
export type {
  NodeOverlay,
  NodeOverlayRequirement,
  NodeOverlaySpec,
  NodeOverlayStatus,
} from './generated/nodeoverlay.gen.ts'
export type {
  NodePool,
  NodePoolBudget,
  NodePoolDisruption,
  NodePoolRequirement,
  NodePoolRolloutStatus,
  NodePoolSpec,
  NodePoolStatus,
  NodePoolTemplate,
  NodePoolTemplateMetadata,
  NodePoolTemplateSpec,
} from './generated/nodepool.gen.ts'
export type {
  RolloutApproval,
  RolloutBlackout,
  RolloutFailure,
  RolloutGates,
  RolloutHistoryEntry,
  RolloutNodeConditionGate,
  RolloutNodePoolSelector,
  RolloutNodePoolStatus,
  RolloutPolicy,
  RolloutPolicySpec,
  RolloutOrder,
  RolloutPendingNode,
  RolloutPolicyStatus,
  RolloutPrometheusGate,
  RolloutRate,
  RolloutRateStatus,
  RolloutSelectorExpression,
  RolloutStep,
  RolloutTerms,
  RolloutWindow,
} from './generated/rolloutpolicy.gen.ts'
export { customResourceDefinitions } from './generated/crds.gen.ts'
