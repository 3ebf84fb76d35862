import { judgeMinValues } from '../model/min-values.ts'
import { isOfferingCompatible, worstLaunchPrice } from '../model/offering-price.ts'
import { labelRequirements } from '../model/requirements.ts'
import { type PoolTotals, type Score, scoreCommand } from './balanced.ts'
import { type BudgetMap, BudgetPurse } from './budgets.ts'
import { bySavingsRatio, type Candidate, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import { computeConsolidation, type ConsolidationOptions } from './consolidation.ts'
import type { Simulate } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'

/** The prefix search starts here; one more node can still be reached by its last step. */
const batchMax = 100
/** Wall-clock bound of the whole search. */
const multiNodeTimeoutMs = 60_000

export interface MultiNodeInput<Plan extends Replacement> {
  readonly eligible: readonly Candidate[]
  readonly budgets: BudgetMap
  readonly totals: ReadonlyMap<string, PoolTotals>
  readonly simulate: Simulate<Plan>
  readonly options: ConsolidationOptions
  /** Milliseconds since the search began. */
  readonly elapsedMs: () => number
}

export interface MultiNodeDecision<Plan extends Replacement> {
  readonly command: Command<Plan> | undefined
  /** The last one that scoring refused, when none was found. */
  readonly rejected: Command<Plan> | undefined
  /** Of either. */
  readonly scores: readonly Score[]
  /** Some budget held nodes back. */
  readonly constrained: boolean
  readonly timedOut: { readonly lastBatchSize: number } | undefined
  /** Each replacement that a step found, before it was filtered or scored: events tell of them. */
  readonly considered: readonly Command<Plan>[]
}

interface Scored<Plan extends Replacement> {
  readonly command: Command<Plan>
  readonly scores: readonly Score[]
}

/** The longest leading part of the candidates, found by bisection, that can go together. */
export function* decideMultiNode<Plan extends Replacement>(
  input: MultiNodeInput<Plan>,
): Sliced<MultiNodeDecision<Plan>> {
  const { eligible, budgets, simulate, options, totals } = input
  const purse = new BudgetPurse(budgets)
  const allowed = eligible.toSorted(bySavingsRatio).filter((candidate) => purse.spend(poolName(candidate)))
  const constrained = allowed.length < eligible.length
  const considered: Command<Plan>[] = []
  let best: Scored<Plan> | undefined
  let refused: Scored<Plan> | undefined
  const outcome = (timedOut?: { lastBatchSize: number }): MultiNodeDecision<Plan> => ({
    command: best?.command,
    scores: (best ?? refused)?.scores ?? [],
    rejected: best === undefined ? refused?.command : undefined,
    constrained,
    timedOut,
    considered,
  })
  let low = 1
  let high = Math.min(batchMax, allowed.length - 1)
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    if (input.elapsedMs() > multiNodeTimeoutMs) return outcome({ lastBatchSize: middle + 1 })
    const result = yield* computeConsolidation('multiNode', allowed.slice(0, middle + 1), simulate, options)
    if (result.kind === 'command' && result.command.replacements.length > 0) considered.push(result.command)
    const command = result.kind === 'command' ? withoutSameType(result.command, options) : undefined
    const scores = command === undefined ? [] : scoreCommand(command, totals, options.wellKnownLabels)
    const approved = command !== undefined && scores.every((found) => found.approved)
    if (approved) best = { command, scores }
    else if (command !== undefined) refused = { command, scores }
    if (approved) low = middle + 1
    else high = middle - 1
  }
  return outcome()
}

/**
 * Never replaces {A, A, small} by `small` or anything as dear: that would only be deleting the others. Undefined when no type is
 * left.
 */
function withoutSameType<Plan extends Replacement>(
  command: Command<Plan>,
  { wellKnownLabels }: ConsolidationOptions,
): Command<Plan> | undefined {
  const [plan] = command.replacements
  if (plan === undefined) return command
  const priceByType = new Map<string, number>()
  for (const candidate of command.candidates) {
    const price = cheapestOwnPrice(candidate, wellKnownLabels)
    const known = priceByType.get(candidate.instanceTypeName) ?? Number.POSITIVE_INFINITY
    priceByType.set(candidate.instanceTypeName, Math.min(known, price))
  }
  const bounds = plan.instanceTypes.map((type) => priceByType.get(type.name) ?? Number.POSITIVE_INFINITY)
  const bound = Math.min(...bounds)
  if (bound === Number.POSITIVE_INFINITY) return command
  const instanceTypes = plan.instanceTypes.filter(
    (type) => worstLaunchPrice(type, plan.requirements, wellKnownLabels) < bound,
  )
  if (instanceTypes.length === 0 || judgeMinValues(instanceTypes, plan.requirements).kind === 'unmet') return undefined
  return { ...command, replacements: [{ ...plan, instanceTypes }] }
}

function cheapestOwnPrice(candidate: Candidate, wellKnownLabels: ReadonlySet<string>): number {
  const labels = labelRequirements(candidate.stateNode.labels, new Map())
  const prices = (candidate.instanceType?.offerings ?? [])
    .filter((offering) => isOfferingCompatible(labels, offering, wellKnownLabels))
    .map((offering) => offering.price)
  return Math.min(Number.POSITIVE_INFINITY, ...prices)
}
