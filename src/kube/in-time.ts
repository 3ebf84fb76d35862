import type { Clock } from '../model/clock.ts'

/** Makes a call that is aborted after so long, and when the signal aborts. */
export async function inTime<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal?: AbortSignal },
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const attempt = new AbortController()
  const stop = (): void => attempt.abort(signal?.reason)
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })
  const timer = clock.schedule(ms, () => attempt.abort(new Error(`no answer within ${ms / 1000}s`)))
  try {
    return await call(attempt.signal)
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', stop)
  }
}
