import type { Clock } from '../../../model/clock.ts'
import type { Call, AWSCallOptions } from '../clients.ts'
import type { CallObserver } from './call-observer.ts'
import type { AWSService, RateLimits } from './rate-limits.ts'

export interface Invoker {
  readonly clock: Clock
  readonly limits: RateLimits
  readonly observer: CallObserver
}

class CallTimeoutError extends Error {
  readonly code = 'CallTimeout'
  constructor(service: string, action: string, ms: number) {
    super(`${service}:${action} gave no answer in ${ms} ms`)
    this.name = 'CallTimeoutError'
  }
}

/** Longer than any healthy answer, retries included; one page of the largest list comes in seconds. */
const defaultTimeoutMs = 60_000

export interface Action<Input, Output> {
  readonly service: AWSService
  readonly action: string
  /** Default one minute. */
  readonly timeoutMs?: number
  send(
    input: Input,
    options: { readonly abortSignal: AbortSignal; readonly retry: 'default' | 'never' },
  ): Promise<Output>
}

/**
 * A call under the account's rate limits, with a time-out, seen by metrics. While the SDK waits for credentials, as from an STS that does not
 * answer, it heeds no signal: the call ends without it then.
 */
export function toCall<Input, Output extends object>(
  { clock, limits, observer }: Invoker,
  { service, action, timeoutMs = defaultTimeoutMs, send }: Action<Input, Output>,
): Call<Input, Output> {
  return async (input, options: AWSCallOptions = {}) => {
    const waitMs = limits.reserve(service, action, clock.monotonicMs())
    if (waitMs > 0) await clock.sleep(waitMs, options.signal)
    const abort = new AbortController()
    const givenUp = Promise.withResolvers<never>()
    abort.signal.addEventListener('abort', () => givenUp.reject(abort.signal.reason))
    const onAbort = (): void => abort.abort(options.signal?.reason)
    options.signal?.addEventListener('abort', onAbort, { once: true })
    if (options.signal?.aborted === true) onAbort()
    const timer = clock.schedule(timeoutMs, () => abort.abort(new CallTimeoutError(service, action, timeoutMs)))
    const startedAt = clock.monotonicMs()
    let outcome: unknown
    try {
      const sent = send(input, { abortSignal: abort.signal, retry: options.retry ?? 'default' })
      const output = await Promise.race([sent, givenUp.promise])
      outcome = output
      return output
    } catch (error) {
      outcome = error
      throw abort.signal.aborted ? abort.signal.reason : error
    } finally {
      timer.cancel()
      options.signal?.removeEventListener('abort', onAbort)
      observer.finished({
        service,
        action,
        ...metadataOf(outcome),
        durationMs: clock.monotonicMs() - startedAt,
      })
    }
  }
}

/** Both answers and refusals of the SDK carry what happened on the way. */
function metadataOf(outcome: unknown): { status: number; attempts: number } {
  const metadata =
    typeof outcome === 'object' && outcome !== null && '$metadata' in outcome ? outcome.$metadata : undefined
  const numberAt = (name: string, fallback: number): number => {
    if (typeof metadata !== 'object' || metadata === null) return fallback
    const value: unknown = Object.entries(metadata).find(([key]) => key === name)?.[1]
    return typeof value === 'number' ? value : fallback
  }
  return {
    status: numberAt('httpStatusCode', 0),
    attempts: numberAt('attempts', 1),
  }
}
