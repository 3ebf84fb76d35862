export type ParsedDuration =
  | { readonly kind: 'valid'; readonly ms: number }
  /** `message` is what Go's time.ParseDuration says, e.g. `time: invalid duration "soon"`. */
  | { readonly kind: 'invalid'; readonly message: string }

const msPerUnit = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])
/** Go counts nanoseconds in an int64. */
const largestMs = 9_223_372_036_854.775807

/** A Go duration such as `1h30m`, `300ms` or `-1.5h`, in milliseconds (fractions below one millisecond are kept). */
export function parseDuration(text: string): ParsedDuration {
  const invalid = (message: string): ParsedDuration => ({ kind: 'invalid', message: `time: ${message}` })
  const quoted = JSON.stringify(text)
  const sign = text.startsWith('-') ? -1 : 1
  let rest = /^[+-]/.test(text) ? text.slice(1) : text
  if (rest === '0') return { kind: 'valid', ms: 0 }
  if (rest === '') return invalid(`invalid duration ${quoted}`)
  let total = 0
  while (rest !== '') {
    const amount = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0]
    if (amount === undefined) return invalid(`invalid duration ${quoted}`)
    rest = rest.slice(amount.length)
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? ''
    if (unit === '') return invalid(`missing unit in duration ${quoted}`)
    const ms = msPerUnit.get(unit)
    if (ms === undefined) return invalid(`unknown unit ${JSON.stringify(unit)} in duration ${quoted}`)
    rest = rest.slice(unit.length)
    total += Number(amount) * ms
    if (total > largestMs) return invalid(`invalid duration ${quoted}`)
  }
  return { kind: 'valid', ms: sign * total }
}

/** As API fields hold it: `Never` and an absent field are both undefined, and so is what admission should have refused. */
export function nillableDurationMs(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Never') return undefined
  const parsed = parseDuration(text)
  return parsed.kind === 'valid' ? parsed.ms : undefined
}

/** As Go prints a duration: `1h0m0s`, `1.5s`, `300ms`, `0s`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0s'
  const sign = ms < 0 ? '-' : ''
  const magnitude = Math.abs(ms)
  if (magnitude < 1e-3) return `${sign}${trim(magnitude * 1e6)}ns`
  if (magnitude < 1) return `${sign}${trim(magnitude * 1e3)}µs`
  if (magnitude < 1_000) return `${sign}${trim(magnitude)}ms`
  const minutes = Math.floor(magnitude / 60_000)
  const seconds = `${trim((magnitude - minutes * 60_000) / 1_000)}s`
  if (minutes === 0) return `${sign}${seconds}`
  const hours = Math.floor(minutes / 60)
  return `${sign}${hours === 0 ? '' : `${hours}h`}${minutes % 60}m${seconds}`
}

function trim(value: number): string {
  return String(Number(value.toFixed(9)))
}
