// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject } from '../kubernetes.ts'

/**
 * A RolloutPolicy says how a changed NodePool or node class, or a new image, reaches the nodes: in which steps, when, and what stops it.
 */
export interface RolloutPolicy extends KubeObject {
  spec: RolloutPolicySpec
  status?: RolloutPolicyStatus
}
/**
 * What is wanted.
 */
export interface RolloutPolicySpec {
  nodePoolSelector: RolloutNodePoolSelector
  /**
   * Automatic replaces drifted nodes by itself. Approve waits until the target is approved. NewNodesOnly leaves present nodes alone: only new ones are made in the new way. Observe reports and holds nothing.
   */
  mode?: 'Automatic' | 'Approve' | 'NewNodesOnly' | 'Observe'
  /**
   * Parts of the rollout, in order. After the last step the remaining nodes follow. Absent: one step with all nodes.
   *
   * @maxItems 20
   */
  steps?: RolloutStep[]
  order?: RolloutOrder
  gates?: RolloutGates
  /**
   * What a closed gate leads to: Halt stops, Rollback also returns to the last good revision.
   */
  onFailure?: 'Halt' | 'Rollback'
  /**
   * How old an image must be before nodes are replaced for it, such as 72h. New nodes use it at once.
   */
  minImageAge?: string
  /**
   * When nodes may be replaced; outside, the rollout waits. Absent: at any time.
   *
   * @maxItems 20
   */
  windows?: RolloutWindow[]
  /**
   * Days or spans without replacements, whatever the windows say.
   *
   * @maxItems 100
   */
  blackoutDates?: RolloutBlackout[]
  /**
   * Which disruptions windows, blackout dates and the shared budget hold: Drift, Expiration, Consolidation (empty nodes included). Expiration is deferred to the next window, but never by more than the claim's terminationGracePeriod where it has one.
   *
   * @minItems 1
   * @maxItems 3
   */
  covers?: ('Drift' | 'Expiration' | 'Consolidation')[]
  rate?: RolloutRate
  /**
   * How many nodes of all the selected pools together may be in replacement: a number or a percentage, rounded up. Each pool's own budgets hold as well.
   */
  sharedBudget?: string
  /**
   * How long after its start a rollout goes through regardless of windows, blackout dates, steps and soaks, such as 168h. Budgets, PDBs, pauses and the rate still hold, and a rollout that has failed stays halted.
   */
  deadline?: string
  /**
   * No voluntary disruption of the selected pools until then.
   */
  pausedUntil?: string
  /**
   * Age at which nodes are replaced gracefully, under budgets, windows and rate. Unlike expireAfter it never forces, and changing it never drifts.
   */
  softExpireAfter?: string
  /**
   * How much later than softExpireAfter a node may be due, as a share of it: nodes that were made together are then not replaced together.
   */
  softExpireJitter?: string
  /**
   * How many past rollouts status keeps.
   */
  historyLimit?: number
}
/**
 * Selects NodePools by name, or by their labels. An empty selector selects all. Of several policies that select a pool the oldest governs it, and the others say so.
 */
export interface RolloutNodePoolSelector {
  /**
   * Names of the pools.
   *
   * @minItems 1
   * @maxItems 100
   */
  names?: string[]
  /**
   * Labels that a pool must have.
   */
  matchLabels?: {
    [k: string]: string
  }
  /**
   * Constraints that a pool's labels must meet.
   *
   * @maxItems 50
   */
  matchExpressions?: RolloutSelectorExpression[]
}
/**
 * One constraint on a label of NodePools.
 */
export interface RolloutSelectorExpression {
  /**
   * The label.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  /**
   * Values for In and NotIn.
   *
   * @maxItems 100
   */
  values?: string[]
}
/**
 * How far the rollout goes before it soaks.
 */
export interface RolloutStep {
  /**
   * Nodes of the new revision at the end of the step, counted from the start of the rollout: a number or a percentage, rounded up.
   */
  nodes: number | string
  /**
   * How long the gates must hold after the step, with its nodes in service, before the next begins.
   */
  soak?: string
}
/**
 * Which nodes go first. It orders, it does not wait: a node that nothing can move now is passed over.
 */
export interface RolloutOrder {
  /**
   * LeastDisruption takes idle nodes first, then those that drifted first; Age the oldest; Zone, NodePool and Label group by value before that.
   */
  by: 'LeastDisruption' | 'Age' | 'Zone' | 'NodePool' | 'Label'
  /**
   * Label of the nodes that groups them.
   */
  label?: string
  /**
   * Values whose nodes go first, in this order. The others follow by value.
   *
   * @maxItems 100
   */
  first?: string[]
}
/**
 * What must hold for the rollout to go on. A gate that is found shut fails the rollout; see onFailure.
 */
