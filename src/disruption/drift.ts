import { conditionOf, isConditionTrue } from '../api/conditions.ts'
import { parseTimestamp } from '../model/clock.ts'
import { compareText } from '../model/order.ts'
import { type BudgetMap, BudgetPurse } from './budgets.ts'
import { type Blocked, type Candidate, isStatic, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import type { DisruptionGate } from './gate.ts'
import { heldByBudget } from './held-by-budget.ts'
import type { Simulate } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'

/** Those of static pools are `decideStaticDrift`'s. */
export function filterDrifted(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((candidate) => !isStatic(candidate.pool) && isDrifted(candidate))
}

export function isDrifted(candidate: Candidate): boolean {
  return isConditionTrue(candidate.nodeClaim, 'Drifted')
}

/** Those without pods to move first, each part by how long it has drifted. */
export function driftOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  const oldestFirst = candidates
    .map((candidate) => ({ candidate, since: driftedSince(candidate) }))
    .toSorted((a, b) => a.since - b.since || compareText(a.candidate.name, b.candidate.name))
    .map(({ candidate }) => candidate)
  const isIdle = (candidate: Candidate): boolean => candidate.reschedulablePods.length === 0
  return [...oldestFirst.filter(isIdle), ...oldestFirst.filter((candidate) => !isIdle(candidate))]
}

export interface DriftDecision<Plan extends Replacement> {
  /** The first node in order that its budget and the other nodes' room let go. */
  readonly command: Command<Plan> | undefined
  readonly blocked: readonly Blocked[]
}

/** One node at a time, in `driftOrder` unless `inOrder` makes another of it. Blocked are those before it that neither budget nor room let go. */
export function* decideDrift<Plan extends Replacement>(
  eligible: readonly Candidate[],
  budgets: BudgetMap,
  simulate: Simulate<Plan>,
  inOrder?: DisruptionGate['driftOrder'],
): Sliced<DriftDecision<Plan>> {
  const purse = new BudgetPurse(budgets)
  const blocked: Blocked[] = []
  const usual = driftOrder(eligible)
  for (const candidate of inOrder?.(usual) ?? usual) {
    const { stateNode } = candidate
    if (purse.remaining(poolName(candidate)) === 0) {
      blocked.push(heldByBudget(candidate, 'Drifted'))
      continue
    }
    const result = yield* simulate({ candidates: [candidate], destinations: 'any' })
    if (result.kind === 'candidateDeleting') continue
    if (result.unplaced !== undefined) {
      blocked.push({ stateNode, ...unplacedBlock(candidate, result.unplaced), reported: 'DisruptionBlocked' })
      continue
    }
    const { replacements, destinations } = result
    const command: Command<Plan> = {
      method: 'drift',
      reason: 'Drifted',
      candidates: [candidate],
      replacements,
      destinations,
    }
    return { command, blocked }
  }
  return { command: undefined, blocked }
}

/** What holds a drifted node whose pods have no room elsewhere: where types are unknown nobody can say that no new node would do. */
export function unplacedBlock(
  { typesUnknown }: Pick<Candidate, 'typesUnknown'>,
  unplaced: string,
): Pick<Blocked, 'message'> & { readonly code: 'InstanceTypesUnknown' | 'PodsWouldNotSchedule' } {
  return typesUnknown === undefined
    ? { code: 'PodsWouldNotSchedule', message: capitalized(unplaced) }
    : { code: 'InstanceTypesUnknown', message: `its pods need a new node; ${typesUnknown}` }
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function driftedSince(candidate: Candidate): number {
  return parseTimestamp(conditionOf(candidate.nodeClaim, 'Drifted')?.lastTransitionTime) ?? 0
}
