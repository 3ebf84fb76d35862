import { ruleIDs, type Severity } from '../admission/index.ts'
import { formatDurationMs, parseDuration } from '../api/duration.ts'
import { parseListenAddress } from './dashboard/address.ts'

type ParseResult<T> =
  | {
      readonly kind: 'ok'
      readonly value: T
      /** What of the text means nothing here, a line each. */
      readonly passedOver?: readonly string[]
    }
  | { readonly kind: 'invalid'; readonly message: string }

/** How the text of a setting becomes a value: environment and command line differ in what they take for a boolean. */
export interface OptionKind<T> {
  readonly name: string
  /** A boolean flag needs no value. */
  readonly bare?: T
  parseFlag(text: string): ParseResult<T>
  parseEnv(text: string): ParseResult<T>
  format(value: T): string
}

const ok = <T>(value: T): ParseResult<T> => ({ kind: 'ok', value })
const invalid = (message: string): ParseResult<never> => ({ kind: 'invalid', message })

function same<T>(name: string, parse: (text: string) => ParseResult<T>, format: (value: T) => string): OptionKind<T> {
  return { name, parseFlag: parse, parseEnv: parse, format }
}

export const text: OptionKind<string> = same('text', ok, (value) => value)

/** Where a server listens, `127.0.0.1:8090` or `:8090`; empty for nowhere. */
export const address: OptionKind<string> = same(
  'address',
  (value) => (value === '' || parseListenAddress(value) !== undefined ? ok(value) : invalid('parse error')),
  (value) => value,
)

export const integer: OptionKind<number> = same(
  'integer',
  (value) => {
    const parsed = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN
    return Number.isSafeInteger(parsed) ? ok(parsed) : invalid('parse error')
  },
  String,
)

export const decimal: OptionKind<number> = same(
  'number',
  (value) => {
    const parsed = value.trim() === '' ? Number.NaN : Number(value)
    return Number.isFinite(parsed) ? ok(parsed) : invalid('parse error')
  },
  String,
)

/** In milliseconds; as text in Go's notation. */
export const duration: OptionKind<number> = same(
  'duration',
  (value) => {
    const parsed = parseDuration(value)
    return parsed.kind === 'ok' ? ok(Number(parsed.nanoseconds) / 1e6) : invalid('parse error')
  },
  formatDurationMs,
)

const trueInEnv = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falseInEnv = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export const bool: OptionKind<boolean> = {
  name: 'boolean',
  bare: true,
  parseFlag: (value) =>
    value === 'true' || value === 'false' ? ok(value === 'true') : invalid('must be "true" or "false"'),
  parseEnv: (value) => (trueInEnv.has(value) ? ok(true) : falseInEnv.has(value) ? ok(false) : invalid('not a boolean')),
  format: String,
}

/** `A=true,B=false`; gates that nobody knows are passed over, as those that Karpenter once had. */
export function gates(defaults: Readonly<Record<string, boolean>>): OptionKind<Readonly<Record<string, boolean>>> {
  const parse = (value: string): ParseResult<Readonly<Record<string, boolean>>> => {
    const result = { ...defaults }
    const passedOver: string[] = []
    for (const pair of value.split(',')) {
      if (pair.trim() === '') continue
      const [name = '', state, ...rest] = pair.split('=').map((part) => part.trim())
      if (state === undefined || rest.length > 0) return invalid(`missing bool value for ${name}`)
      if (!trueInEnv.has(state) && !falseInEnv.has(state)) {
        return invalid(`invalid value of ${name}=${state}, err: strconv.ParseBool: parsing "${state}": invalid syntax`)
      }
      if (Object.hasOwn(result, name)) result[name] = trueInEnv.has(state)
      else passedOver.push(`there is no gate ${name}, only ${Object.keys(defaults).join(', ')}`)
    }
    return { kind: 'ok', value: result, passedOver }
  }
  const format = (value: Readonly<Record<string, boolean>>): string =>
    Object.entries(value)
      .map(([name, state]) => `${name}=${state}`)
      .join(',')
  return same('gates', parse, format)
}

/** `JN-207=off,JN-208=deny`: the severities of admission rules. */
export const severities: OptionKind<Readonly<Record<string, Severity>>> = same(
  'severities',
  (value) => {
    const result: Record<string, Severity> = {}
    for (const pair of value.split(',').map((part) => part.trim())) {
      if (pair === '') continue
      const [, id = '', level] = /^(JN-\d+)=(deny|warn|off)$/.exec(pair) ?? []
      if (level === undefined) return invalid(`${pair} is not RULE=deny, RULE=warn or RULE=off`)
      if (!ruleIDs.includes(id)) return invalid(`there is no rule ${id}`)
      result[id] = level === 'deny' || level === 'warn' ? level : 'off'
    }
    return ok(result)
  },
  (value) =>
    Object.entries(value)
      .map(([id, level]) => `${id}=${level}`)
      .join(','),
)
