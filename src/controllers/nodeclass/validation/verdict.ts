/** How a class came out of its checks against EC2; kept, so that they are not repeated every few minutes. */
export type ValidationVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string; readonly message: string }

/** What one dry run means. */
export type ProbeOutcome =
  | { readonly kind: 'passed' }
  | {
      readonly kind: 'failed'
      readonly verdict: Extract<ValidationVerdict, { kind: 'invalid' }>
      readonly keep: boolean
    }
  /** EC2 could not say; ask again soon. */
  | { readonly kind: 'undecided' }

export const passed: ProbeOutcome = { kind: 'passed' }
export const undecided: ProbeOutcome = { kind: 'undecided' }

export function failed(reason: string, message: string, keep = true): ProbeOutcome {
  return { kind: 'failed', verdict: { kind: 'invalid', reason, message }, keep }
}
