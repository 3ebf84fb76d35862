import type { Clock } from '../../model/clock.ts'
import type { Standing } from '../../rollout/standing.ts'

export type WatchOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stalled'; readonly standings: readonly Standing[] }
  | { readonly kind: 'timedOut'; readonly standings: readonly Standing[] }

/** Between two looks. Nodes take minutes; a look is one or two small reads. */
const everyMs = 2_000

/** Looks until all are done, one is stalled, or the time is over; tells what it sees whenever that changed. */
export async function watchStandings(options: {
  readonly read: () => Promise<readonly Standing[]>
  readonly tell: (changed: Standing) => void
  readonly clock: Clock
  /** Absent: for as long as it takes. */
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal
}): Promise<WatchOutcome> {
  const { read, tell, clock, timeoutMs, signal } = options
  const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + timeoutMs
  const told = new Map<string, string>()
  for (;;) {
    const standings = await read()
    for (const standing of standings) {
      const key = `${standing.kind}/${standing.name}`
      const text = JSON.stringify(standing)
      if (told.get(key) !== text) tell(standing)
      told.set(key, text)
    }
    const stalled = standings.filter(({ outlook }) => outlook === 'Stalled')
    if (stalled.length > 0) return { kind: 'stalled', standings: stalled }
    const open = standings.filter(({ outlook }) => outlook !== 'Done')
    if (open.length === 0) return { kind: 'done' }
    const leftMs = end - clock.monotonicMs()
    if (leftMs <= 0) return { kind: 'timedOut', standings: open }
    await clock.sleep(Math.min(everyMs, leftMs), signal)
  }
}
