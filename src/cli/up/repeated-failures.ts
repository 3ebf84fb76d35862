import type { ToldLine } from '../demo/view.ts'

/** What goes on failing is not told again for so long, by the clock of who reads it: a pod that fits nowhere fails with every pass. */
const silentMs = 5 * 60_000
/** More different ones than anybody reads. */
const knownMax = 1_000

/** Whether a line of the log is worth telling at the time; each other than a failure is. */
export function repeatedFailures(): (line: Pick<ToldLine, 'failure'>, now: number) => boolean {
  const toldAt = new Map<string, number>()
  return ({ failure }, now) => {
    if (failure === undefined) return true
    const last = toldAt.get(failure)
    if (last !== undefined && now - last < silentMs) return false
    if (toldAt.size >= knownMax) toldAt.clear()
    toldAt.set(failure, now)
    return true
  }
}
