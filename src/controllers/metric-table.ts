import { awsMetricTable } from '../cloud/aws/metric-table.ts'
import { defaultBuckets, exponentialBuckets, nodeLifetimeBuckets } from '../kube/metric-buckets.ts'
import {
  type Accessors,
  counter,
  defineTable,
  duration,
  gauge,
  histogram,
  type MetricRow,
  summary,
} from '../kube/metric-row.ts'
import type { Metrics } from '../kube/metrics.ts'
import { nodeMetricLabels } from './metric-labels.ts'
import { statusMetricTable } from './status-metric-table.ts'

/** Every metric the controllers publish, typed by its labels: `metrics.nodeClaimsCreated.increment({ reason, nodepool })`. */
export type ControllerMetrics = Accessors<typeof metricTable>

export function defineMetrics(metrics: Metrics): ControllerMetrics {
  const accessors = defineTable(metrics, metricTable)
  for (const type of ['multi', 'single']) {
    accessors.consolidationTimeouts.increment({ consolidation_type: type }, 0)
  }
  return accessors
}

const nodeGaugeLabels = [...nodeMetricLabels, 'node_name', 'phase', 'managed', 'resource_type']
const disruptionLabels = ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'] as const
const podLabels = ['name', 'namespace'] as const
const cloudCallLabels = ['controller', 'method', 'provider'] as const

