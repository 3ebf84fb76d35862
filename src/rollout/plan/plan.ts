import type { FieldChange } from '../../model/drift-finding.ts'

/** What a change of manifests would do to a fleet. `joinery plan -o json` prints just this; other tools rely on it. */
export interface Plan {
  /** What the manifests hold, and what pruning takes away; by kind, then name. */
  readonly objects: readonly ObjectChange[]
  /** Every managed node, by name. */
  readonly nodes: readonly PlannedNode[]
  readonly waves: readonly PlanWave[]
  /** Pods that would fit nowhere, by name. Their nodes are not replaced for that reason, or go nevertheless when their pool does or is static. */
  readonly unplaceablePods: readonly UnplaceablePod[]
  /** Nodes to be replaced that something holds back, by name. */
  readonly blockedBy: readonly BlockedNode[]
  readonly limits: readonly LimitHit[]
  /** Null where prices are not known. */
  readonly cost: PlanCost | null
  /** From now until the last node that can be replaced is gone; 0 when there is nothing to do. */
  readonly durationSeconds: number
  /** Where the plan is less exact than usual, and what it leaves out, in sentences for a person. */
  readonly notices: readonly string[]
}

export interface ObjectChange {
  readonly kind: string
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed' | 'unchanged'
}

/**
 * `inPlace`: the object behind the node changes, the node does not. `replace`: the node drifts. `remove`: it goes without being
 * replaced one for one.
 */
export type NodeAction = 'stay' | 'inPlace' | 'replace' | 'remove'

export interface PlannedNode {
  readonly node: string
  readonly nodeClaim: string
  readonly nodePool: string
  readonly action: NodeAction
  /**
   * Reason of the Drifted condition, or why the node is removed; `Consolidatable` for one that changes in place and that consolidation
   * may take from now on; null for others.
   */
  readonly reason: string | null
  /** A side that lacks the field is null. */
  readonly fields: readonly FieldChange[]
  /** From 1; null where the node stays, or where something holds it back. */
  readonly wave: number | null
}

/** Nodes whose replacement starts at one moment. */
export interface PlanWave {
  readonly wave: number
  /** RFC 3339. */
  readonly notBefore: string
  /** In the order in which they start. */
  readonly nodes: readonly string[]
}

export interface UnplaceablePod {
  /** `namespace/name` */
  readonly pod: string
  readonly node: string
  readonly message: string
}

export interface BlockedNode {
  readonly node: string
  readonly message: string
}

export interface LimitHit {
  readonly nodePool: string
  readonly message: string
}

/** US dollars per hour of all managed nodes: now, at the dearest moment, and at the end. */
export interface PlanCost {
  readonly before: number
  readonly during: number
  readonly after: number
}

/** Whether anything is changed by the manifests, or any node is to be touched. */
export function hasEffect(plan: Plan): boolean {
  return (
    plan.objects.some(({ change }) => change !== 'unchanged') ||
    plan.nodes.some(({ action, reason }) => action !== 'stay' && reason !== 'Deleting' && reason !== 'InQueue')
  )
}
