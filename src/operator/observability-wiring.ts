import {
  type ConditionTypes,
  ec2NodeClassConditions,
  nodeClaimConditions,
  nodePoolConditions,
} from '../api/conditions.ts'
import {
  type ConditionedObject,
  nodeMetricsController,
  nodePoolMetricsController,
  podMetricsController,
  statusConditionController,
} from '../controllers/metrics/index.ts'
import { measuredKinds } from '../controllers/status-metric-table.ts'
import { capacityBuffers, ec2NodeClasses, nodeClaims, nodePools } from '../kube/karpenter-kinds.ts'
import { nodes } from '../kube/kinds.ts'
import type { Resource } from '../kube/resource.ts'
import type { AnyController, CommonParts } from './parts.ts'

/** Metrics of nodes, pools and pods, and of the conditions of each kind. */
export function observabilityControllers(parts: CommonParts): readonly AnyController[] {
  const { caches, clock, families, state, recorder, metrics } = parts
  const status = { caches, clock, recorder, metrics }
  const reservedCapacity = parts.options.featureGates['ReservedCapacity'] === true
  const kinds: readonly (readonly [Resource, (typeof measuredKinds)[keyof typeof measuredKinds], ConditionTypes?])[] = [
    [nodeClaims, measuredKinds.nodeClaim, nodeClaimConditions],
    [nodePools, measuredKinds.nodePool, nodePoolConditions],
    [nodes, measuredKinds.node],
    [ec2NodeClasses, measuredKinds.nodeClass, ec2NodeClassConditions({ reservedCapacity })],
    ...(parts.options.featureGates['CapacityBuffer'] === true
      ? ([[capacityBuffers, measuredKinds.capacityBuffer]] as const)
      : []),
  ]
  return [
    nodeMetricsController({ cluster: state, clock, metrics: families }),
    nodePoolMetricsController({ caches, metrics: families }),
    podMetricsController({ caches, clock, metrics: families, cluster: state }),
    ...kinds.map(([resource, kind, opened]) =>
      statusConditionController(status, resource as Resource<ConditionedObject>, kind, opened),
    ),
  ]
}
