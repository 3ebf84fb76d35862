export { nodeClaimHydration } from './hydration.ts'
export { type LifecycleDeps, nodeClaimLifecycle } from './lifecycle.ts'
export { type MachineLookup, machineLookup } from './lookup.ts'
export type { RegistrationHealth } from './registration-health.ts'
