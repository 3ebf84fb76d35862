import type { Condition } from '../../api/kubernetes.ts'
import { conditionOf, conditionReady } from '../../api/conditions.ts'
import { labelNodePool } from '../../api/labels.ts'
import { repairPolicies } from '../../cloud/aws/repair-policies.ts'
import { decideRepair } from '../../disruption/repair.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { type Fact, momentText, reason, type Reason } from './explanation.ts'

const about = 'Unhealthy'

/** What the node itself says is wrong with it; nothing of a healthy one. */
export function healthFacts({ node }: StateNode): readonly Fact[] {
  if (node === undefined) return []
  return [
    ...(conditionOf(node, conditionReady) === undefined
      ? [{ name: 'not ready', value: 'the kubelet has not reported yet' }]
      : []),
    ...unhealthyConditions(node).map((condition) => ({
      name: condition.type === conditionReady ? 'not ready' : (condition.type ?? ''),
      value: sinceText(condition),
    })),
  ]
}

/** Whether and when the node is repaired; nothing of a healthy one. */
export function healthReasons(
  { node, nodeClaim }: StateNode,
  { snapshot, gates }: { readonly snapshot: Snapshot; readonly gates: Readonly<Record<string, boolean>> },
): readonly Reason[] {
  if (node === undefined || nodeClaim === undefined) return []
  const pool = nodeClaim.metadata.labels?.[labelNodePool] ?? ''
  const peers = () =>
    snapshot.nodes.flatMap((peer) =>
      peer.node !== undefined && (pool === '' || peer.node.metadata.labels?.[labelNodePool] === pool)
        ? [peer.node]
        : [],
    )
  const { now } = snapshot
  const decision = decideRepair(node, repairPolicies, { now, peers })
  if (decision.kind === 'healthy') return []
  const what = unhealthyConditions(node)
    .map(({ type = '', status = 'Unknown' }) => `${type} is ${status}`)
    .join(', ')
  if (gates['NodeRepair'] !== true) {
    const message = `${what}, and without the feature gate NodeRepair nothing repairs the node`
    const help =
      'mend the node, or delete its NodeClaim; the operator may have the gate all the same: ask again with --feature-gates NodeRepair=true'
    return [reason(about, 'idle', 'NodeRepairDisabled', message, help)]
  }
  switch (decision.kind) {
    case 'tolerated': {
      const at = momentText(now + decision.remainingMs, now)
      return [reason(about, 'idle', 'Unhealthy', `${what}: the node is replaced at ${at}, unless it recovers`)]
    }
    case 'blocked': {
      const whose = pool === '' ? 'of the cluster' : `of NodePool ${pool}`
      const message = `${what}, but ${decision.unhealthy} of ${decision.nodes} nodes ${whose} are unhealthy: with more than 20 % none is repaired`
      const help = 'look for what the nodes have in common; repair goes on once fewer are unhealthy'
      return [reason(about, 'blocks', 'NodeRepairBlocked', message, help)]
    }
    case 'repair': {
      const isDeleted = nodeClaim.metadata.deletionTimestamp !== undefined
      const then = isDeleted ? 'the drain ends' : 'its NodeClaim is deleted'
      const message = `${what} for longer than is tolerated: ${then} now, whatever budgets and annotations say`
      return [reason(about, 'allows', 'Unhealthy', message)]
    }
  }
}

type NodeWire = NonNullable<StateNode['node']>
type NodeCondition = Partial<Condition>

/** Not being ready, and all that a repair policy names. */
function unhealthyConditions(node: NodeWire): readonly NodeCondition[] {
  const types = [...new Set([conditionReady, ...repairPolicies.map(({ conditionType }) => conditionType)])]
  return types.flatMap((type) => {
    const condition = conditionOf(node, type)
    if (condition === undefined) return []
    const isNamed = repairPolicies.some(
      ({ conditionType, conditionStatus }) => conditionType === type && conditionStatus === condition.status,
    )
    return isNamed || (type === conditionReady && condition.status !== 'True') ? [condition] : []
  })
}

/** `since 2026-01-02T03:04:05Z: Ready is Unknown, Kubelet stopped posting node status.` */
function sinceText({
  type = '',
  status = 'Unknown',
  lastTransitionTime,
  reason: code = '',
  message = '',
}: NodeCondition): string {
  const since = lastTransitionTime === undefined ? '' : `since ${lastTransitionTime}: `
  const why = message === '' ? code : message
  return `${since}${type} is ${status}${why === '' ? '' : `, ${why}`}`
}
