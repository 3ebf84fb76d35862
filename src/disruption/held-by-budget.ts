import type { VoluntaryReason } from './budgets.ts'
import type { Blocked, Candidate } from './candidates.ts'

/** Told of each node where somebody asks; the event is the pool's. */
export function heldByBudget({ stateNode }: Candidate, reason: VoluntaryReason): Blocked {
  const message = `No allowed disruptions for disruption reason ${reason} due to blocking budget`
  return { stateNode, code: 'BudgetExhausted', message, reported: 'silently' }
}
