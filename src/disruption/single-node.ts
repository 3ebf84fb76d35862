import { compareText } from '../model/order.ts'
import { passesPreCheck, type PoolTotals, type Score, scoreCommand } from './balanced.ts'
import { type BudgetMap, BudgetPurse } from './budgets.ts'
import { type Blocked, bySavingsRatio, type Candidate, poolName } from './candidates.ts'
import type { Command, Replacement } from './command.ts'
import { computeConsolidation, type ConsolidationOptions, type ConsolidationResult } from './consolidation.ts'
import { heldByBudget } from './held-by-budget.ts'
import type { Simulate } from './simulation.ts'
import type { Sliced } from '../model/sliced.ts'

const singleNodeTimeoutMs = 180_000

export interface SingleNodeInput<Plan extends Replacement> {
  readonly eligible: readonly Candidate[]
  readonly budgets: BudgetMap
  readonly totals: ReadonlyMap<string, PoolTotals>
  readonly simulate: Simulate<Plan>
  readonly options: ConsolidationOptions
  /** Pools that a run that timed out did not reach: they go first now. */
  readonly unseenPools: ReadonlySet<string>
  /** Provider IDs of nodes whose last plan did not hold until it was looked at again: they go last, or nobody else would have a turn. */
  readonly unsteady: ReadonlySet<string>
  /** Milliseconds since the search began, on the injected clock. */
  readonly elapsedMs: () => number
}

/** What a search found, one candidate at a time; the caller validates each and stops when it likes. */
type SingleNodeStep<Plan extends Replacement> =
  | { readonly kind: 'command'; readonly command: Command<Plan>; readonly scores: readonly Score[] }
  | {
      readonly kind: 'nothing'
      readonly constrained: boolean
      readonly timedOut: boolean
      /** Pools not reached, for the next run. */
      readonly unseenPools: ReadonlySet<string>
      readonly candidatesEvaluated: number
    }

export interface SingleNodeDecision<Plan extends Replacement> {
  readonly step: SingleNodeStep<Plan>
  readonly blocked: readonly Blocked[]
  /** Commands that a Balanced pool's score refused. */
  readonly rejected: readonly { readonly command: Command<Plan>; readonly scores: readonly Score[] }[]
  /** Each replacement found: events tell of them. */
  readonly considered: readonly Command<Plan>[]
  /** Candidates that could not be judged, and by what: one of them keeps nobody else from being judged. */
  readonly failed: readonly { readonly candidate: Candidate; readonly error: unknown }[]
}

/** The first node, in an order that is fair to pools, that can be deleted or traded for a cheaper one. */
export function* decideSingleNode<Plan extends Replacement>(
  input: SingleNodeInput<Plan>,
): Sliced<SingleNodeDecision<Plan>> {
  const { budgets, totals, simulate, options } = input
  const purse = new BudgetPurse(budgets)
  const blocked: Blocked[] = []
  const rejected: { command: Command<Plan>; scores: readonly Score[] }[] = []
  const considered: Command<Plan>[] = []
  const failed: { candidate: Candidate; error: unknown }[] = []
  const unseen = new Set(input.eligible.map(poolName))
  let constrained = false
  let candidatesEvaluated = 0
  const finish = (step: SingleNodeStep<Plan>): SingleNodeDecision<Plan> => ({
    step,
    blocked,
    rejected,
    considered,
    failed,
  })
  function* judged(candidate: Candidate): Sliced<ConsolidationResult<Plan> | undefined> {
    try {
      return yield* computeConsolidation('singleNode', [candidate], simulate, options)
    } catch (error) {
      failed.push({ candidate, error })
      return undefined
    }
  }
  const ordered = fairOrder(input.eligible, input.unseenPools)
  const isUnsteady = ({ providerID }: Candidate): boolean => input.unsteady.has(providerID)
  for (const candidate of ordered.toSorted((a, b) => Number(isUnsteady(a)) - Number(isUnsteady(b)))) {
    if (input.elapsedMs() > singleNodeTimeoutMs) {
      return finish({ kind: 'nothing', constrained, timedOut: true, unseenPools: unseen, candidatesEvaluated })
    }
    unseen.delete(poolName(candidate))
    if (purse.remaining(poolName(candidate)) === 0) {
      constrained = true
      blocked.push(heldByBudget(candidate, 'Underutilized'))
      continue
    }
    const { stateNode } = candidate
    if (!passesPreCheck(candidate, totals)) {
      const message = 'Deleting the node would save less than its pods are worth under the Balanced policy'
      blocked.push({ stateNode, code: 'ScoreTooLow', message, reported: 'silently' })
      continue
    }
    candidatesEvaluated += 1
    const result = yield* judged(candidate)
    if (result === undefined) continue
    if (result.kind === 'nothing') {
      const { code, message } = result
      if (code !== undefined && message !== undefined) {
        blocked.push({ stateNode, code, message, reported: 'Unconsolidatable' })
      }
      continue
    }
    if (result.command.replacements.length > 0) considered.push(result.command)
    const scores = scoreCommand(result.command, totals, options.wellKnownLabels)
    if (scores.every((found) => found.approved)) return finish({ kind: 'command', command: result.command, scores })
    rejected.push({ command: result.command, scores })
    const message = 'What this would save is worth less than the pods that it would move under the Balanced policy'
    blocked.push({ stateNode, code: 'ScoreTooLow', message, reported: 'silently' })
  }
  return finish({ kind: 'nothing', constrained, timedOut: false, unseenPools: new Set(), candidatesEvaluated })
}

/** Position i of every pool before position i + 1 of any; pools left over from a run that timed out first. */
export function fairOrder(candidates: readonly Candidate[], unseenPools: ReadonlySet<string>): readonly Candidate[] {
  const byPool = Map.groupBy(candidates.toSorted(bySavingsRatio), poolName)
  const pools = [...byPool.keys()].toSorted(
    (a, b) => Number(unseenPools.has(b)) - Number(unseenPools.has(a)) || compareText(a, b),
  )
  const rounds = Math.max(0, ...[...byPool.values()].map((list) => list.length))
  const ordered: Candidate[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const pool of pools) {
      const candidate = byPool.get(pool)?.[round]
      if (candidate !== undefined) ordered.push(candidate)
    }
  }
  return ordered
}
