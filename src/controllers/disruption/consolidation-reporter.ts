import { balanceFactor, balanceThreshold, policyOf, type Score } from '../../disruption/balanced.ts'
import { type Command, decisionOf, estimatedSavings, type Replacement } from '../../disruption/command.ts'
import type { Logger } from '../../kube/logger.ts'
import type { DisruptionDeps } from './deps.ts'
import { consolidationApprovedEvents, consolidationCandidateEvents } from './events.ts'

/** Turns what a consolidation search found into events, metrics and log lines. */
export class ConsolidationReporter {
  readonly #deps: Pick<DisruptionDeps<Replacement>, 'recorder' | 'metrics' | 'settings'>

  constructor(deps: Pick<DisruptionDeps<Replacement>, 'recorder' | 'metrics' | 'settings'>) {
    this.#deps = deps
  }

  considered(commands: readonly Command<Replacement>[]): void {
    for (const command of commands) {
      const savings = estimatedSavings(command, this.#deps.settings.wellKnownLabels)
      this.#deps.recorder.publish(...consolidationCandidateEvents(command, savings))
    }
  }

  scored(command: Command<Replacement>, scores: readonly Score[], log: Logger): void {
    for (const score of scores) log.debug(scoreFields(score, command), 'consolidation score')
  }

  rejectedSingleNode(command: Command<Replacement>, scores: readonly Score[], log: Logger): void {
    this.scored(command, scores, log)
    this.#countMoves(command, scores, 'rejected')
  }

  /** Once for the whole search, not for each of its steps. */
  rejectedMultiNode(scores: readonly Score[]): void {
    for (const { pool, score } of scores) {
      const labels = { decision: 'rejected', nodepool: pool, policy: 'Balanced' }
      this.#deps.metrics.consolidationMoves.increment(labels)
      this.#deps.metrics.consolidationScore.observe(labels, score)
    }
  }

  approved(command: Command<Replacement>, scores: readonly Score[]): void {
    this.#countMoves(command, scores, 'approved')
    this.#deps.recorder.publish(...consolidationApprovedEvents(command, scores))
  }

  #countMoves(command: Command<Replacement>, scores: readonly Score[], decision: 'approved' | 'rejected'): void {
    const policies = new Map(command.candidates.map((candidate) => [candidate.pool.metadata.name, policyOf(candidate)]))
    for (const [nodepool, policy] of policies) {
      this.#deps.metrics.consolidationMoves.increment({ decision, nodepool, policy })
    }
    for (const { pool, score } of scores) {
      this.#deps.metrics.consolidationScore.observe({ decision, nodepool: pool, policy: 'Balanced' }, score)
    }
  }
}

function scoreFields(score: Score, command: Command<Replacement>): object {
  return {
    nodepool: score.pool,
    score: score.score,
    savings_fraction: score.savingsFraction,
    disruption_fraction: score.disruptionFraction,
    savings: score.savings,
    disruption_cost: score.disruptionCost,
    nodepool_total_cost: score.totals.cost,
    nodepool_total_disruption_cost: score.totals.disruptionCost,
    threshold: balanceThreshold,
    k: balanceFactor,
    approved: score.approved,
    decision: decisionOf(command),
    candidates: command.candidates.map((candidate) => candidate.name),
  }
}
