/** The AWS adapter of the cloud port; its clients for the real AWS are in `sdk-clients.ts`, which loads the whole SDK. */
export { type AWSCloud, type AWSDependencies, createAWSCloudProvider } from './create-aws-cloud.ts'
export type { NodeClassHash, ObjectLookup } from './aws-cloud-provider.ts'
export {
  type ClusterFactInputs,
  type ClusterFacts,
  discoverCluster,
} from './eks-cluster/cluster.ts'
export { VersionProvider } from './eks-cluster/version-provider.ts'
export type { AWSGates, AWSSettings } from './settings.ts'
export { checkEC2Connectivity, clusterARN } from './start.ts'
