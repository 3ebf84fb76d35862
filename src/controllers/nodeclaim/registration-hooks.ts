import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { RegistrationHook } from '../../cloud/provider.ts'
import { combineErrors } from '../../model/combine-errors.ts'

export interface HookFindings {
  /** Names of hooks that are pending or failed, in the order in which they were registered. */
  readonly waiting: readonly string[]
  /** Labels of the hooks that are clear. */
  readonly labels: Readonly<Record<string, string>>
  readonly requeueAfterMs: number | undefined
  /** When there is one it wins over the wait. */
  readonly error: Error | undefined
}

export async function runRegistrationHooks(
  hooks: readonly RegistrationHook[],
  claim: NodeClaim,
): Promise<HookFindings> {
  const results = await Promise.allSettled(hooks.map((hook) => hook.check(claim)))
  const waiting: string[] = []
  const waits: number[] = []
  const errors: Error[] = []
  let labels: Record<string, string> = {}
  results.forEach((result, position) => {
    const name = hooks[position]?.name ?? ''
    if (result.status === 'rejected') {
      waiting.push(name)
      errors.push(
        new Error(`registration hook ${JSON.stringify(name)} failed, ${messageOf(result.reason)}`, {
          cause: result.reason,
        }),
      )
    } else if (result.value.kind === 'pending') {
      waiting.push(name)
      if (result.value.requeueAfterMs > 0) waits.push(result.value.requeueAfterMs)
    } else {
      labels = { ...labels, ...result.value.labels }
    }
  })
  return {
    waiting,
    labels,
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
    error: errors.length === 0 ? undefined : combineErrors(errors),
  }
}
