import { type CronSchedule, nextActivation, parseCron } from '../../api/cron.ts'
import { parseDuration } from '../../api/duration.ts'
import { localTime } from '../../model/zoned-time.ts'

/** When a CronJob is due: all times are milliseconds since the epoch. */
export interface Schedule {
  /** The first time strictly after another; undefined when there is none for years. */
  next(afterMs: number): number | undefined
}

export type ScheduleResult =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'invalid'; readonly message: string }

const every = '@every '
const nanosPerSecond = 1_000_000_000n
/** Clocks change twice a year, and a schedule is looked for in five years. */
const clockChangesMax = 20

/** Five fields, the macros or `@every`, by the clocks of an IANA time zone. */
export function parseSchedule(text: string, timeZone = 'UTC'): ScheduleResult {
  if (text.startsWith(every)) return parseEvery(text)
  const parsed = parseCron(text)
  if (parsed.kind === 'invalid') return parsed
  return { kind: 'schedule', schedule: { next: (afterMs) => nextIn(timeZone, parsed.schedule, afterMs) } }
}

/** As an annotation of Jobs tells it: with the zone's own distance from UTC. */
export function zonedTimestamp(timeZone: string, atMs: number): string {
  const minutes = Math.round((localTime(timeZone, atMs) - atMs) / 60_000)
  const local = new Date(atMs + minutes * 60_000).toISOString().slice(0, 19)
  if (minutes === 0) return `${local}Z`
  const two = (count: number): string => String(count).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

function parseEvery(text: string): ScheduleResult {
  const duration = parseDuration(text.slice(every.length))
  if (duration.kind === 'invalid')
    return { kind: 'invalid', message: `failed to parse duration ${text}: ${duration.message}` }
  const seconds = Number(duration.nanoseconds / nanosPerSecond)
  const stepMs = Math.max(1, seconds) * 1_000
  return { kind: 'schedule', schedule: { next: (afterMs) => Math.floor((afterMs + stepMs) / 1_000) * 1_000 } }
}

/** Every moment at which the clocks show a time of the schedule: what is skipped in spring does not come, what comes twice in autumn does. */
function nextIn(zone: string, schedule: CronSchedule, afterMs: number): number | undefined {
  const offsetAt = (at: number): number => localTime(zone, at) - at
  let [from, offset] = [afterMs, offsetAt(afterMs)]
  for (let change = 0; change < clockChangesMax; change += 1) {
    const local = nextActivation(schedule, from + offset)
    if (local === undefined) return undefined
    const found = local - offset
    if (offsetAt(found) === offset) return found
    const changed = firstWhere(from, found, (at) => offsetAt(at) !== offset)
    offset = offsetAt(changed)
    // Strictly after the moment before: the one at which the clocks are changed counts.
    from = changed - 1
  }
  return undefined
}

/** The first moment in (from, to] of which `holds` is true, which it is of `to`. */
function firstWhere(from: number, to: number, holds: (at: number) => boolean): number {
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}
