export { Batcher } from './batcher.ts'
export { createClaim } from './create-claim.ts'
export { PreferenceWarnings } from './preference-warnings.ts'
export { provisioner } from './provisioner.ts'
export type {
  FailedPod,
  IgnoredPod,
  PlannedClaim,
  PoolNotice,
  SolveOutcome,
  Solver,
  SolveRequest,
} from './solver-port.ts'
export { nodeTrigger, podTrigger } from './triggers.ts'