/** The families by the name under which the code knows them. Names, labels and buckets are API: dashboards and alerts use them. */
export const metricTable = {
  buildInfo: gauge(
    'build_info',
    'stable',
    ['version', 'goversion', 'goarch', 'commit'],
    'A metric with a constant 1 value labeled by version and commit.',
  ),

  nodeClaimsCreated: counter(
    'nodeclaims_created_total',
    'stable',
    ['reason', 'nodepool', 'min_values_relaxed'],
    'NodeClaims created, by the reason and the owning NodePool.',
  ),
  nodeClaimsTerminated: counter(
    'nodeclaims_terminated_total',
    'stable',
    ['nodepool', 'capacity_type', 'zone'],
    'NodeClaims whose instance is gone.',
  ),
  nodeClaimsDisrupted: counter('nodeclaims_disrupted_total', 'alpha', disruptionLabels, 'NodeClaims disrupted.'),
  nodeClaimsUnhealthyDisrupted: counter(
    'nodeclaims_unhealthy_disrupted_total',
    'alpha',
    ['condition', 'nodepool', 'capacity_type', 'image_id'],
    'NodeClaims disrupted by node repair.',
  ),
  nodeClaimTerminationDuration: histogram(
    'nodeclaims_termination_duration_seconds',
    'beta',
    ['nodepool'],
    exponentialBuckets(1, 2, 12),
    'Time from the deletion of a NodeClaim to the removal of its finalizer.',
  ),
  nodeClaimInstanceTerminationDuration: histogram(
    'nodeclaims_instance_termination_duration_seconds',
    'beta',
    ['nodepool'],
    exponentialBuckets(1, 2, 11),
    'Time the cloud took to terminate an instance.',
  ),

  nodesCreated: counter('nodes_created_total', 'stable', ['nodepool', 'zone'], 'Nodes registered.'),
  nodesTerminated: counter('nodes_terminated_total', 'stable', ['nodepool', 'zone'], 'Nodes removed.'),
  nodesDrained: counter('nodes_drained_total', 'alpha', ['nodepool'], 'Nodes drained.'),
  nodeTerminationDuration: summary(
    'nodes_termination_duration_seconds',
    'beta',
    ['nodepool'],
    'Time from the deletion of a node to the removal of its finalizer.',
  ),
  nodeLifetimeDuration: histogram(
    'nodes_lifetime_duration_seconds',
    'alpha',
    ['nodepool'],
    nodeLifetimeBuckets,
    'Lifetime of nodes when they are removed.',
  ),
  nodeAllocatable: gauge('nodes_allocatable', 'beta', nodeGaugeLabels, 'Resources that pods may use on a node.'),
  nodeTotalPodRequests: gauge(
    'nodes_total_pod_requests',
    'beta',
    nodeGaugeLabels,
    'Requests of the pods bound to a node, DaemonSet pods left out.',
  ),
  nodeTotalPodLimits: gauge(
    'nodes_total_pod_limits',
    'beta',
    nodeGaugeLabels,
    'Limits of the pods bound to a node, DaemonSet pods left out.',
  ),
  nodeTotalDaemonRequests: gauge(
    'nodes_total_daemon_requests',
    'beta',
    nodeGaugeLabels,
    'Requests of the DaemonSet pods bound to a node.',
  ),
  nodeTotalDaemonLimits: gauge(
    'nodes_total_daemon_limits',
    'beta',
    nodeGaugeLabels,
    'Limits of the DaemonSet pods bound to a node.',
  ),
  nodeSystemOverhead: gauge(
    'nodes_system_overhead',
    'beta',
    nodeGaugeLabels,
    'Difference between the capacity and the allocatable resources of a node.',
  ),
  nodeCurrentLifetime: gauge(
    'nodes_current_lifetime_seconds',
    'alpha',
    nodeGaugeLabels.filter((label) => label !== 'resource_type'),
    'Age of a node.',
  ),
  clusterUtilization: gauge(
    'cluster_utilization_percent',
    'alpha',
    ['resource_type'],
    'Share of the allocatable resources that pods request, in percent.',
  ),

  podState: gauge(
    'pods_state',
    'beta',
    [
      ...podLabels,
      'owner',
      'node',
      'scheduled',
      'nodepool',
      'zone',
      'arch',
      'capacity_type',
      'instance_type',
      'phase',
      'ready',
      'managed',
    ],
    'Pods as they are now: a constant 1 per pod.',
  ),
  podStartupDuration: summary(
    'pods_startup_duration_seconds',
    'stable',
    [],
    'Time from creation to readiness of pods.',
  ),
  podUnstartedTime: gauge('pods_unstarted_time_seconds', 'alpha', podLabels, 'Age of pods that are not ready yet.'),
  podUnboundTime: gauge('pods_unbound_time_seconds', 'alpha', podLabels, 'Age of pods without a node.'),
  podBoundDuration: duration('pods_bound_duration_seconds', 'alpha', [], 'Time from creation to binding of pods.'),
  podProvisioningBoundDuration: duration(
    'pods_provisioning_bound_duration_seconds',
    'alpha',
    [],
    'Time from the first decision that a pod can be placed to its binding.',
  ),
  podProvisioningStartupDuration: duration(
    'pods_provisioning_startup_duration_seconds',
    'alpha',
    [],
    'Time from the first decision that a pod can be placed until it runs.',
  ),
  podProvisioningUnboundTime: gauge(
    'pods_provisioning_unbound_time_seconds',
    'alpha',
    podLabels,
    'Time since the first decision that a pod can be placed, while it has no node.',
  ),
  podProvisioningUnstartedTime: gauge(
    'pods_provisioning_unstarted_time_seconds',
    'alpha',
    podLabels,
    'Time since the first decision that a pod can be placed, while it is not running.',
  ),
  podSchedulingUndecidedTime: gauge(
    'pods_provisioning_scheduling_undecided_time_seconds',
    'alpha',
    podLabels,
    'Time since a pod was first seen pending, while nothing has been decided about it.',
  ),
  podSchedulingDecisionDuration: duration(
    'pods_scheduling_decision_duration_seconds',
    'alpha',
    [],
    'Time from first seeing a pending pod to the first decision about it.',
  ),
  podEvictionRequests: counter('pods_eviction_requests_total', 'alpha', ['code'], 'Eviction calls by answer.'),
  podsDrained: counter('pods_drained_total', 'alpha', ['reason'], 'Pods evicted or deleted by a drain.'),
  podDisruptionsInitiated: counter(
    'pods_disruption_initiated_total',
    'alpha',
    disruptionLabels,
    'Reschedulable pods on nodes whose disruption began.',
  ),

  nodePoolLimit: gauge('nodepools_limit', 'alpha', ['resource_type', 'nodepool'], 'Limits of a NodePool.'),
  nodePoolUsage: gauge('nodepools_usage', 'alpha', ['resource_type', 'nodepool'], 'Resources a NodePool holds.'),
  nodePoolCost: gauge('nodepools_cost_total', 'alpha', ['nodepool'], 'US dollars per hour of a NodePool.'),
  nodePoolCostTrackerErrors: counter(
    'nodepools_cost_tracker_errors_total',
    'alpha',
    ['nodepool'],
    'Prices that could not be found when the cost of a NodePool was summed.',
  ),
  nodePoolAllowedDisruptions: gauge(
    'nodepools_allowed_disruptions',
    'alpha',
    ['nodepool', 'reason'],
    'Nodes that the budgets of a NodePool allow to be disrupted.',
  ),
  nodePoolNodesConsumingBudgets: gauge(
    'nodepools_nodes_consuming_budgets',
    'alpha',
    ['nodepool', 'reason'],
    'Nodes of a NodePool that count against its budgets.',
  ),

  disruptionDecisions: counter(
    'voluntary_disruption_decisions_total',
    'stable',
    ['decision', 'reason', 'consolidation_type'],
    'Disruption commands started.',
  ),
  disruptionDecisionsByNodePool: counter(
    'voluntary_disruption_decisions_by_nodepool_total',
    'alpha',
    ['nodepool', 'decision', 'reason', 'consolidation_type'],
    'Disruption commands started, per NodePool concerned.',
  ),
  disruptionEligibleNodes: gauge(
    'voluntary_disruption_eligible_nodes',
    'beta',
    ['reason'],
    'Nodes that could be disrupted for a reason.',
  ),
  disruptionEvaluationDuration: duration(
    'voluntary_disruption_decision_evaluation_duration_seconds',
    'beta',
    ['reason', 'consolidation_type'],
    'Time one disruption method took to decide.',
  ),
  consolidationTimeouts: counter(
    'voluntary_disruption_consolidation_timeouts_total',
    'beta',
    ['consolidation_type'],
    'Consolidation searches that ran out of time.',
  ),
  disruptionFailedValidations: counter(
    'voluntary_disruption_failed_validations_total',
    'alpha',
    ['consolidation_type'],
    'Candidates whose command no longer held after the validation delay.',
  ),
  disruptionQueueFailures: counter(
    'voluntary_disruption_queue_failures_total',
    'beta',
    ['decision', 'reason', 'consolidation_type'],
    'Replacements of disruption commands that failed.',
  ),
  consolidationScore: histogram(
    'consolidation_score',
    'alpha',
    ['decision', 'nodepool', 'policy'],
    [0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10],
    'Score of consolidation moves under the Balanced policy.',
  ),
  consolidationMoves: counter(
    'consolidation_moves_total',
    'alpha',
    ['decision', 'nodepool', 'policy'],
    'Consolidation moves approved and rejected.',
  ),

  schedulingDuration: duration(
    'scheduler_scheduling_duration_seconds',
    'stable',
    ['controller'],
    'Time of a solve, simulations included.',
  ),
  schedulerQueueDepth: gauge(
    'scheduler_queue_depth',
    'beta',
    ['controller', 'scheduling_id'],
    'Pods still to be placed in a running solve.',
  ),
  schedulerUnfinishedWork: gauge(
    'scheduler_unfinished_work_seconds',
    'alpha',
    ['controller', 'scheduling_id'],
    'Time a running solve has taken so far.',
  ),
  schedulerIgnoredPods: gauge(
    'scheduler_ignored_pods_count',
    'alpha',
    [],
    'Pending pods that failed validation in the last pass.',
  ),
  schedulerUnschedulablePods: gauge(
    'scheduler_unschedulable_pods_count',
    'alpha',
    ['controller'],
    'Pods for which the last solve found no place.',
  ),
  schedulerPendingPodsByZone: gauge(
    'scheduler_pending_pods_by_effective_zone_count',
    'alpha',
    ['controller', 'zone'],
    'Pending pods by the zone they can only run in.',
  ),

  nodesLaunchedInVain: {
    type: 'counter',
    name: 'joinery_nodes_launched_in_vain_total',
    stability: 'alpha',
    labels: ['nodepool'],
    help: 'Nodes that came up and did not take the pods that they were launched for, though nothing else took their room.',
  },
  podsHeldFromLaunching: {
    type: 'gauge',
    name: 'joinery_pods_held_from_launching',
    stability: 'alpha',
    labels: [],
    help: 'Pending pods and stand-ins of capacity buffers for which no node is launched now, since several did not take them.',
  },
  circuitBreakerOpen: {
    type: 'gauge',
    name: 'joinery_circuit_breaker_open',
    stability: 'alpha',
    labels: ['nodepool', 'reason'],
    help: '1 while the circuit breaker of a NodePool is open: its nodes kept failing.',
  },
  disruptionPaused: {
    type: 'gauge',
    name: 'joinery_disruption_paused',
    stability: 'alpha',
    labels: ['nodepool'],
    help: '1 while voluntary disruption of a NodePool is paused, by itself, its node class or a RolloutPolicy.',
  },
  rolloutRequests: {
    type: 'counter',
    name: 'joinery_rollout_requests_total',
    stability: 'alpha',
    labels: ['kind', 'name', 'request'],
    help: 'What annotations asked for: a pause, an approval, a restart, a return to earlier images, a retirement, and its end.',
  },
  nodePoolNodes: {
    type: 'gauge',
    name: 'joinery_nodepool_nodes',
    stability: 'alpha',
    labels: ['nodepool', 'state'],
    help: 'Nodes of a NodePool that are up to date, drifted, ready, and blocked: as many as its status says.',
  },
  rolloutPhase: {
    type: 'gauge',
    name: 'joinery_rollout_phase',
    stability: 'alpha',
    labels: ['rolloutpolicy', 'phase'],
    help: '1 for the phase that the rollout of a RolloutPolicy is in, 0 for the others.',
  },
  rolloutNodes: {
    type: 'gauge',
    name: 'joinery_rollout_nodes',
    stability: 'alpha',
    labels: ['rolloutpolicy', 'state'],
    help: 'Nodes under a RolloutPolicy: all of them (total), and those that are up to date (updated).',
  },
  rolloutTransitions: {
    type: 'counter',
    name: 'joinery_rollout_transitions_total',
    stability: 'alpha',
    labels: ['rolloutpolicy', 'transition'],
    help: 'Steps that rollouts took: started, step passed, halted, completed and so on.',
  },

  clusterStateNodeCount: gauge('cluster_state_node_count', 'stable', [], 'Nodes in cluster state.'),
  clusterStateSynced: gauge('cluster_state_synced', 'stable', [], '1 while cluster state agrees with the API server.'),
  clusterStateUnsyncedTime: gauge(
    'cluster_state_unsynced_time_seconds',
    'stable',
    [],
    'Time cluster state has not agreed with the API server.',
  ),

  cloudProviderDuration: histogram(
    'cloudprovider_duration_seconds',
    'beta',
    cloudCallLabels,
    defaultBuckets,
    'Time of cloud provider calls.',
  ),
  cloudProviderErrors: counter(
    'cloudprovider_errors_total',
    'beta',
    [...cloudCallLabels, 'error'],
    'Cloud provider calls that failed.',
  ),
} as const satisfies Readonly<Record<string, MetricRow>>

/** All rows, those of AWS and of status conditions included: what the reference page and the dashboards check are made from. */
export function allMetricRows(): readonly MetricRow[] {
  return [...Object.values(metricTable), ...Object.values(awsMetricTable), ...statusMetricTable]
}
