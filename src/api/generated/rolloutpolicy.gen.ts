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
   * Where several policies select a pool, the highest weight governs it, then the first name. Absent counts as 0.
   */
  weight?: number
  /**
   * Automatic replaces drifted nodes by itself, Approve waits for an approval, NewNodesOnly leaves present nodes alone, Observe only reports.
   */
  mode?: 'Automatic' | 'Approve' | 'NewNodesOnly' | 'Observe'
  /**
   * Parts of the rollout, in order. After the last step the remaining nodes follow. Absent: one step with all nodes.
   *
   * @maxItems 20
   */
  steps?: RolloutStep[]
  /**
   * Which nodes go first. NodePool weight, age and name break ties.
   */
  order?: 'LeastDisruption' | 'OldestFirst' | 'NewestFirst' | 'EmptiestFirst' | 'ByZone' | 'ByNodePool'
  gates?: RolloutGates
  /**
   * What a closed gate leads to: Halt stops, Rollback also returns to the last good revision.
   */
  onFailure?: 'Halt' | 'Rollback'
  /**
   * How old a newly found image must be before nodes move to it, such as 72h.
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
  rate?: RolloutRate
  /**
   * How many nodes of all the selected pools together may be in replacement: a number or a percentage, rounded up. Each pool's own budgets hold as well.
   */
  sharedBudget?: string
  /**
   * How long a rollout may take before it counts as failed, such as 168h.
   */
  deadline?: string
  /**
   * No replacements until then.
   */
  pausedUntil?: string
  /**
   * Age at which nodes are replaced gracefully, under budgets and gates. Unlike expireAfter it never forces, and changing it never drifts.
   */
  softExpireAfter?: string
  /**
   * How many past rollouts status keeps.
   */
  historyLimit?: number
}
/**
 * Selects NodePools by name, or by their labels. An empty selector selects all.
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
   * How long the gates must hold after the step before the next begins.
   */
  soak?: string
  /**
   * Whether the next step waits for an approval.
   */
  approval?: boolean
}
/**
 * What must hold for the rollout to go on.
 */
export interface RolloutGates {
  /**
   * How long a new node may take to become ready before it counts as failed.
   */
  nodeReadyTimeout?: string
  /**
   * How many new nodes may fail to launch, register or become ready: a number or a percentage of the step, rounded up.
   */
  maxFailedNodes?: number | string
  /**
   * How many nodes of the new revision may be not ready at once.
   */
  maxUnhealthyNodes?: number | string
  /**
   * Whether pods that were moved must be ready again before the next node goes.
   */
  podsHealthy?: boolean
  /**
   * How many container restarts on nodes of the new revision a step may see. Absent: not looked at.
   */
  maxPodRestarts?: number
  /**
   * Node conditions beside Ready that every node of the new revision must have.
   *
   * @maxItems 20
   */
  nodeConditions?: RolloutNodeConditionGate[]
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
 * A recurring span of time.
 */
export interface RolloutWindow {
  /**
   * IANA name of the time zone of the schedule.
   */
  timeZone?: string
  /**
   * Start of the window: five cron fields or a macro such as @daily.
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
 * Upper bound for replacements in any span of time.
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
   * Nodes that something keeps from being replaced.
   */
  blockedNodes?: number
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
   * When the present soak ends.
   */
  soakedUntil?: string
  /**
   * When the next window opens, while waiting for one.
   */
  nextWindowTime?: string
  /**
   * When the latest replacements began, as far back as the rate needs.
   *
   * @maxItems 1000
   */
  lastReplacementTimes?: string[]
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
 * A pool under the policy.
 */
export interface RolloutNodePoolStatus {
  /**
   * Name of the pool.
   */
  name: string
  /**
   * Revision that was last completed.
   */
  currentHash?: string
  /**
   * Revision that is wanted.
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
   * Nodes that something keeps from being replaced.
   */
  blockedNodes?: number
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
  outcome: 'Completed' | 'Halted' | 'RolledBack' | 'Superseded' | 'DeadlineExceeded'
  /**
   * The same for a reader.
   */
  message?: string
  /**
   * What had changed.
   */
  cause?: string
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
}
