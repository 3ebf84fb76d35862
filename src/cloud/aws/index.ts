/** The AWS adapter of the cloud port; its clients for the real AWS are in `sdk-clients.ts`, which loads the whole SDK. */
export { type AWSCloud, createAWSCloudProvider } from './create-aws-cloud.ts'
export type { NodeClassHash } from './aws-cloud-provider.ts'
export { discoverCluster } from './eks-cluster/cluster.ts'
export { VersionProvider } from './eks-cluster/version-provider.ts'
export type { AWSGates } from './settings.ts'
export { checkEC2Connectivity, clusterARN } from './start.ts'
