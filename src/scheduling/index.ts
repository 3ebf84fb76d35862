export type { DefaultSpreadConstraint } from './default-spread.ts'
export {
  defaultSettings,
  type FilteredPool,
  type MinValuesPolicy,
  prepareInSlices,
  type SchedulingSettings,
  type SolveContext,
} from './context.ts'
export { countByEffectiveZone, type EffectiveZone } from './effective-zone.ts'
export type { DestinationFilter } from './existing-nodes.ts'
export { instanceTypesMax } from './finalize.ts'
export { judgeCreation, remainingLimits, type CreationVerdict } from './limits.ts'
export { launchRequirements, type NewNodeClaim, toNodeClaim, toStaticNodeClaim } from './node-claim.ts'
export {
  choosePools,
  type ExcludedPool,
  type PoolChoice,
  templateAnnotations,
  templateLabels,
  templateRequirements,
  type UnresolvedPool,
} from './node-pools.ts'
export type {
  ExistingPlacement,
  NearestMiss,
  NodePlan,
  Placement,
  PodFailure,
  PodRefusal,
  PodRelaxation,
  PoolRefusal,
  RefusalReason,
} from './placement.ts'
export type { PreferencePolicy } from './pod-constraints.ts'
export { prepare } from './prepare.ts'
export type { ReservedMode } from './reservations.ts'
export { solve, solveInSlices, type SolveRequest } from './solver.ts'
