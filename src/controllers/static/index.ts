export { staticDeprovisioning, type StaticDeprovisioningDeps } from './deprovisioning.ts'
export { createStaticClaim, nodeLimitOf, staticProvisioning, type StaticProvisioningDeps } from './provisioning.ts'
