import { type CronSchedule, nextActivation, parseCron } from '../../api/cron.ts'
import { durationMs } from '../../api/duration.ts'
import type { RolloutBlackout, RolloutPolicySpec } from '../../api/karpenter.ts'
import { instantOf, isTimeZone, localTime } from '../../model/zoned-time.ts'

export type WindowState = Readonly<
  /** `until`: when to look again; undefined when it never closes. */
  { kind: 'open'; until: number | undefined } | { kind: 'closed'; because: string; opensAt: number | undefined }
>

type Times = Pick<RolloutPolicySpec, 'windows' | 'blackoutDates'>

/** Whether nodes may be replaced at a moment, and when that changes. Windows that cannot be read never open. */
export function windowState(times: Times, now: number): WindowState {
  const windows = parseWindows(times)
  const blackouts = parseBlackouts(times)
  const blackout = blackoutAt(blackouts, now)
  if (blackout !== undefined) {
    const because = blackout.reason === undefined ? 'a blackout date' : `a blackout date (${blackout.reason})`
    return { kind: 'closed', because, opensAt: nextOpening(windows, blackouts, now) }
  }
  const nextBlackout = Math.min(...blackouts.flatMap(({ from }) => (from > now ? [from] : [])))
  if (times.windows === undefined || times.windows.length === 0) {
    return { kind: 'open', until: Number.isFinite(nextBlackout) ? nextBlackout : undefined }
  }
  const ends = windows.flatMap((window) => endOf(window, now) ?? [])
  if (ends.length === 0) {
    return { kind: 'closed', because: 'no window is open', opensAt: nextOpening(windows, blackouts, now) }
  }
  return { kind: 'open', until: Math.min(Math.max(...ends), nextBlackout) }
}

interface Window {
  readonly zone: string
  /** Undefined: always. */
  readonly schedule: CronSchedule | undefined
  readonly lengthMs: number
}

interface Blackout {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string | undefined
}

function parseWindows({ windows = [] }: Times): readonly Window[] {
  if (windows.length === 0) return [{ zone: 'UTC', schedule: undefined, lengthMs: 0 }]
  return windows.flatMap(({ schedule, duration, timeZone = 'UTC' }) => {
    const parsed = parseCron(schedule)
    const lengthMs = durationMs(duration)
    return parsed.kind === 'invalid' || lengthMs <= 0 || !isTimeZone(timeZone)
      ? []
      : [{ zone: timeZone, schedule: parsed.schedule, lengthMs }]
  })
}

function parseBlackouts({ blackoutDates = [] }: Times): readonly Blackout[] {
  return blackoutDates.map(toBlackout)
}

/** A zone that does not exist must not turn a freeze into none. */
function toBlackout({ from, to, timeZone = 'UTC', reason }: RolloutBlackout): Blackout {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  const lastDay = Date.parse(`${to ?? from}T00:00:00Z`)
  return { from: instantOf(zone, Date.parse(`${from}T00:00:00Z`)), to: instantOf(zone, lastDay + dayMs), reason }
}

function blackoutAt(blackouts: readonly Blackout[], at: number): Blackout | undefined {
  return blackouts.find(({ from, to }) => from <= at && at < to)
}

/** When the window that is open at a moment closes; undefined when it is not open. */
function endOf({ zone, schedule, lengthMs }: Window, at: number): number | undefined {
  if (schedule === undefined) return Number.POSITIVE_INFINITY
  // Only a window that began after this one would have closed can be open.
  const start = firstStart({ zone, schedule }, at - lengthMs)
  return start !== undefined && start <= at ? start + lengthMs : undefined
}

/** The first start strictly after a moment. */
function firstStart({ zone, schedule }: { zone: string; schedule: CronSchedule }, after: number): number | undefined {
  // Around a change of the clocks, local time goes back by up to two hours.
  let local: number | undefined = localTime(zone, after) - 2 * hourMs
  for (let tries = 0; tries < startTriesMax; tries += 1) {
    local = nextActivation(schedule, local)
    if (local === undefined) return undefined
    const start = instantOf(zone, local)
    if (start > after) return start
  }
  return undefined
}

function nextOpening(windows: readonly Window[], blackouts: readonly Blackout[], now: number): number | undefined {
  let at = now
  for (let tries = 0; tries < openingTriesMax; tries += 1) {
    const blackout = blackoutAt(blackouts, at)
    if (blackout === undefined && windows.some((window) => endOf(window, at) !== undefined)) return at
    const starts = windows.flatMap(({ zone, schedule }) =>
      schedule === undefined ? [] : (firstStart({ zone, schedule }, at) ?? []),
    )
    const next = blackout === undefined ? Math.min(...starts) : blackout.to
    if (!Number.isFinite(next)) return undefined
    at = next
  }
  return undefined
}

const hourMs = 3_600_000
const dayMs = 86_400_000
/** Starts in the two hours looked back, one a minute, and the next one. */
const startTriesMax = 200
/** Each try passes a blackout, of which there are at most 100, or a start that falls into one; then the blackout is passed. */
const openingTriesMax = 400
