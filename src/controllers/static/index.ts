export { staticDeprovisioning } from './deprovisioning.ts'
export { createStaticClaim, nodeLimitOf, staticProvisioning } from './provisioning.ts'
