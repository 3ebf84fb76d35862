import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import { parseExactQuantity, type ExactQuantity } from '../exact-quantity.ts'
import { containsMatch, re2 } from './patterns.ts'

/** A quantity inside an expression. */
class CelQuantity {
  readonly amount: ExactQuantity
  constructor(amount: ExactQuantity) {
    this.amount = amount
  }
}

/** A semantic version inside an expression. */
class CelVersion {
  readonly numbers: readonly bigint[]
  /** Identifiers of a pre-release; none for a release. */
  readonly before: readonly string[]
  constructor(numbers: readonly bigint[], before: readonly string[]) {
    this.numbers = numbers
    this.before = before
  }
}

/** @throws Error when the text is no quantity. */
export function celQuantity(text: string): CelQuantity {
  const amount = parseExactQuantity(text)
  if (amount === undefined)
    throw new Error(`quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`)
  return new CelQuantity(amount)
}

/** @throws Error when the text is no semantic version (semver.org 2.0.0). */
export function celVersion(text: string): CelVersion {
  const version = parseVersion(text)
  if (version === undefined) throw new Error(`not a semantic version: ${text}`)
  return version
}

/** CEL with the functions that Kubernetes adds for strings, regular expressions, lists, quantities and semantic versions. */
export function kubernetesCelEnvironment(): Pick<Environment, 'parse'> {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
  })
  registerText(environment)
  registerLists(environment)
  registerQuantities(environment)
  registerVersions(environment)
  return asInGo(environment)
}

/** With CEL's own functions as Go's library has them. */
export function asInGo(environment: Environment): Pick<Environment, 'parse'> {
  registerIntegers(environment)
  registerMatches(environment)
  return {
    parse(expression) {
      const program = environment.parse(expression)
      callOwn(program.ast)
      return program
    },
  }
}

/**
 * What is called instead of functions of the library's own, which cannot be replaced by name. No expression can spell these, and errors read
 * as they should. `int(…)` takes an empty text for 0, `0b1` for 1 and 1e300 for an integer; `matches(…)` is JavaScript's expressions, which
 * know what RE2 does not and may take for ever.
 */
const own = { int: 'int ', matches: 'matches ' } as const

function callOwn(part: unknown): void {
  if (Array.isArray(part)) {
    for (const each of part) callOwn(each)
  } else if (isNode(part)) {
    if (part.op === 'call' && part.args[0] === 'int') part.args[0] = own.int
    if ((part.op === 'call' || part.op === 'rcall') && part.args[0] === 'matches') part.args[0] = own.matches
    callOwn(part.args)
  }
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part
}

function registerIntegers(environment: Environment): void {
  const conversion = { name: own.int, returnType: 'int' }
  environment
    .registerFunction({ ...conversion, params: [{ type: 'int' }], handler: (value: bigint) => value })
    .registerFunction({ ...conversion, params: [{ type: 'double' }], handler: truncated })
    .registerFunction({ ...conversion, params: [{ type: 'string' }], handler: parseInteger })
}

/** As cel-go's `doubleToInt64Checked`: both bounds are excluded, since 2^63 - 1 is no double. */
function truncated(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new Error('integer overflow')
  return BigInt(Math.trunc(value))
}

/** As Go's `strconv.ParseInt(text, 10, 64)`, which cel-go calls: a sign and decimal digits, nothing else. */
function parseInteger(text: string): bigint {
  const [, sign = '', digits] = /^([+-]?)0*([0-9]{1,19})$/.exec(text) ?? []
  const value = digits === undefined ? undefined : BigInt(`${sign === '-' ? '-' : ''}${digits}`)
  if (value === undefined || value !== BigInt.asIntN(64, value)) {
    throw new Error("type conversion error from 'string' to 'int'")
  }
  return value
}

function registerMatches(environment: Environment): void {
  const matches = { name: own.matches, returnType: 'bool', handler: matchesText }
  environment
    .registerFunction({ ...matches, receiverType: 'string', params: [{ type: 'string' }] })
    .registerFunction({ ...matches, params: [{ type: 'string' }, { type: 'string' }] })
}

function registerText(environment: Environment): void {
  environment
    .registerFunction('string.find(string): string', (text: string, pattern: string) => firstMatch(text, pattern))
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      allMatches(text, pattern, -1),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
      allMatches(text, pattern, Number(limit)),
    )
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.split(from).join(to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, limit: bigint) => replaceFirst(text, from, to, Number(limit)),
    )
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => characterAt(text, Number(index)))
    .registerFunction('string.reverse(): string', (text: string) => Array.from(text).reverse().join(''))
}

function registerLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (items: readonly unknown[]) =>
      items.every((item, i) => i === 0 || !isLess(item, items[i - 1])),
    )
    .registerFunction('list.sum(): dyn', (items: readonly unknown[]) => sum(items))
    .registerFunction('list.min(): dyn', (items: readonly unknown[]) => extreme(items, isLess, 'min'))
    .registerFunction('list.max(): dyn', (items: readonly unknown[]) => extreme(items, (a, b) => isLess(b, a), 'max'))
    .registerFunction('list.indexOf(dyn): int', (items: readonly unknown[], item: unknown) =>
      BigInt(items.indexOf(item)),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (items: readonly unknown[], item: unknown) =>
      BigInt(items.lastIndexOf(item)),
    )
}

