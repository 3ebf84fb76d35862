import type { NodePool } from '../../api/karpenter.ts'
import { computeBudgets, unlimited, type VoluntaryReason, zeroBudgetEnd } from '../../disruption/budgets.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { momentText, reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** What the pool's budgets say about one reason: `idle` while there is nothing that they could hold. */
export function budgetReason(pool: NodePool, about: VoluntaryReason, snapshot: Snapshot): Reason {
  const { name } = pool.metadata
  const { now, nodes } = snapshot
  const budget = computeBudgets([pool], nodes, about, now).get(name)
  const { allowed = 0, disrupting = 0, remaining = 0, total = 0, error } = budget ?? {}
  if (error !== undefined) {
    const message = `invalid disruption budgets in nodepool ${name}, ${error}`
    const help = 'mend the budget: until then nothing of the pool is disrupted'
    return reason(about, 'blocks', 'InvalidBudget', message, help)
  }
  const own = nodes.filter(({ nodePool }) => nodePool === name)
  if (own.length === 0) return reason(about, 'idle', 'NoNodes', 'it has no nodes')
  if (total === 0) return reason(about, 'idle', 'NoNodes', 'none of its nodes is initialized yet')
  if (allowed === 0) return zeroReason(pool, about, now)
  const most = allowed === unlimited ? 'any number' : String(allowed)
  const counts = `${most} of ${total} nodes allowed, ${disrupting} disrupting or not ready`
  if (remaining > 0) return reason(about, 'allows', 'WithinBudget', counts)
  const isUnderWay = own.some(({ node, markedForDeletion }) => markedForDeletion || isDeleted(node))
  const help = isUnderWay
    ? nodeHelp.BudgetExhausted
    : 'mend the nodes that are not ready: they use the budget up; or raise spec.disruption.budgets of the NodePool'
  return reason(about, 'blocks', 'BudgetExhausted', counts, help)
}

function zeroReason(pool: NodePool, about: VoluntaryReason, now: number): Reason {
  const end = zeroBudgetEnd(pool, about, now)
  if (end === undefined) {
    const message = 'spec.disruption.budgets allow no node, and nothing ends that by itself'
    return reason(about, 'blocks', 'BudgetIsZero', message, nodeHelp.BudgetIsZero)
  }
  const message = `a scheduled budget allows no node until ${momentText(end, now)}`
  const help = 'wait until then, or change the schedule in spec.disruption.budgets of the NodePool'
  return reason(about, 'blocks', 'BudgetExhausted', message, help)
}

function isDeleted(node: Snapshot['nodes'][number]['node']): boolean {
  return node?.metadata.deletionTimestamp !== undefined
}
