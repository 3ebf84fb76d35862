import type { Standing } from '../../src/rollout/standing.ts'

/** A NodePool all of whose two nodes are as they are wanted, but for what `facts` say. */
export function aStanding(facts: Partial<Standing> = {}): Standing {
  return {
    kind: 'NodePool',
    name: 'general',
    outlook: 'Done',
    reason: 'UpToDate',
    message: 'every node is as it is wanted',
    nodes: 2,
    readyNodes: 2,
    upToDateNodes: 2,
    driftedNodes: 0,
    blockedNodes: 0,
    blockedBy: [],
    target: null,
    approved: false,
    pausedUntil: null,
    retiring: null,
    rollout: null,
    problems: [],
    ...facts,
  }
}