function registerQuantities(environment: Environment): void {
  environment
    .registerType('Quantity', CelQuantity)
    .registerFunction('isQuantity(string): bool', (text: string) => parseExactQuantity(text) !== undefined)
    .registerFunction('quantity(string): Quantity', celQuantity)
    .registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => compare(a, b))
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0n)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0n)
    .registerFunction('Quantity.sign(): int', ({ amount }: CelQuantity) =>
      amount.numerator > 0n ? 1n : amount.numerator < 0n ? -1n : 0n,
    )
    .registerFunction(
      'Quantity.isInteger(): bool',
      ({ amount }: CelQuantity) => amount.numerator % amount.denominator === 0n,
    )
    .registerFunction('Quantity.asInteger(): int', ({ amount }: CelQuantity) => {
      if (amount.numerator % amount.denominator !== 0n) throw new Error('cannot convert value to integer')
      return amount.numerator / amount.denominator
    })
}

function registerVersions(environment: Environment): void {
  environment
    .registerType('Semver', CelVersion)
    .registerFunction('isSemver(string): bool', (text: string) => parseVersion(text) !== undefined)
    .registerFunction('isSemver(string, bool): bool', (text: string, normalize: boolean) => {
      return parseVersion(normalize ? normalizedVersion(text) : text) !== undefined
    })
    .registerFunction('semver(string): Semver', celVersion)
    .registerFunction('semver(string, bool): Semver', (text: string, normalize: boolean) => {
      return celVersion(normalize ? normalizedVersion(text) : text)
    })
    .registerFunction('Semver.compareTo(Semver): int', compareVersions)
    .registerFunction(
      'Semver.isGreaterThan(Semver): bool',
      (a: CelVersion, b: CelVersion) => compareVersions(a, b) > 0n,
    )
    .registerFunction('Semver.isLessThan(Semver): bool', (a: CelVersion, b: CelVersion) => compareVersions(a, b) < 0n)
    .registerFunction('Semver.major(): int', ({ numbers }: CelVersion) => numbers[0] ?? 0n)
    .registerFunction('Semver.minor(): int', ({ numbers }: CelVersion) => numbers[1] ?? 0n)
    .registerFunction('Semver.patch(): int', ({ numbers }: CelVersion) => numbers[2] ?? 0n)
}

const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z.-]+)?$/

/** As people write versions: `v1.09` is 1.9.0. */
function normalizedVersion(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([^-+]*)(.*)$/s.exec(text) ?? []
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  while (parts.length < 3) parts.push('0')
  return `${parts.join('.')}${rest}`
}

function parseVersion(text: string): CelVersion | undefined {
  const match = semver.exec(text)
  if (match === null) return undefined
  const [, major = '', minor = '', patch = '', before] = match
  return new CelVersion([BigInt(major), BigInt(minor), BigInt(patch)], before === undefined ? [] : before.split('.'))
}

/** By precedence: a pre-release comes before its release, and its identifiers are compared as numbers where they are. */
function compareVersions(a: CelVersion, b: CelVersion): bigint {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n
    if (number !== other) return number < other ? -1n : 1n
  }
  if (a.before.length === 0 || b.before.length === 0) {
    return BigInt(Math.sign(b.before.length - a.before.length))
  }
  for (const [i, one] of a.before.entries()) {
    const other = b.before[i]
    if (other === undefined) return 1n
    const order = compareIdentifiers(one, other)
    if (order !== 0n) return order
  }
  return a.before.length < b.before.length ? -1n : 0n
}

function compareIdentifiers(a: string, b: string): bigint {
  if (a === b) return 0n
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (left && right) return BigInt(a) < BigInt(b) ? -1n : 1n
  if (left !== right) return left ? -1n : 1n
  return a < b ? -1n : 1n
}

function matchesText(text: string, pattern: string): boolean {
  return containsMatch(pattern, text)
}

function firstMatch(text: string, pattern: string): string {
  const matcher = re2(pattern).matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

function allMatches(text: string, pattern: string, limit: number): string[] {
  const matcher = re2(pattern).matcher(text)
  const found: string[] = []
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '')
  return found
}

function replaceFirst(text: string, from: string, to: string, limit: number): string {
  const parts = text.split(from)
  if (limit < 0 || parts.length - 1 <= limit) return parts.join(to)
  return [...parts.slice(0, limit), ''].join(to) + parts.slice(limit).join(from)
}

function characterAt(text: string, index: number): string {
  const characters = Array.from(text)
  if (index < 0 || index > characters.length) throw new Error(`index out of range: ${index}`)
  return characters[index] ?? ''
}

function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b
  if (isNumeric(a) && isNumeric(b)) return a < b
  throw new Error('no such overload')
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function sum(items: readonly unknown[]): bigint | number {
  if (items.every((item) => typeof item === 'bigint')) return items.reduce((total, item) => total + item, 0n)
  return items.reduce((total: number, item) => {
    if (!isNumeric(item)) throw new Error('no such overload')
    return total + Number(item)
  }, 0)
}

function extreme(items: readonly unknown[], wins: (a: unknown, b: unknown) => boolean, name: string): unknown {
  if (items.length === 0) throw new Error(`${name} called on empty list`)
  return items.reduce((best, item) => (wins(item, best) ? item : best))
}

function compare(a: CelQuantity, b: CelQuantity): bigint {
  const difference = a.amount.numerator * b.amount.denominator - b.amount.numerator * a.amount.denominator
  return difference > 0n ? 1n : difference < 0n ? -1n : 0n
}
