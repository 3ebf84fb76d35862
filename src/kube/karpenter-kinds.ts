import type { CapacityBuffer, EC2NodeClass, NodeClaim, NodeOverlay, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import { defineResource } from './resource.ts'

export const nodePools = defineResource<NodePool>({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  scope: 'Cluster',
})
export const nodeClaims = defineResource<NodeClaim>({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  scope: 'Cluster',
})
export const nodeOverlays = defineResource<NodeOverlay>({
  group: 'karpenter.sh',
  version: 'v1alpha1',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  scope: 'Cluster',
})
export const ec2NodeClasses = defineResource<EC2NodeClass>({
  group: 'karpenter.k8s.aws',
  version: 'v1',
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
  scope: 'Cluster',
})
export const capacityBuffers = defineResource<CapacityBuffer>({
  group: 'autoscaling.x-k8s.io',
  version: 'v1beta1',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  scope: 'Namespaced',
})
export const rolloutPolicies = defineResource<RolloutPolicy>({
  group: 'joinery.dev',
  version: 'v1alpha1',
  kind: 'RolloutPolicy',
  plural: 'rolloutpolicies',
  scope: 'Cluster',
  optional: true,
})
