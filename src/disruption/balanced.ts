import { fixedText } from '../model/fixed-text.ts'
import { sumPrices } from '../model/instance-type.ts'
import { compareText } from '../model/order.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { VoluntaryReason } from './budgets.ts'
import { type Candidate, poolName } from './candidates.ts'
import { type Command, estimatedSavings, type Replacement } from './command.ts'

/** k of the Balanced policy: savings may cost twice their share in disruption. */
export const balanceFactor = 2
export const balanceThreshold = 1 / balanceFactor

/** What a whole pool costs in money and in disruption, once per run of a method. */
export interface PoolTotals {
  readonly cost: number
  readonly disruptionCost: number
}

export interface TotalsInput {
  readonly snapshot: Snapshot
  /** Every node that passed candidacy, whatever the method then filters. */
  readonly candidates: readonly Candidate[]
  /** US dollars per hour as the shell tracks it over all claims; only above 0 it is used. */
  readonly trackedCost: ReadonlyMap<string, number>
  /** Disruption cost by state-node key as the shell tracks it; 1 for a node that it knows nothing of. */
  readonly trackedDisruptionCost: ReadonlyMap<string, number>
}

/** Totals of each pool that has a candidate; the others have none. */
export function poolTotals(input: TotalsInput): ReadonlyMap<string, PoolTotals> {
  const candidateByKey = new Map(input.candidates.map((candidate) => [candidate.stateNode.key, candidate]))
  const byPool = Map.groupBy(input.candidates, poolName)
  const totals = new Map<string, PoolTotals>()
  for (const pool of [...byPool.keys()].toSorted(compareText)) {
    const costs = input.snapshot.nodes
      .filter((node) => node.nodePool === pool)
      .map((node) => candidateByKey.get(node.key)?.disruptionCost ?? input.trackedDisruptionCost.get(node.key) ?? 1)
    const tracked = input.trackedCost.get(pool) ?? 0
    const prices = (byPool.get(pool) ?? []).map((candidate) => candidate.price)
    totals.set(pool, { cost: tracked > 0 ? tracked : sumPrices(prices), disruptionCost: sumPrices(costs) })
  }
  return totals
}

/** How a command fares in one Balanced pool; the numbers are those of the `consolidation score` log line. */
export interface Score {
  readonly pool: string
  readonly score: number
  readonly approved: boolean
  readonly savings: number
  readonly savingsFraction: number
  readonly disruptionCost: number
  readonly disruptionFraction: number
  readonly totals: PoolTotals
}

function isBalanced(candidate: Candidate): boolean {
  return candidate.pool.spec.disruption?.consolidationPolicy === 'Balanced'
}

/** One score per Balanced pool among the candidates, in pool order; pools of other policies are not scored. */
export function scoreCommand(
  command: Pick<Command<Replacement>, 'candidates' | 'replacements'>,
  totals: ReadonlyMap<string, PoolTotals>,
  wellKnownLabels: ReadonlySet<string>,
): readonly Score[] {
  const savings = estimatedSavings(command, wellKnownLabels)
  const sourcePrice = sumPrices(command.candidates.map((candidate) => candidate.price))
  const byPool = Map.groupBy(command.candidates, poolName)
  return [...byPool.entries()]
    .toSorted(([a], [b]) => compareText(a, b))
    .filter(([, candidates]) => candidates.some(isBalanced))
    .map(([pool, candidates]) => {
      const poolPrice = sumPrices(candidates.map((candidate) => candidate.price))
      const isShared = byPool.size > 1 && sourcePrice > 0
      const poolSavings = isShared ? savings * (poolPrice / sourcePrice) : savings
      const disruptionCost = sumPrices(candidates.map((candidate) => candidate.disruptionCost))
      return score(pool, poolSavings, disruptionCost, totals.get(pool) ?? { cost: 0, disruptionCost: 0 })
    })
}

/** Whether deleting the node outright would be worth it: what cannot pass this need not be simulated. */
export function passesPreCheck(candidate: Candidate, totals: ReadonlyMap<string, PoolTotals>): boolean {
  if (!isBalanced(candidate)) return true
  const poolTotal = totals.get(poolName(candidate))
  if (poolTotal === undefined || poolTotal.cost <= 0) return true
  return score(poolName(candidate), candidate.price, candidate.disruptionCost, poolTotal).approved
}

/** `score %.2f >= threshold %.2f (k: 2, …)`, the message of ConsolidationApproved. */
export function approvalText(found: Score): string {
  const percent = (share: number): string => `${fixedText(share * 100, 1)}%`
  const shares = `savings ${percent(found.savingsFraction)}, disruption ${percent(found.disruptionFraction)}`
  return `score ${fixedText(found.score, 2)} >= threshold ${balanceThreshold.toFixed(2)} (k: ${balanceFactor}, ${shares})`
}

/** As the pool spells it. */
export function policyOf({ pool }: Candidate): string {
  return pool.spec.disruption?.consolidationPolicy ?? 'WhenEmptyOrUnderutilized'
}

/** The pool's policy as metrics of what was disrupted label it; empty for reasons that no policy governs. */
export function policyLabel(candidate: Candidate, reason: VoluntaryReason): string {
  if (reason === 'Drifted') return ''
  return policyOf(candidate)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
}

function score(pool: string, savings: number, disruptionCost: number, totals: PoolTotals): Score {
  const savingsFraction = totals.cost > 0 ? savings / totals.cost : 0
  const disruptionFraction = totals.disruptionCost > 0 ? disruptionCost / totals.disruptionCost : 0
  const value = scoreValue(savingsFraction, disruptionFraction, totals)
  const approved = value >= balanceThreshold
  return { pool, score: value, approved, savings, savingsFraction, disruptionCost, disruptionFraction, totals }
}

function scoreValue(savingsFraction: number, disruptionFraction: number, totals: PoolTotals): number {
  if (totals.cost <= 0 || totals.disruptionCost <= 0 || savingsFraction <= 0) return 0
  return disruptionFraction === 0 ? Number.POSITIVE_INFINITY : rounded(savingsFraction / disruptionFraction)
}

/**
 * Without the last digits of a binary fraction. Sizes of a family cost half of one another, so a node among equal ones that could be half as
 * large scores just the threshold, and must not miss it by one part in 10¹⁶ because of its price.
 */
function rounded(score: number): number {
  return Math.round(score * 1e12) / 1e12
}
