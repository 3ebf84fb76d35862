import { BoundedMemo } from './bounded-memo.ts'

/**
 * Standard five-field cron in UTC, as disruption budgets use it (robfig/cron's standard parser): minute, hour, day of month, month,
 * day of week; names for months and days, `?` for `*`, lists, ranges, steps, and the @ macros. Where both day fields are
 * restricted either may match.
 */
export interface CronSchedule {
  /** Bit n set: value n matches. */
  readonly minutes: bigint
  readonly hours: bigint
  readonly daysOfMonth: bigint
  readonly months: bigint
  readonly daysOfWeek: bigint
  readonly anyDayOfMonth: boolean
  readonly anyDayOfWeek: boolean
}

export type CronResult =
  | { readonly kind: 'schedule'; readonly schedule: CronSchedule }
  | { readonly kind: 'invalid'; readonly message: string }

interface Field {
  readonly name: string
  readonly lowest: number
  readonly highest: number
  readonly names?: readonly string[]
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const minute: Field = { name: 'minute', lowest: 0, highest: 59 }
const hour: Field = { name: 'hour', lowest: 0, highest: 23 }
const dayOfMonth: Field = { name: 'day of month', lowest: 1, highest: 31 }
const month: Field = { name: 'month', lowest: 1, highest: 12, names: monthNames }
const dayOfWeek: Field = { name: 'day of week', lowest: 0, highest: 6, names: dayNames }

const macros = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** What Go takes for white space, which is not quite what JavaScript does. */
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const innerSpace = new RegExp(`${space}+`)
const oneSpace = new RegExp(space)

const int64Max = 9_223_372_036_854_775_807n

/** A schedule such as 31 February never comes; the search gives up after this many years. */
const searchYears = 5

/** Schedules are read far more often than written: at every look at a budget, and by several rules of one review. */
const parsed = new BoundedMemo<string, CronResult>(500)

/** Every value of every field, listed one by one, takes fewer than 400 characters. A manifest can bring a million. */
const lengthMax = 1_024

export function parseCron(text: string): CronResult {
  if (text.length > lengthMax) return invalid(`must be no longer than ${lengthMax} characters`)
  return parsed.of(text, parse)
}

function parse(text: string): CronResult {
  const trimmed = trimSpace(text)
  if (trimmed.startsWith('@')) {
    const expanded = macros.get(trimmed)
    return expanded === undefined ? invalid(`unrecognized descriptor: ${trimmed}`) : parseCron(expanded)
  }
  const fields = trimmed === '' ? [] : trimmed.split(innerSpace)
  if (fields.length !== 5) return invalid(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`)
  const [minuteText = '', hourText = '', dayText = '', monthText = '', weekdayText = ''] = fields
  try {
    const days = parseField(dayText, dayOfMonth)
    const weekdays = parseField(weekdayText, dayOfWeek)
    return {
      kind: 'schedule',
      schedule: {
        minutes: parseField(minuteText, minute).bits,
        hours: parseField(hourText, hour).bits,
        daysOfMonth: days.bits,
        months: parseField(monthText, month).bits,
        daysOfWeek: weekdays.bits,
        anyDayOfMonth: days.isAny,
        anyDayOfWeek: weekdays.isAny,
      },
    }
  } catch (error) {
    if (error instanceof CronError) return invalid(error.message)
    throw error
  }
}

function trimSpace(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && oneSpace.test(text.charAt(from))) from += 1
  while (to > from && oneSpace.test(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/** The first activation strictly after `afterMs`, in milliseconds since the epoch; undefined when there is none within five years. */
export function nextActivation(schedule: CronSchedule, afterMs: number): number | undefined {
  // A field of nothing but commas matches nothing, and five years of minutes are many to look at.
  if (schedule.minutes === 0n || schedule.hours === 0n) return undefined
  const time = new Date(Math.floor(afterMs / 60_000) * 60_000 + 60_000)
  const lastYear = time.getUTCFullYear() + searchYears
  while (time.getUTCFullYear() <= lastYear) {
    if (!has(schedule.months, time.getUTCMonth() + 1)) {
      time.setUTCMonth(time.getUTCMonth() + 1, 1)
      time.setUTCHours(0, 0)
    } else if (!matchesDay(schedule, time)) {
      time.setUTCDate(time.getUTCDate() + 1)
      time.setUTCHours(0, 0)
    } else {
      const first = firstTime(schedule, time.getUTCHours(), time.getUTCMinutes())
      if (first !== undefined) return time.setUTCHours(first.hour, first.minute)
      time.setUTCDate(time.getUTCDate() + 1)
      time.setUTCHours(0, 0)
    }
  }
  return undefined
}

/** Of a day that matches, the first time from this one on. Counted, since a step of a Date costs as much as looking at a dozen values. */
function firstTime(
  { hours, minutes }: CronSchedule,
  fromHour: number,
  fromMinute: number,
): { readonly hour: number; readonly minute: number } | undefined {
  for (let h = fromHour; h <= hour.highest; h += 1) {
    if (!has(hours, h)) continue
    for (let m = h === fromHour ? fromMinute : 0; m <= minute.highest; m += 1)
      if (has(minutes, m)) return { hour: h, minute: m }
  }
  return undefined
}

/** When it activates on the days that match, in milliseconds from midnight, ascending. */
export function timesOfDay({ hours, minutes }: CronSchedule): readonly number[] {
  const minutesOfHour = valuesIn(minutes, minute)
  return valuesIn(hours, hour).flatMap((h) => minutesOfHour.map((m) => (h * 60 + m) * 60_000))
}

export function isEveryDay({ months, daysOfMonth, daysOfWeek, anyDayOfMonth, anyDayOfWeek }: CronSchedule): boolean {
  const [anyMonthDay, anyWeekday] = [isWhole(daysOfMonth, dayOfMonth), isWhole(daysOfWeek, dayOfWeek)]
  const isAnyDay = anyDayOfMonth || anyDayOfWeek ? anyMonthDay && anyWeekday : anyMonthDay || anyWeekday
  return isAnyDay && isWhole(months, month)
}

class CronError extends Error {}

function invalid(message: string): CronResult {
  return { kind: 'invalid', message }
}

function has(bits: bigint, value: number): boolean {
  return ((bits >> BigInt(value)) & 1n) === 1n
}

function valuesIn(bits: bigint, { lowest, highest }: Field): readonly number[] {
  return Array.from({ length: highest - lowest + 1 }, (_, index) => lowest + index).filter((value) => has(bits, value))
}

function isWhole(bits: bigint, field: Field): boolean {
  return valuesIn(bits, field).length === field.highest - field.lowest + 1
}

function matchesDay(schedule: CronSchedule, time: Date): boolean {
  const byMonth = has(schedule.daysOfMonth, time.getUTCDate())
  const byWeek = has(schedule.daysOfWeek, time.getUTCDay())
  return schedule.anyDayOfMonth || schedule.anyDayOfWeek ? byMonth && byWeek : byMonth || byWeek
}

/** What a field matches. `isAny`: a star without a step is in it, so that of the two day fields it is the other one that restricts. */
interface Matches {
  readonly bits: bigint
  readonly isAny: boolean
}

/** Commas too many separate nothing, and a field of nothing else never matches: the original reads both. */
function parseField(text: string, field: Field): Matches {
  const ranges = text.split(',').filter((part) => part !== '')
  return ranges
    .map((range) => parseRange(range, field))
    .reduce((a, b) => ({ bits: a.bits | b.bits, isAny: a.isAny || b.isAny }), { bits: 0n, isAny: false })
}

function parseRange(text: string, field: Field): Matches {
  const [rangeText = '', stepText, ...more] = text.split('/')
  const [fromText = '', toText, ...rest] = rangeText.split('-')
  // Whatever else stands before the step, as in *-5, does not count beside a star.
  const isAny = fromText === '*' || fromText === '?'
  if (!isAny && rest.length > 0) throw new CronError(`too many hyphens: ${text}`)
  const from = isAny ? field.lowest : parseValue(fromText, field)
  const end = isAny ? field.highest : toText === undefined ? from : parseValue(toText, field)
  if (more.length > 0) throw new CronError(`too many slashes: ${text}`)
  const step = stepText === undefined ? 1 : parseCount(stepText)
  const to = toText === undefined && stepText !== undefined ? field.highest : end
  if (from < field.lowest) throw new CronError(`beginning of range (${from}) below minimum (${field.lowest}): ${text}`)
  if (to > field.highest) throw new CronError(`end of range (${to}) above maximum (${field.highest}): ${text}`)
  if (from > to) throw new CronError(`beginning of range (${from}) beyond end of range (${to}): ${text}`)
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`)
  let bits = 0n
  for (let value = from; value <= to; value += step) bits |= 1n << BigInt(value)
  return { bits, isAny: isAny && step === 1 }
}

function parseValue(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1
  return named >= 0 ? named + field.lowest : parseCount(text)
}

/** As Go's strconv.Atoi: decimal digits, perhaps behind a plus sign, that fit into 64 bits. */
function parseCount(text: string): number {
  const digits = /^\+?0*([0-9]+)$/.exec(text)?.[1]
  const problem = digits === undefined ? 'invalid syntax' : isBeyondInt64(digits) ? 'value out of range' : undefined
  if (problem === undefined) return Number(digits)
  throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${problem}`)
}

/** The text of a number may be as long as a manifest, and reading one takes the longer the longer it is. */
function isBeyondInt64(digits: string): boolean {
  return digits.length > 19 || BigInt(digits) > int64Max
}
