export { awaitedPods, awaitedPodsGate } from './awaited-pods.ts'
export { PodBatcher } from './pod-batcher.ts'
export { createClaim } from './create-claim.ts'
export { nominations } from './nominations.ts'
export { PreferenceWarnings } from './preference-warnings.ts'
export { Promises } from './promises.ts'
export { type SchedulerWords, schedulerWordsIn } from './scheduler-words.ts'
export { heldPoolsText, provisioner, withoutHeld } from './provisioner.ts'
export type {
  FailedPod,
  PlannedClaim,
  PoolNotice,
  SolveOutcome,
  Solver,
  ProvisioningSolveRequest,
} from './solver-port.ts'
export { nodeTrigger, podTrigger, poolTrigger } from './triggers.ts'
