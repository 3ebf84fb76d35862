import type { RolloutPolicy } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { govern } from '../engine/index.ts'
import { ownDriftOf } from '../own-drift.ts'
import type { JudgedNode } from './node-verdicts.ts'
import type { FleetObjects } from './proposal.ts'

interface ExpiryFacts {
  readonly after: Pick<Snapshot, 'now' | 'nodePools'>
  readonly present: FleetObjects
  readonly proposed: FleetObjects
  /** That stay. */
  readonly nodes: readonly JudgedNode[]
}

/** Where the change lets nodes grow to another age than before, and they reach it later: a sentence for each policy. */
export function softExpiryToCome({ after, present, proposed, nodes }: ExpiryFacts): readonly string[] {
  const before = govern(present.rolloutPolicies, present.nodePools).governing
  const { governing } = govern(proposed.rolloutPolicies, after.nodePools)
  const pools = new Map(after.nodePools.map((pool) => [pool.metadata.name, pool]))
  const classes = new Map(proposed.nodeClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]))
  const dueAt = new Map<RolloutPolicy, number[]>()
  for (const { nodePool, nodeClaim } of nodes.map(({ stateNode }) => stateNode)) {
    const [pool, policy] = [pools.get(nodePool), governing.get(nodePool)]
    if (nodeClaim === undefined || pool === undefined || policy === undefined) continue
    if (ageOf(before.get(nodePool)) === ageOf(policy)) continue
    const asking = { pool, nodeClass: classes.get(nodeClassNameOf(pool) ?? ''), policy }
    const own = ownDriftOf(nodeClaim, asking, after.now)
    if (own.kind !== 'kept' || own.dueAt === undefined) continue
    const times = dueAt.get(policy) ?? []
    dueAt.set(policy, times)
    times.push(own.dueAt)
  }
  return [...dueAt]
    .toSorted(([a], [b]) => compareText(a.metadata.name, b.metadata.name))
    .map(
      ([{ metadata, spec }, times]) =>
        `RolloutPolicy ${metadata.name} has nodes replaced once they are ${spec.softExpireAfter} old (softExpireAfter): ${times.length} node(s) will be so from ${toTimestamp(Math.min(...times))} on, which is not in the plan.`,
    )
}

/** That nodes may reach; undefined where they are not replaced for their age. */
function ageOf(policy: RolloutPolicy | undefined): string | undefined {
  return policy?.spec.mode === 'Observe' ? undefined : policy?.spec.softExpireAfter
}
