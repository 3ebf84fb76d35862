import { budgetHoldText, type VoluntaryReason } from './budgets.ts'
import type { Blocked, Candidate } from './candidates.ts'

/** Told of each node where somebody asks; the event is the pool's. */
export function heldByBudget({ stateNode }: Candidate, reason: VoluntaryReason): Blocked {
  return { stateNode, code: 'BudgetExhausted', message: budgetHoldText(reason), reported: 'silently' }
}