export interface RolloutGates {
  /**
   * How long a new node may take to become ready before it counts as failed.
   */
  nodeReadyTimeout?: string
  /**
   * How many new nodes may fail to launch, register or become ready in a step before the rollout fails: a number or a percentage of the step, rounded up. A lack of capacity is no failure.
   */
  maxFailedNodes?: number | string
  /**
   * How many nodes of the new revision that were ready once may be not ready at once. More hold the rollout; a node that stays so for nodeReadyTimeout counts as failed.
   */
  maxUnhealthyNodes?: number | string
  /**
   * Whether pods on nodes of the new revision, and pods that were moved, must be ready again.
   */
  podsHealthy?: boolean
  /**
   * How long a pod may take to become ready before it counts as one that does not come back.
   */
  podReadyTimeout?: string
  /**
   * Node conditions beside Ready that every node of the new revision must have.
   *
   * @maxItems 20
   */
  nodeConditions?: RolloutNodeConditionGate[]
  prometheus?: RolloutPrometheusGate
}
/**
 * A node condition and the status it must have.
 */
export interface RolloutNodeConditionGate {
  /**
   * Type of the condition.
   */
  type: string
  /**
   * Status it must have.
   */
  status?: 'True' | 'False'
}
/**
 * A query of the Prometheus HTTP API that must answer with one number. No answer counts as unknown: the rollout then neither goes on nor fails.
 */
export interface RolloutPrometheusGate {
  /**
   * Base URL of the server, such as http://prometheus.monitoring:9090.
   */
  address: string
  /**
   * PromQL whose result is a scalar or a vector of one element.
   */
  query: string
  /**
   * How the value must relate to the threshold.
   */
  operator: 'LessThan' | 'LessThanOrEqual' | 'GreaterThan' | 'GreaterThanOrEqual'
  /**
   * The bound, as a decimal number.
   */
  threshold: string
  /**
   * How long the value must be bad before the rollout fails, such as 2m. Absent: the first bad value fails it.
   */
  for?: string
}
/**
 * A recurring span of time.
 */
export interface RolloutWindow {
  /**
   * IANA name of the time zone of the schedule.
   */
  timeZone?: string
  /**
   * Start of the window: five cron fields or a macro such as @daily. A time that the change to summer time skips counts an hour later; one that comes twice counts once, the first time.
   */
  schedule: string
  /**
   * Length of the window in hours and minutes.
   */
  duration: string
}
/**
 * A span of days, both ends included.
 */
export interface RolloutBlackout {
  /**
   * First day, as 2026-12-24.
   */
  from: string
  /**
   * Last day. Absent: the first.
   */
  to?: string
  /**
   * IANA name of the time zone of the days.
   */
  timeZone?: string
  /**
   * Why, for those who ask.
   */
  reason?: string
}
/**
 * Upper bound for replacements: a bucket that holds `nodes` and fills again evenly in `per`. Its content is in status.
 */
export interface RolloutRate {
  /**
   * How many nodes.
   */
  nodes: number
  /**
   * In which span, such as 1h.
   */
  per: string
}
/**
 * What was observed.
 */
