/**
 * Local time in an IANA time zone. A local time is written as the milliseconds that the same wall clock would show in UTC, so that code
 * made for UTC (cron) works on it.
 */
export function localTime(zone: string, atMs: number): number {
  const part = new Map(
    formatter(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0
  const seconds = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return seconds + (((atMs % 1_000) + 1_000) % 1_000)
}

/**
 * The moment at which the clocks of the zone show a local time. A time that comes twice means the first; one that is skipped means as
 * long after midnight as if the clocks had not been changed, so an hour later.
 */
export function instantOf(zone: string, localMs: number): number {
  // A zone changes its clocks at most once in two days.
  const before = localMs - offset(zone, localMs - dayMs)
  const after = localMs - offset(zone, localMs + dayMs)
  const found = [before, after].filter((at) => localTime(zone, at) === localMs)
  return found.length === 0 ? before : Math.min(...found)
}

export function isTimeZone(zone: string): boolean {
  try {
    formatter(zone)
    return true
  } catch {
    return false
  }
}

const dayMs = 86_400_000

/** Making one takes longer than using it. There are some four hundred zones; who spells them in more ways begins anew. */
const formattersMax = 1_000
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formatters.size >= formattersMax) formatters.clear()
  formatters.set(timeZone, made)
  return made
}

function offset(zone: string, atMs: number): number {
  return localTime(zone, atMs) - atMs
}
