import type { Clock } from '../model/clock.ts'

/**
 * Tries once, and after so long without an answer once more beside it: a connection may be dead without a word, as when the machine of an
 * API server goes, and a second call takes another one. The first goes on, since a server may be that slow. Whether one has succeeded; the
 * other is aborted then. One that throws has not.
 */
export async function withSecondTry(
  tryOnce: () => Promise<boolean>,
  { clock, afterMs, attempt }: { readonly clock: Clock; readonly afterMs: number; readonly attempt: AbortController },
): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>()
  let underWay = 0
  const begin = (): void => {
    underWay += 1
    const end = (succeeded: boolean): void => {
      underWay -= 1
      if (succeeded || underWay === 0) answered.resolve(succeeded)
    }
    tryOnce().then(end, () => end(false))
  }
  begin()
  const timer = clock.schedule(afterMs, begin)
  const succeeded = await answered.promise
  timer.cancel()
  if (underWay > 0) attempt.abort(new Error('the other try has succeeded'))
  return succeeded
}
