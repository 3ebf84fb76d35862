import type { CapacityBuffer, EC2NodeClass, NodeClaim, NodeOverlay, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import type { Resource } from './resource.ts'

function resource<T extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced: boolean,
): Resource<T> {
  return Object.freeze({ group, version, kind, plural, namespaced })
}

function optional<T extends KubeObject>(kind: Resource<T>): Resource<T> {
  return Object.freeze({ ...kind, optional: true })
}

export const nodePools = resource<NodePool>('karpenter.sh', 'v1', 'NodePool', 'nodepools', false)
export const nodeClaims = resource<NodeClaim>('karpenter.sh', 'v1', 'NodeClaim', 'nodeclaims', false)
export const nodeOverlays = resource<NodeOverlay>('karpenter.sh', 'v1alpha1', 'NodeOverlay', 'nodeoverlays', false)
export const ec2NodeClasses = resource<EC2NodeClass>('karpenter.k8s.aws', 'v1', 'EC2NodeClass', 'ec2nodeclasses', false)
export const capacityBuffers = resource<CapacityBuffer>(
  'autoscaling.x-k8s.io',
  'v1beta1',
  'CapacityBuffer',
  'capacitybuffers',
  true,
)
export const rolloutPolicies = optional(
  resource<RolloutPolicy>('joinery.dev', 'v1alpha1', 'RolloutPolicy', 'rolloutpolicies', false),
)
