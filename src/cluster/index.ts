export { ClusterState } from './cluster-state.ts'
export { gatherInstanceTypes, type InstanceTypeSource, instanceTypesFromCloud } from './instance-types.ts'
export {
  type ConfigMap,
  configMaps,
  packInstanceTypes,
  publishedBytesMax,
  publishedInstanceTypes,
  unpackInstanceTypes,
} from './published-instance-types.ts'
export { missedPods } from './missed-pods.ts'
export type { PlanBasis, PlanLedger } from './plan-ledger.ts'
export { PoolCostTracker } from './pool-cost.ts'
export type { PodTimes } from './pod-times.ts'
export { stateSyncController } from './state-sync.ts'
