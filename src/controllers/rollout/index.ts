/** Controllers of RolloutPolicies, and what they tell the rest: the gate of disruption, and why nodes are to be replaced. */
export { RolloutBook } from './book.ts'
export { rolloutController } from './controller.ts'
export { expirySource } from './expiry-source.ts'
export { Fleet } from './fleet.ts'
export { metricGate, type MetricQuery, type MetricReading } from './metric-gate.ts'
export { ownDriftSource } from './own-drift-source.ts'
export { steeringControllers } from './steering.ts'
