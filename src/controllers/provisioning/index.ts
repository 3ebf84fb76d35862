export { Batcher, type BatcherOptions } from './batcher.ts'
export { createClaim, type CreateClaimDeps, LimitExceededError } from './create-claim.ts'
export { PreferenceWarnings } from './preference-warnings.ts'
export { type BufferPods, podsOfDeletingNodes, provisioner, type ProvisionerDeps } from './provisioner.ts'
export type {
  FailedPod,
  IgnoredPod,
  PlannedClaim,
  PoolNotice,
  SolveOutcome,
  Solver,
  SolveRequest,
} from './solver-port.ts'
export { nodeTrigger, podTrigger, type TriggerDeps } from './triggers.ts'
