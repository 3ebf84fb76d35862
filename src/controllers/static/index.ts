export { staticDeprovisioning } from './deprovisioning.ts'
export { createStaticClaim, staticProvisioning } from './provisioning.ts'
