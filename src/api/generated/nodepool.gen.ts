// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject, ResourceListText, Taint } from '../kubernetes.ts'

/**
 * A NodePool says which nodes may be made for pending pods, within which limits, and when they may be disrupted.
 */
export interface NodePool extends KubeObject {
  spec: NodePoolSpec
  status?: NodePoolStatus
}
/**
 * What is wanted.
 */
export interface NodePoolSpec {
  template: NodePoolTemplate
  disruption?: NodePoolDisruption
  /**
   * Upper bounds for all nodes of the pool together, by resource name; nodes bounds their number. Reaching a limit stops launches, never running nodes.
   */
  limits?: ResourceListText
  /**
   * Pools with a higher weight are tried first. Absent counts as 0.
   */
  weight?: number
  /**
   * Makes the pool static: it keeps this many nodes whatever pods are pending. It cannot be added or removed later.
   */
  replicas?: number
}
/**
 * What the NodeClaims of the pool are made from.
 */
export interface NodePoolTemplate {
  metadata?: NodePoolTemplateMetadata
  spec: NodePoolTemplateSpec
}
/**
 * Labels and annotations for the nodes.
 */
export interface NodePoolTemplateMetadata {
  /**
   * Labels put on every node of the pool.
   */
  labels?: {
    [k: string]: string
  }
  /**
   * Annotations put on every node of the pool.
   */
  annotations?: {
    [k: string]: string
  }
}
/**
 * Spec of the NodeClaims of the pool.
 */
export interface NodePoolTemplateSpec {
  nodeClassRef: NodeClassReference
  /**
   * Constraints on the node's labels; together with those of the pods they select instance types, zones and capacity types.
   *
   * @maxItems 100
   */
  requirements: NodePoolRequirement[]
  /**
   * Taints that every node of the pool carries.
   *
   * Items: Keeps away every pod that does not tolerate it.
   */
  taints?: Taint[]
  /**
   * Taints a new node starts with, which something else removes; pods need not tolerate them. The node is initialized once they are gone.
   *
   * Items: Keeps away every pod that does not tolerate it.
   */
  startupTaints?: Taint[]
  /**
   * How long a node may live before it is drained and replaced, by force if need be. Never switches it off.
   */
  expireAfter?: string
  /**
   * How long a node may drain before what is left on it is deleted and the instance ends. Without it, draining has no limit.
   */
  terminationGracePeriod?: string
}
/**
 * Names the node class, the object with the cloud's side of the configuration.
 */
export interface NodeClassReference {
  /**
   * API group of the node class, without a version.
   */
  group: string
  /**
   * Kind of the node class.
   */
  kind: string
  /**
   * Name of the node class.
   */
  name: string
}
/**
 * One constraint on a node label.
 */
export interface NodePoolRequirement {
  /**
   * The node label that the requirement constrains.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: 'Gte' | 'Lte' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  /**
   * Values for the operator: at least one for In, exactly one non-negative integer for Gt, Lt, Gte and Lte, none for Exists and DoesNotExist.
   */
  values?: string[]
  /**
   * How many different values of this label the instance types to choose from must offer at least.
   */
  minValues?: number
}
/**
 * When, and how many at a time, nodes may be disrupted voluntarily.
 */
export interface NodePoolDisruption {
  /**
   * How long a node must be without pod changes before it may be consolidated. Never switches consolidation off.
   */
  consolidateAfter: string
  /**
   * Which nodes may be consolidated: empty ones only, underused ones too, or underused ones weighed against the disruption.
   */
  consolidationPolicy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced'
  /**
   * How many nodes may be disrupted at once. The strictest active budget of a reason counts; without an active budget there is no bound.
   *
   * @maxItems 50
   */
  budgets?: NodePoolBudget[]
}
/**
 * A bound on simultaneous disruptions, always or in a recurring window.
 */
export interface NodePoolBudget {
  /**
   * Nodes that may be disrupted at once: a number, or a percentage of the pool's nodes, rounded up. 0 stops disruption.
   */
  nodes: string
  /**
   * Reasons for disruption that the budget bounds. Absent: all.
   *
   * @maxItems 50
   */
  reasons?: ('Underutilized' | 'Empty' | 'Drifted')[]
  /**
   * Start of the window: five cron fields or a macro such as @daily, in UTC. Needs duration.
   */
  schedule?: string
  /**
   * Length of the window in hours and minutes. Needs schedule.
   */
  duration?: string
}
/**
 * What was observed.
 */
export interface NodePoolStatus {
  /**
   * Sum over the nodes of the pool, with their number under nodes.
   */
  resources?: ResourceListText
  /**
   * Number of nodes.
   */
  nodes?: number
  /**
   * Generation of the node class that NodeRegistrationHealthy speaks of.
   */
  nodeClassObservedGeneration?: number
  /**
   * Conditions of the object; Ready sums up the others.
   *
   * Items: One aspect of the observed state.
   */
  conditions?: Condition[]
  /**
   * The metadata.generation this status was computed from.
   */
  observedGeneration?: number
  /**
   * Hash of the template that the up-to-date nodes were made from.
   */
  currentHash?: string
  /**
   * Hash of the template as it stands now.
   */
  targetHash?: string
  /**
   * What an approval has to name: the hash of the template and a digest of the target of the node class.
   */
  target?: string
  /**
   * Nodes made from the present template and node class.
   */
  upToDateNodes?: number
  /**
   * Nodes that differ from the present template or node class.
   */
  driftedNodes?: number
  /**
   * Nodes that are initialized and ready.
   */
  readyNodes?: number
  /**
   * Drifted nodes that something keeps from being replaced.
   */
  blockedNodes?: number
  /**
   * What keeps drifted nodes from being replaced, most nodes first.
   *
   * @maxItems 10
   */
  blockedBy?: NodePoolBlocker[]
  rollout?: NodePoolRolloutStatus
}
/**
 * One thing that keeps drifted nodes from being replaced.
 */
export interface NodePoolBlocker {
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
 * The node rollout under way or the last one.
 */
export interface NodePoolRolloutStatus {
  /**
   * Name of the RolloutPolicy that governs the pool.
   */
  policy?: string
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
   * When the rollout began.
   */
  startTime?: string
  /**
   * When the present step began.
   */
  stepStartTime?: string
  /**
   * When the rollout ended.
   */
  completionTime?: string
}
