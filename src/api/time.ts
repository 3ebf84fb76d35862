/** RFC 3339 with second precision, as Kubernetes writes metav1.Time. What lies beyond its years is told as their first or last second. */
export function toTimestamp(epochMs: number): string {
  return `${secondText(Math.floor(epochMs / 1000))}Z`
}

/** As Go prints a time, which is how Karpenter tells it in some of its texts: `2026-01-01 00:00:00 +0000 UTC`. */
export function toGoTime(epochMs: number): string {
  return `${secondText(Math.floor(epochMs / 1000)).replace('T', ' ')} +0000 UTC`
}

/** RFC 3339 with microseconds, as Kubernetes writes metav1.MicroTime (leases, events). */
export function toMicroTimestamp(epochMs: number): string {
  const ms = Math.floor(epochMs)
  const seconds = Math.floor(ms / 1000)
  return `${secondText(seconds)}.${String(ms - seconds * 1000).padStart(3, '0')}000Z`
}

/** What happens, happens mostly within one second of what happened before. */
let lastSeconds = Number.NaN
let lastText = ''
let lastDay = Number.NaN
let lastDayText = ''

/** `2026-01-01T00:00:00` */
function secondText(epochSeconds: number): string {
  const seconds = Math.min(Math.max(epochSeconds, firstSecond), lastSecond)
  if (seconds !== lastSeconds) {
    const day = Math.floor(seconds / daySeconds)
    if (day !== lastDay) {
      lastDayText = new Date(day * daySeconds * 1000).toISOString().slice(0, 11)
      lastDay = day
    }
    const rest = seconds - day * daySeconds
    const minutes = Math.floor(rest / 60)
    lastText = `${lastDayText}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(rest % 60)}`
    lastSeconds = seconds
  }
  return lastText
}

const daySeconds = 86_400
/** Years have four digits in RFC 3339: an API server refuses a whole object for one with five, such as the end of a freeze up to 9999-12-31. */
const firstSecond = Date.parse('0000-01-01T00:00:00Z') / 1000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

/**
 * Milliseconds since the Unix epoch of a time that a machine wrote; undefined when it is absent or not a date. Quick, but takes more than
 * RFC 3339: use `parseRFC3339` where people may have written.
 */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT)(\d\d?)(:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** As Go's `time.Parse(time.RFC3339, text)` reads it, to milliseconds; undefined for whatever that refuses, such as `10` or a bare date. */
export function parseRFC3339(text: string): number | undefined {
  const [, day = '', hour = '', rest = '', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    rfc3339.exec(text) ?? []
  const local = `${day}${hour.padStart(2, '0')}${rest}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
  const ms = Date.parse(local)
  // Date.parse takes 30 February for 2 March, and 24:00 for the next day.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== local) return undefined
  // Go allows an offset of 24 hours and one of 60 minutes.
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 60) return undefined
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return sign === '-' ? ms + offsetMs : ms - offsetMs
}