export interface RolloutPolicyStatus {
  /**
   * The metadata.generation this status was computed from.
   */
  observedGeneration?: number
  /**
   * Where the rollout stands.
   */
  phase?:
    | 'Idle'
    | 'Waiting'
    | 'AwaitingApproval'
    | 'Progressing'
    | 'Soaking'
    | 'Paused'
    | 'Halted'
    | 'RollingBack'
    | 'Completed'
  /**
   * Why it stands there, in one word.
   */
  reason?: string
  /**
   * The same for a reader.
   */
  message?: string
  /**
   * Identity of what is being rolled out.
   */
  revision?: string
  /**
   * Index of the present step, from 0.
   */
  step?: number
  /**
   * Number of steps.
   */
  steps?: number
  /**
   * Nodes that the rollout covers.
   */
  totalNodes?: number
  /**
   * Nodes of the new revision so far.
   */
  updatedNodes?: number
  /**
   * Nodes to be replaced that something else than the policy keeps where they are, such as a PodDisruptionBudget.
   */
  blockedNodes?: number
  /**
   * What keeps them, most nodes first.
   *
   * @maxItems 10
   */
  blockedBy?: RolloutBlocker[]
  /**
   * New nodes that failed in the present step.
   */
  failedNodes?: number
  /**
   * When the rollout began.
   */
  startTime?: string
  /**
   * When the present step began.
   */
  stepStartTime?: string
  /**
   * When the nodes of the present step were replaced: nodes and pods made since then do not hold it.
   */
  stepReachedTime?: string
  /**
   * When the present soak ends.
   */
  soakedUntil?: string
  /**
   * When the next window opens, while waiting for one.
   */
  nextWindowTime?: string
  /**
   * When the rollout goes through regardless of windows, steps and soaks.
   */
  deadlineTime?: string
  /**
   * Nodes that are to be replaced by the end of the present step.
   */
  stepGoal?: number
  /**
   * Nodes that were to be replaced when the rollout began.
   */
  startNodes?: number
  /**
   * EC2NodeClasses whose images were others than those of present nodes when the rollout began: only these can be rolled back.
   *
   * @maxItems 1000
   */
  imageChanges?: string[]
  /**
   * NodeClaims that were on their way out when the rollout began, for an earlier one or another reason, and are still there. They are none of startNodes; one that is kept after all goes with the last step.
   *
   * @maxItems 1000
   */
  leaving?: string[]
  /**
   * Nodes whose replacement has begun, of those of startNodes.
   */
  replacedNodes?: number
  inForce?: RolloutTerms
  rate?: RolloutRateStatus
  /**
   * New nodes of the rollout that are not ready yet, and those that have failed in this step, also once they are gone.
   *
   * @maxItems 1000
   */
  pending?: RolloutPendingNode[]
  /**
   * Since when the Prometheus query answers with a bad value.
   */
  badSince?: string
  failure?: RolloutFailure
  /**
   * Approvals of the present targets.
   *
   * @maxItems 1000
   */
  approvals?: RolloutApproval[]
  /**
   * The selected pools, by name.
   *
   * @maxItems 1000
   */
  nodePools?: RolloutNodePoolStatus[]
  /**
   * Past rollouts, newest first.
   *
   * @maxItems 50
   */
  history?: RolloutHistoryEntry[]
  /**
   * Conditions of the object; Ready sums up the others.
   *
   * Items: One aspect of the observed state.
   */
  conditions?: Condition[]
}
/**
 * One thing that keeps nodes from being replaced.
 */
export interface RolloutBlocker {
  /**
   * What it is, in one word.
   */
  reason: string
  /**
   * How many nodes it keeps.
   */
  nodes: number
  /**
   * The same for a reader, for the first of the nodes by name.
   */
  message: string
}
/**
 * The part of the spec under which the present step began. A changed policy takes effect with the next step.
 */
export interface RolloutTerms {
  /**
   * The metadata.generation that it was taken from.
   */
  generation?: number
  /**
   * The steps then.
   *
   * @maxItems 20
   */
  steps?: RolloutStep1[]
  gates?: RolloutGates1
  /**
   * What a closed gate leads to: Halt stops, Rollback also returns to the last good revision.
   */
  onFailure?: 'Halt' | 'Rollback'
}
/**
 * How far the rollout goes before it soaks.
 */
export interface RolloutStep1 {
  /**
   * Nodes of the new revision at the end of the step, counted from the start of the rollout: a number or a percentage, rounded up.
   */
  nodes: number | string
  /**
   * How long the gates must hold after the step, with its nodes in service, before the next begins.
   */
  soak?: string
}
/**
 * What must hold for the rollout to go on. A gate that is found shut fails the rollout; see onFailure.
 */
export interface RolloutGates1 {
  /**
   * How long a new node may take to become ready before it counts as failed.
   */
  nodeReadyTimeout?: string
  /**
   * How many new nodes may fail to launch, register or become ready in a step before the rollout fails: a number or a percentage of the step, rounded up. A lack of capacity is no failure.
   */
  maxFailedNodes?: number | string
  /**
   * How many nodes of the new revision that were ready once may be not ready at once. More hold the rollout; a node that stays so for nodeReadyTimeout counts as failed.
   */
  maxUnhealthyNodes?: number | string
  /**
   * Whether pods on nodes of the new revision, and pods that were moved, must be ready again.
   */
  podsHealthy?: boolean
  /**
   * How long a pod may take to become ready before it counts as one that does not come back.
   */
  podReadyTimeout?: string
  /**
   * Node conditions beside Ready that every node of the new revision must have.
   *
   * @maxItems 20
   */
  nodeConditions?: RolloutNodeConditionGate1[]
  prometheus?: RolloutPrometheusGate1
}
/**
 * A node condition and the status it must have.
 */
export interface RolloutNodeConditionGate1 {
  /**
   * Type of the condition.
   */
  type: string
  /**
   * Status it must have.
   */
  status?: 'True' | 'False'
}
/**
 * A query of the Prometheus HTTP API that must answer with one number. No answer counts as unknown: the rollout then neither goes on nor fails.
 */
