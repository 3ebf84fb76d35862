/** The rollout engine: what a policy lets happen next, from what was observed. */
export { advance } from './advance.ts'
export { classFacts } from './class-facts.ts'
export { claimExpiryTime, expiryTime } from './expiry.ts'
export { type Governance, govern, takesPart } from './govern.ts'
export { nodeReadyTimeoutMs } from './new-nodes.ts'
export { type ClosedGate, gateOfPolicies, type PolicyView, policyView, viewAfter } from './policy-view.ts'
export type {
  ApprovalFacts,
  AskedMetric,
  MetricAnswer,
  NodeFacts,
  PodFacts,
  PoolFacts,
  RolloutInput,
} from './input.ts'
export { windowHold } from './policy-gate.ts'
export { type RateResult, spendRate } from './rate.ts'
export type {
  NodeLane,
  PolicyGate,
  RolloutStepResult,
  Transition,
} from './result.ts'
export { windowState } from './windows.ts'
