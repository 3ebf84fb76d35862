/** What goes on failing is not told again for so long, by the clock of who reads it: a pod that fits nowhere fails with every pass. */
const silentMs = 5 * 60_000
/** More different ones than anybody reads. */
const knownMax = 1_000

/** Whether a line of the log is worth telling at the time; each other than a failure is. */
export function repeatedFailures(): (line: string, now: number) => boolean {
  const toldAt = new Map<string, number>()
  return (line, now) => {
    // Behind the time at which it happened.
    const failure = /^ *\S+ {2}(error\b.*)$/s.exec(line)?.[1]
    if (failure === undefined) return true
    const last = toldAt.get(failure)
    if (last !== undefined && now - last < silentMs) return false
    if (toldAt.size >= knownMax) toldAt.clear()
    toldAt.set(failure, now)
    return true
  }
}
