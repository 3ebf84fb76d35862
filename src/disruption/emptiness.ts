import { isConditionTrue } from '../api/conditions.ts'
import { isNonEmpty } from '../model/order.ts'
import { type BudgetMap, BudgetPurse } from './budgets.ts'
import { type Blocked, bySavingsRatio, type Candidate, isEmpty, isStatic, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import { heldByBudget } from './held-by-budget.ts'

/** Nodes that emptiness may take, and what it says about the others. */
export interface Filtered {
  readonly eligible: readonly Candidate[]
  readonly blocked: readonly Blocked[]
}

export function isConsolidationDisabled(candidate: Candidate): boolean {
  return candidate.pool.spec.disruption?.consolidateAfter === 'Never'
}

export function isConsolidatable(candidate: Candidate): boolean {
  return isConditionTrue(candidate.nodeClaim, 'Consolidatable')
}

/** `bufferNodes`: keys of the nodes that hosted virtual buffer pods in the last provisioning pass. */
export function filterEmpty(candidates: readonly Candidate[], bufferNodes: Pick<ReadonlySet<string>, 'has'>): Filtered {
  const eligible: Candidate[] = []
  const blocked: Blocked[] = []
  for (const candidate of candidates) {
    if (isStatic(candidate.pool)) continue
    const { stateNode } = candidate
    if (isConsolidationDisabled(candidate)) {
      const message = `NodePool "${poolName(candidate)}" has consolidation disabled`
      blocked.push({ stateNode, code: 'ConsolidationDisabled', message, reported: 'Unconsolidatable' })
    } else if (bufferNodes.has(stateNode.key)) {
      const message = `Node "${candidate.name}" has buffer pods`
      blocked.push({ stateNode, code: 'BufferPods', message, reported: 'Unconsolidatable' })
    } else if (isEmpty(candidate) && isConsolidatable(candidate)) {
      eligible.push(candidate)
    }
  }
  return { eligible, blocked }
}

export type EmptinessDecision<Plan extends Replacement> = (
  | { readonly kind: 'command'; readonly command: Command<Plan> }
  /** `constrained`: some budget held nodes back, so the cluster is not as consolidated as it could be. */
  | { readonly kind: 'nothing'; readonly constrained: boolean }
) & { readonly blocked: readonly Blocked[] }

/** One command for all empty nodes that the budgets let go, dearest first. */
export function decideEmptiness<Plan extends Replacement>(
  eligible: readonly Candidate[],
  budgets: BudgetMap,
): EmptinessDecision<Plan> {
  const purse = new BudgetPurse(budgets)
  const blocked: Blocked[] = []
  const taken = eligible.toSorted(bySavingsRatio).filter((candidate) => {
    const isLetGo = purse.spend(poolName(candidate))
    if (!isLetGo) blocked.push(heldByBudget(candidate, 'Empty'))
    return isLetGo
  })
  if (!isNonEmpty(taken)) return { kind: 'nothing', constrained: eligible.length > 0, blocked }
  return {
    kind: 'command',
    blocked,
    command: { method: 'emptiness', reason: 'Empty', candidates: taken, replacements: [], destinations: [] },
  }
}
