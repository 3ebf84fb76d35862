/** The wire types of the kinds this project serves, generated from schemas/. */

export type { CapacityBuffer } from './generated/capacitybuffer.gen.ts'
export type {
  BlockDevice,
  BlockDeviceMapping,
  EC2NodeClass,
  EC2NodeClassSpec,
  EC2NodeClassStatus,
  ImageRevision,
  MetadataOptions,
  NetworkInterface,
  NamedImage,
  PinnedImages,
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
  InstanceTypeCatalog,
} from './generated/instancetypecatalog.gen.ts'
export type {
  NodeClaim,
  NodeClaimRequirement,
} from './generated/nodeclaim.gen.ts'
export type {
  NodeOverlay,
  NodeOverlaySpec,
} from './generated/nodeoverlay.gen.ts'
export type {
  NodePool,
  NodePoolBudget,
  NodePoolDisruption,
  NodePoolRequirement,
  NodePoolRolloutStatus,
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
  RolloutNodePoolStatus,
  RolloutPolicy,
  RolloutPolicySpec,
  RolloutOrder,
  RolloutPendingNode,
  RolloutPolicyStatus,
  RolloutPrometheusGate,
  RolloutRate,
  RolloutRateStatus,
  RolloutStep,
  RolloutTerms,
} from './generated/rolloutpolicy.gen.ts'
export { customResourceDefinitions } from './generated/crds.gen.ts'
