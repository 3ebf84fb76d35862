import type { Plan, PlannedNode } from '../../src/rollout/plan/plan.ts'

/** A plan that changes a pool and touches no node. */
export function aPlan(parts: Partial<Plan> = {}): Plan {
  return {
    objects: [{ kind: 'NodePool', name: 'default', change: 'changed' }],
    nodes: [],
    waves: [],
    unplaceablePods: [],
    blockedBy: [],
    limits: [],
    cost: { before: 1, during: 2, after: 1 },
    durationSeconds: 0,
    notices: [],
    ...parts,
  }
}

export function aPlannedNode(node: string, parts: Partial<PlannedNode> = {}): PlannedNode {
  return {
    node,
    nodeClaim: `claim-${node}`,
    nodePool: 'default',
    action: 'stay',
    reason: null,
    fields: [],
    wave: null,
    ...parts,
  }
}
