import { isNonEmpty } from '../model/order.ts'
import { type BudgetMap, BudgetPurse } from './budgets.ts'
import { type Candidate, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import type { Simulate } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'

/** How long a consolidation waits before it looks again: pods that were about to come have come by then. */
export const validationDelayMs = 15_000

type ValidationFailure = 'budget' | 'scheduling' | 'churn'

export type Validation<Plan extends Replacement> =
  | { readonly kind: 'valid'; readonly command: Command<Plan>; readonly dropped: number }
  | {
      readonly kind: 'invalid'
      readonly failure: ValidationFailure
      readonly message: string
      readonly dropped: number
    }

export interface ValidationInput<Plan extends Replacement> {
  readonly command: Command<Plan>
  /** Survey and filter of the same method, run again after the wait. */
  readonly eligible: readonly Candidate[]
  /** Budgets of the command's reason, computed again. */
  readonly budgets: BudgetMap
  readonly now: number
}

/** The nodes that are still empty and within budget; invalid only when none is. */
export function validateEmptiness<Plan extends Replacement>(input: ValidationInput<Plan>): Validation<Plan> {
  const { command } = input
  const current = stillEligible(input)
  const all = command.candidates.length
  if (current.length === 0) return churn(all, all)
  const purse = new BudgetPurse(input.budgets)
  const kept = current.filter((candidate) => !isNominated(candidate, input.now) && purse.spend(poolName(candidate)))
  if (!isNonEmpty(kept)) {
    const message = 'a candidate can no longer be disrupted without violating budgets'
    return { kind: 'invalid', failure: 'budget', message, dropped: all }
  }
  return { kind: 'valid', command: { ...command, candidates: kept }, dropped: all - kept.length }
}

/** All nodes must still be eligible and within budget: the first and the last step of validating a consolidation. */
export function validateCandidates<Plan extends Replacement>(input: ValidationInput<Plan>): Validation<Plan> {
  const { command } = input
  const current = stillEligible(input)
  const gone = command.candidates.length - current.length
  if (gone > 0 || !isNonEmpty(current)) return churn(gone, command.candidates.length)
  const purse = new BudgetPurse(input.budgets)
  const dropped = command.candidates.length
  for (const candidate of current) {
    if (isNominated(candidate, input.now)) {
      return { kind: 'invalid', failure: 'budget', message: 'a candidate was nominated during validation', dropped }
    }
    if (!purse.spend(poolName(candidate))) {
      const message = 'a candidate can no longer be disrupted without violating budgets'
      return { kind: 'invalid', failure: 'budget', message, dropped }
    }
  }
  return { kind: 'valid', command: { ...command, candidates: current }, dropped: 0 }
}

/** Whether the world still gives the answer that the command rests on. */
export function* validateSimulation<Plan extends Replacement>(
  command: Command<Plan>,
  simulate: Simulate<Plan>,
): Sliced<Validation<Plan>> {
  const dropped = command.candidates.length
  const refuse = (message: string): Validation<Plan> => ({ kind: 'invalid', failure: 'scheduling', message, dropped })
  const result = yield* simulate({ candidates: command.candidates, destinations: 'stable' })
  if (result.kind === 'candidateDeleting') return refuse('candidate is deleting')
  if (result.unplaced !== undefined) return refuse(result.unplaced)
  const changed = 'scheduling simulation produced new results'
  const [plan, second] = result.replacements
  const [chosen] = command.replacements
  if (plan === undefined) return chosen === undefined ? { kind: 'valid', command, dropped: 0 } : refuse(changed)
  if (second !== undefined || chosen === undefined) return refuse(changed)
  // Another pool now: the chosen one may have no room left under its limits.
  if (plan.nodePool !== chosen.nodePool) return refuse(changed)
  const offered = new Set(plan.instanceTypes.map((type) => type.name))
  return chosen.instanceTypes.every((type) => offered.has(type.name))
    ? { kind: 'valid', command, dropped: 0 }
    : refuse(changed)
}

function stillEligible<Plan extends Replacement>({ command, eligible }: ValidationInput<Plan>): readonly Candidate[] {
  const byName = new Map(eligible.map((candidate) => [candidate.name, candidate]))
  return command.candidates.flatMap((candidate) => byName.get(candidate.name) ?? [])
}

function isNominated(candidate: Candidate, now: number): boolean {
  return candidate.stateNode.nominatedUntil > now
}

function churn<Plan extends Replacement>(gone: number, dropped: number): Validation<Plan> {
  return { kind: 'invalid', failure: 'churn', message: `${gone} candidates are no longer valid`, dropped }
}
