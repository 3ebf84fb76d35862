import type { Logger } from '../../kube/logger.ts'
import { backOff, done, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import type { ClaimDraft } from './claim-draft.ts'

/** What a step of the claim's life asks for. Errors do not keep the later steps from running. */
export interface ClaimStepOutcome {
  readonly requeueAfterMs?: number | undefined
  /** A write conflicted: try again soon, without an error. */
  readonly conflict?: boolean
  readonly error?: unknown
}

export type ClaimStep = (draft: ClaimDraft, context: ClaimStepContext) => Promise<ClaimStepOutcome>

export interface ClaimStepContext {
  readonly log: Logger
}

/** @throws the collected errors: one as it is, several as an AggregateError. */
export function combineOutcomes(outcomes: readonly ClaimStepOutcome[]): ReconcileResult {
  const errors = outcomes.flatMap((outcome) => (outcome.error === undefined ? [] : [outcome.error]))
  if (errors.length > 0) throw combineErrors(errors)
  if (outcomes.some((outcome) => outcome.conflict === true)) return backOff
  const waits = outcomes.flatMap((outcome) => outcome.requeueAfterMs ?? [])
  return waits.length === 0 ? done : requeueAfter(Math.max(0, Math.min(...waits)))
}