export interface RolloutPrometheusGate1 {
  /**
   * Base URL of the server, such as http://prometheus.monitoring:9090.
   */
  address: string
  /**
   * PromQL whose result is a scalar or a vector of one element.
   */
  query: string
  /**
   * How the value must relate to the threshold.
   */
  operator: 'LessThan' | 'LessThanOrEqual' | 'GreaterThan' | 'GreaterThanOrEqual'
  /**
   * The bound, as a decimal number.
   */
  threshold: string
  /**
   * How long the value must be bad before the rollout fails, such as 2m. Absent: the first bad value fails it.
   */
  for?: string
}
/**
 * The token bucket of the rate.
 */
export interface RolloutRateStatus {
  /**
   * Replacements that may begin at once, as a decimal number.
   */
  tokens: string
  /**
   * When that was so.
   */
  time: string
  /**
   * NodeClaims that have paid and are not gone yet: beginning again with one costs nothing.
   *
   * @maxItems 10000
   */
  paid?: string[]
}
/**
 * A new node on its way, or one that has failed.
 */
export interface RolloutPendingNode {
  /**
   * Name of its NodeClaim.
   */
  name: string
  /**
   * When it was made.
   */
  since: string
  /**
   * Whether there was an instance.
   */
  launched?: boolean
  /**
   * Whether it has been counted as failed.
   */
  failed?: boolean
  /**
   * EC2NodeClass of its pool.
   */
  nodeClass?: string
}
/**
 * Why the rollout stopped.
 */
export interface RolloutFailure {
  /**
   * In one word.
   */
  reason: string
  /**
   * The same for a reader.
   */
  message: string
  /**
   * When.
   */
  time: string
  /**
   * The policy's metadata.generation then: a changed policy tries the step again.
   */
  generation?: number
  /**
   * Halted stays as it is; RollingBack returns the nodes of the rollout to the last good images; RolledBack has done so.
   */
  state: 'Halted' | 'RollingBack' | 'RolledBack'
  /**
   * What failed, by pool: it is not tried again as long as none of these pools wants something else.
   *
   * @maxItems 1000
   */
  targets?: RolloutFailedTarget[]
  /**
   * EC2NodeClasses of the new nodes that failed, and those that share an image with them: no other images count as failed. Absent where it cannot be told, as of pods or a metric: then those of imageChanges all do.
   *
   * @maxItems 1000
   */
  nodeClasses?: string[]
}
/**
 * The target of a pool in a rollout that failed.
 */
export interface RolloutFailedTarget {
  /**
   * Name of the pool.
   */
  name: string
  /**
   * What its nodes were to be made of, without what a rollback pins.
   */
  target: string
}
/**
 * An approval and what the API server knows of its origin.
 */
export interface RolloutApproval {
  /**
   * NodePool or EC2NodeClass.
   */
  kind: string
  /**
   * Name of the object that carries the annotation.
   */
  name: string
  /**
   * What was approved.
   */
  target: string
  /**
   * When the annotation was written.
   */
  time?: string
  /**
   * Who wrote it, as the API server calls writers. Which person it was is in the history of the Git repository.
   */
  fieldManager?: string
  /**
   * The authenticated user who wrote it, where the admission webhook saw the request.
   */
  user?: string
}
/**
 * A pool under the policy.
 */
export interface RolloutNodePoolStatus {
  /**
   * Name of the pool.
   */
  name: string
  /**
   * Target that was last completed.
   */
  currentHash?: string
  /**
   * Target that is wanted: the token that an approval names.
   */
  targetHash?: string
  /**
   * Nodes of the pool.
   */
  totalNodes?: number
  /**
   * Nodes of the wanted revision.
   */
  updatedNodes?: number
  /**
   * Nodes of it that something else than the policy keeps where they are.
   */
  blockedNodes?: number
  /**
   * Where the pool stands, where it differs from the policy.
   */
  phase?: string
  /**
   * The older policy that governs the pool instead of this one.
   */
  governedBy?: string
  /**
   * Whether the target is approved, in mode Approve.
   */
  approved?: boolean
  /**
   * Nodes that were to be replaced when the rollout began, if it covers the pool.
   */
  startNodes?: number
}
/**
 * A past rollout.
 */
export interface RolloutHistoryEntry {
  /**
   * Identity of what was rolled out.
   */
  revision: string
  /**
   * How it ended.
   */
  outcome: 'Completed' | 'Halted' | 'RolledBack' | 'Superseded'
  /**
   * The same for a reader.
   */
  message?: string
  /**
   * Nodes that it covered.
   */
  totalNodes?: number
  /**
   * Nodes that it replaced.
   */
  updatedNodes?: number
  /**
   * When it began.
   */
  startTime?: string
  /**
   * When it ended.
   */
  completionTime?: string
  /**
   * Number of the rollout under this policy, from 1.
   */
  number?: number
  /**
   * Ids of the images that it rolled out, sorted.
   *
   * @maxItems 100
   */
  images?: string[]
}
