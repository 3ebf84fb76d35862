import { durationMs } from '../../api/duration.ts'
import type { RolloutRate, RolloutRateStatus } from '../../api/karpenter.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'

/** What is left of a rate after those that began have paid. */
export interface RateResult {
  /** To be remembered; undefined for a full bucket. */
  readonly status: RolloutRateStatus | undefined
  /** Replacements that may begin now. */
  readonly allowed: number
  /** When one more may begin; undefined when none has to wait. */
  readonly nextAt: number | undefined
  /** When a replacement that was broken off has to be paid for again; undefined when there is none. */
  readonly lapsesAt: number | undefined
}

export interface RateInput {
  readonly rate: RolloutRate | undefined
  readonly previous: RolloutRateStatus | undefined
  /** Claims whose replacement is under way. */
  readonly going: ReadonlySet<string>
  /** Claims that are there at all. */
  readonly present: ReadonlySet<string>
  readonly now: number
}

/**
 * A token bucket that is full at first. A claim pays once: a replacement that a crash or a missing node broke off, and that begins
 * again, is the same replacement. Not for ever: once the bucket is full again its token has come back, and whoever begins takes another, or
 * what was broken off long ago would begin beside a full bucket.
 */
export function spendRate({ rate, previous, going, present, now }: RateInput): RateResult {
  if (rate === undefined)
    return { status: undefined, allowed: Number.POSITIVE_INFINITY, nextAt: undefined, lapsesAt: undefined }
  const { nodes: capacity } = rate
  const msPerToken = Math.max(1, durationMs(rate.per)) / capacity
  const rememberedAt = parseTimestamp(previous?.time) ?? now
  // As written by a clock that was ahead: until it has come nothing would fill.
  const isAhead = rememberedAt > now
  const before = previous === undefined ? capacity : Number(previous.tokens)
  const filled = Math.min(capacity, before + (isAhead ? 0 : now - rememberedAt) / msPerToken)
  const isFull = capacity - filled < epsilon
  const paid = (previous?.paid ?? []).filter((name) => (isFull ? going : present).has(name))
  const known = new Set(paid)
  const owing = [...going].filter((name) => !known.has(name)).toSorted(compareText)
  const tokens = filled - owing.length
  const stillPaid = [...paid, ...owing].toSorted(compareText)
  const allowed = Math.max(0, Math.floor(tokens + epsilon))
  // To the thousandth of a millisecond: a whole number must not be rounded up for what a fraction is off.
  const waitMs = Math.ceil(Math.round((1 - tokens) * msPerToken * 1_000) / 1_000)
  const nextAt = allowed >= 1 ? undefined : now + waitMs
  const isBrokenOff = stillPaid.some((name) => !going.has(name))
  const lapsesAt = isBrokenOff ? now + Math.max(0, Math.ceil((capacity - tokens) * msPerToken)) : undefined
  const result = { allowed, nextAt, lapsesAt }
  // Time alone does not change what is remembered: the same two numbers say it at any later moment.
  if (owing.length === 0 && previous !== undefined && !isAhead && (!isFull || paid.length > 0)) {
    const { tokens: asBefore, time } = previous
    return { status: { tokens: asBefore, time, ...paidOf(stillPaid) }, ...result }
  }
  if (capacity - tokens < epsilon && stillPaid.length === 0) return { status: undefined, ...result }
  // Times have whole seconds: what the cut-off part of a second filled is not given twice.
  const cutMs = now % 1_000
  const atSecond = Math.min(capacity, tokens - cutMs / msPerToken)
  return { status: { tokens: atSecond.toFixed(6), time: toTimestamp(now), ...paidOf(stillPaid) }, ...result }
}

/** Sums of fractions come out a little below the whole number that they are. */
const epsilon = 1e-5

function paidOf(paid: readonly string[]): { paid?: string[] } {
  return paid.length === 0 ? {} : { paid: [...paid] }
}
