/** The AWS adapter of the cloud port. */
export { type AWSCloud, type AWSDependencies, createAWSCloudProvider } from './create-aws-cloud.ts'
export type { NodeClassHash, ObjectLookup } from './aws-cloud-provider.ts'
export {
  type ClusterFactInputs,
  type ClusterFacts,
  discoverCluster,
} from './eks-cluster/cluster.ts'
export { VersionProvider } from './eks-cluster/version-provider.ts'
export type { AWSGates, AWSSettings } from './settings.ts'
export { createSDKClients, type SDKClientOptions } from './sdk-clients.ts'
export { checkEC2Connectivity, clusterARN } from './start.ts'
