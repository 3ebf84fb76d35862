import { BoundedMemo } from './bounded-memo.ts'

/**
 * Go's durations: text such as 1h30m, a signed 64-bit count of nanoseconds. Counts are bigint because 292 years of nanoseconds
 * exceed what a number holds exactly.
 */

export type DurationResult =
  | { readonly kind: 'ok'; readonly nanoseconds: bigint }
  /** `nearest`: where the text is beyond 64 bits, which patterns of the API admit, the nearest duration that there is. */
  | { readonly kind: 'invalid'; readonly message: string; readonly nearest?: bigint }

const nanosecondsPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

const int64Max = 9_223_372_036_854_775_807n

/** The same few durations stand in all manifests, and an annotation as long as somebody likes is read again and again. */
const parsed = new BoundedMemo<string, DurationResult>(500)

/** As Go's time.ParseDuration, messages included. */
export function parseDuration(text: string): DurationResult {
  return parsed.of(text, parsedDuration)
}

const amount = /([0-9]*)(?:\.([0-9]*))?/y
const unitName = /[^0-9.]+/y
/** No unit has a nanosecond further behind the point, and text as long as an annotation takes long to read as a number. */
const fractionDigitsMax = 32

function parsedDuration(text: string): DurationResult {
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.length === at + 1 && text.endsWith('0')) return { kind: 'ok', nanoseconds: 0n }
  if (text.length === at) return invalid(text)
  let total = 0n
  while (at < text.length) {
    amount.lastIndex = at
    const [consumed = '', whole = '', decimals = ''] = amount.exec(text) ?? []
    if (whole === '' && decimals === '') return invalid(text)
    at += consumed.length
    unitName.lastIndex = at
    const unit = unitName.exec(text)?.[0]
    if (unit === undefined) return { kind: 'invalid', message: `time: missing unit in duration ${quote(text)}` }
    const scale = Object.hasOwn(nanosecondsPerUnit, unit) ? nanosecondsPerUnit[unit] : undefined
    if (scale === undefined)
      return { kind: 'invalid', message: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` }
    at += unit.length
    // Beyond any duration in whatever unit.
    if (whole.replace(/^0+/, '').length > 19) return beyond(text, negative)
    total += BigInt(whole === '' ? '0' : whole) * scale
    const fraction = decimals.slice(0, fractionDigitsMax)
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
    if (total > int64Max + (negative ? 1n : 0n)) return beyond(text, negative)
  }
  return { kind: 'ok', nanoseconds: negative ? -total : total }
}

/** As Go prints a duration: `1h30m0s`, `1.5s`, `20ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimal(size, 1_000n)}µs`
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`
  const minutes = size / 60_000_000_000n
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`
  if (minutes === 0n) return sign + seconds
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** A duration that may be switched off: `Never`, or absent. */
type NillableDuration = { readonly kind: 'never' } | { readonly kind: 'duration'; readonly nanoseconds: bigint }

export type NillableDurationResult = NillableDuration | Extract<DurationResult, { readonly kind: 'invalid' }>

export function parseNillableDuration(text: string | undefined): NillableDurationResult {
  if (text === undefined || text === 'Never') return { kind: 'never' }
  const result = parseDuration(text)
  return result.kind === 'ok' ? { kind: 'duration', nanoseconds: result.nanoseconds } : result
}

/** Milliseconds, rounded down; undefined for never. As `durationMs` for all else. */
export function nillableDurationMs(text: string | undefined): number | undefined {
  return text === undefined || text === 'Never' ? undefined : durationMs(text)
}

/**
 * Milliseconds, rounded down. Only for text that a schema has admitted: what is beyond 64 bits, 292 years, counts as the longest duration
 * there is, since one object that says so must not keep controllers from the others.
 * @throws RangeError on text that is no duration
 */
export function durationMs(text: string): number {
  const result = parseDuration(text)
  if (result.kind === 'ok') return toMilliseconds(result.nanoseconds)
  if (result.nearest === undefined) throw new RangeError(result.message)
  return toMilliseconds(result.nearest)
}

export function formatDurationMs(milliseconds: number): string {
  return formatDuration(BigInt(Math.trunc(milliseconds)) * 1_000_000n)
}

function toMilliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n)
}

function decimal(amount: bigint, unit: bigint): string {
  const fraction = (amount % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${amount / unit}` : `${amount / unit}.${fraction}`
}

function invalid(text: string): DurationResult {
  return { kind: 'invalid', message: `time: invalid duration ${quote(text)}` }
}

function beyond(text: string, negative: boolean): DurationResult {
  const message = `time: invalid duration ${quote(text)}`
  return { kind: 'invalid', message, nearest: negative ? -int64Max - 1n : int64Max }
}

function quote(text: string): string {
  return JSON.stringify(text)
}
