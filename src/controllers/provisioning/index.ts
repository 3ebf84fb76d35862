export { Batcher } from './batcher.ts'
export { type ClaimWritten, createClaim } from './create-claim.ts'
export { PreferenceWarnings } from './preference-warnings.ts'
export { provisioner, withoutHeld } from './provisioner.ts'
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
