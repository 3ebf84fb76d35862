import { restText } from './list-text.ts'
import { compareText } from './order.ts'

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const
export type RequirementOperator = (typeof operators)[number]
export const requirementOperators: ReadonlySet<string> = new Set(operators)
export type EffectiveOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'

/** An integer: a bigint where a number would not be exact, else a number, so that equal ones are identical and the usual ones fast. */
type Bound = number | bigint

/**
 * What one label key may hold. `complement: false` means one of `values` (none: the label must be absent); `complement: true`
 * means anything but `values`, and when a bound is set, an integer within the inclusive bounds. `lowest` is never negative; a negative
 * `highest` allows nothing.
 */
export interface Requirement {
  readonly key: string
  readonly complement: boolean
  readonly values: ReadonlySet<string>
  readonly lowest: Bound | undefined
  readonly highest: Bound | undefined
  readonly minValues: number | undefined
}

export interface RequirementEntry {
  readonly key: string
  readonly operator: RequirementOperator
  readonly values?: readonly string[]
  readonly minValues?: number
}

const none: ReadonlySet<string> = new Set()
const integer = /^[+-]?\d+$/
const int64Max = (1n << 63n) - 1n

/**
 * Unparsable bounds become 0 and those beyond 64 bits the nearest within: validation refuses them, but what a pod merely prefers is not
 * validated. The key must already be normalised.
 */
export function toRequirement(
  key: string,
  operator: RequirementOperator,
  values: readonly string[] = [],
  minValues?: number,
): Requirement {
  switch (operator) {
    case 'In':
      return make(key, false, new Set(values), undefined, undefined, minValues)
    case 'NotIn':
      return make(key, true, new Set(values), undefined, undefined, minValues)
    case 'Exists':
      return make(key, true, none, undefined, undefined, minValues)
    case 'DoesNotExist':
      return make(key, false, none, undefined, undefined, minValues)
    case 'Gt': {
      const bound = boundOf(values)
      return bound === int64Max
        ? make(key, false, none, undefined, undefined, undefined)
        : make(key, true, none, toLowest(bound + 1n), undefined, minValues)
    }
    case 'Lt':
      return make(key, true, none, undefined, toBound(boundOf(values) - 1n), minValues)
    case 'Gte':
      return make(key, true, none, toLowest(boundOf(values)), undefined, minValues)
    case 'Lte':
      return make(key, true, none, undefined, toBound(boundOf(values)), minValues)
    // One of newer definitions than this program's: its pool is not valid and gets no nodes, and those that it has must not drift by it.
    default:
      return make(key, true, none, undefined, undefined, minValues)
  }
}

function boundOf([text = '']: readonly string[]): bigint {
  const exact = integer.test(text) ? BigInt(text) : 0n
  return exact > int64Max ? int64Max : exact < -int64Max ? -int64Max : exact
}

/** No label holds a negative number, and no NodeClaim may name one. */
function toLowest(exact: bigint): Bound {
  return exact < 0n ? 0 : toBound(exact)
}

function toBound(exact: bigint): Bound {
  const number = Number(exact)
  return Number.isSafeInteger(number) ? number : exact
}

export function anyValue(key: string): Requirement {
  return toRequirement(key, 'Exists')
}

export function oneValue(key: string, value: string): Requirement {
  return toRequirement(key, 'In', [value])
}

export function oneOf(key: string, values: readonly string[]): Requirement {
  return toRequirement(key, 'In', values)
}

export function absent(key: string): Requirement {
  return toRequirement(key, 'DoesNotExist')
}

/** Whether a label may satisfy it at all, as far as its bounds say: none holds a negative number. */
export function isPossible({ highest }: Requirement): boolean {
  return highest === undefined || highest >= 0
}

/** Whether a label of this value satisfies it. */
export function allows(requirement: Requirement, value: string): boolean {
  return requirement.values.has(value) !== requirement.complement && withinBounds(requirement, value)
}

/** What satisfies both, which are on one key; `DoesNotExist` where no value does. The larger `minValues` stays. */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const lowest = larger(a.lowest, b.lowest)
  const highest = smaller(a.highest, b.highest)
  const minValues = larger(a.minValues, b.minValues)
  if (lowest !== undefined && highest !== undefined && lowest > highest) {
    return make(a.key, false, none, undefined, undefined, minValues)
  }
  const complement = a.complement && b.complement
  const bounds = { lowest, highest }
  const values = new Set<string>()
  if (complement) {
    for (const value of a.values) if (withinBounds(bounds, value)) values.add(value)
    for (const value of b.values) if (withinBounds(bounds, value)) values.add(value)
  } else {
    const concrete = a.complement ? b : a
    const other = a.complement ? a : b
    for (const value of concrete.values) {
      if (other.values.has(value) !== other.complement && withinBounds(bounds, value)) values.add(value)
    }
  }
  return complement
    ? make(a.key, true, values, lowest, highest, minValues)
    : make(a.key, false, values, undefined, undefined, minValues)
}

/** What `intersect` makes of them, one after the other, without the copies on the way. At least one. */
export function intersectAll(all: readonly [Requirement, ...Requirement[]]): Requirement {
  const [first, second] = all
  if (second === undefined) return first
  if (all.length === 2) return intersect(first, second)
  const { key } = first
  const lowest = all.reduce<Bound | undefined>((bound, one) => larger(bound, one.lowest), undefined)
  const highest = all.reduce<Bound | undefined>((bound, one) => smaller(bound, one.highest), undefined)
  const minValues = all.reduce<number | undefined>((count, one) => larger(count, one.minValues), undefined)
  if (lowest !== undefined && highest !== undefined && lowest > highest) {
    return make(key, false, none, undefined, undefined, minValues)
  }
  const concrete = all.find((one) => !one.complement)
  const candidates = concrete === undefined ? all.flatMap(({ values }) => [...values]) : [...concrete.values]
  const values = new Set(
    candidates.filter(
      (value) =>
        withinBounds({ lowest, highest }, value) &&
        (concrete === undefined || all.every((one) => one.values.has(value) !== one.complement)),
    ),
  )
  return concrete === undefined
    ? make(key, true, values, lowest, highest, minValues)
    : make(key, false, values, undefined, undefined, minValues)
}

/**
 * Whether `intersect` would leave anything, except that two complements always overlap, even when no integer is left between them, but for
 * numbers below zero.
 */
export function overlaps(a: Requirement, b: Requirement): boolean {
  const lowest = larger(a.lowest, b.lowest)
  const highest = smaller(a.highest, b.highest)
  if (highest !== undefined && (highest < 0 || (lowest !== undefined && lowest > highest))) return false
  if (a.complement && b.complement) return true
  const concrete = a.complement ? b : a
  const other = a.complement ? a : b
  for (const value of concrete.values) {
    if (other.values.has(value) !== other.complement && withinBounds({ lowest, highest }, value)) return true
  }
  return false
}

/**
 * Whether two complements have no integer left between their bounds that neither excludes. They overlap all the same, as upstream has it;
 * but no label can be made that both accept.
 */
export function isExhausted(a: Requirement, b: Requirement): boolean {
  const highest = smaller(a.highest, b.highest)
  const excluded = a.values.size + b.values.size
  if (!a.complement || !b.complement || highest === undefined || excluded === 0) return false
  const last = BigInt(highest)
  const first = BigInt(larger(a.lowest, b.lowest) ?? 0)
  if (last - first >= BigInt(excluded)) return false
  for (let number = first; number <= last; number += 1n) {
    if (!a.values.has(String(number)) && !b.values.has(String(number))) return false
  }
  return true
}

/** As what it reads, bounds left out: values that exclude each other come to `DoesNotExist`. */
export function effectiveOperator(requirement: Requirement): EffectiveOperator {
  if (requirement.complement) return requirement.values.size > 0 ? 'NotIn' : 'Exists'
  return requirement.values.size > 0 ? 'In' : 'DoesNotExist'
}

/** The number of values it can take: Infinity for complements. */
export function valueCount(requirement: Requirement): number {
  return requirement.complement ? Number.POSITIVE_INFINITY : requirement.values.size
}

/** Those that it names: of a complement, the ones that it excludes. */
export function sortedValues(requirement: Requirement): string[] {
  return [...requirement.values].toSorted(compareText)
}

/** As log lines and errors show it: `key In [a b]`, at most five values, then bounds and minValues. */
export function requirementText(requirement: Requirement): string {
  const operator = effectiveOperator(requirement)
  let text = `${requirement.key} ${operator}`
  if (operator === 'In' || operator === 'NotIn') text += ` ${valuesText(sortedValues(requirement))}`
  if (requirement.lowest !== undefined) text += ` >=${requirement.lowest}`
  if (requirement.highest !== undefined) text += ` <=${requirement.highest}`
  if (requirement.minValues !== undefined) text += ` minValues ${requirement.minValues}`
  return text
}

/** The entries that stand for it in a NodeClaim's `spec.requirements`: two when both bounds are set. */
export function toEntries(requirement: Requirement): RequirementEntry[] {
  const { key, lowest, highest } = requirement
  const minValues = requirement.minValues === undefined ? {} : { minValues: requirement.minValues }
  const bounded: RequirementEntry[] = []
  if (lowest !== undefined) bounded.push({ key, operator: 'Gte', values: [String(lowest)], ...minValues })
  if (highest !== undefined) bounded.push({ key, operator: 'Lte', values: [String(highest)], ...minValues })
  if (bounded.length > 0) return bounded
  const operator = effectiveOperator(requirement)
  if (operator === 'Exists' || operator === 'DoesNotExist') return [{ key, operator, ...minValues }]
  return [{ key, operator, values: sortedValues(requirement), ...minValues }]
}

function valuesText(values: readonly string[]): string {
  return `[${values.slice(0, 5).join(' ')}${restText(values.length, 5, 'others')}]`
}

function make(
  key: string,
  complement: boolean,
  values: ReadonlySet<string>,
  lowest: Bound | undefined,
  highest: Bound | undefined,
  minValues: number | undefined,
): Requirement {
  return { key, complement, values, lowest, highest, minValues }
}

function withinBounds(bounds: Pick<Requirement, 'lowest' | 'highest'>, value: string): boolean {
  if (bounds.lowest === undefined && bounds.highest === undefined) return true
  const number = parseInteger(value)
  if (number === undefined) return false
  return (
    (bounds.lowest === undefined || number >= bounds.lowest) &&
    (bounds.highest === undefined || number <= bounds.highest)
  )
}

/** As Go does it: what does not fit into 64 bits is no integer. */
function parseInteger(text: string): Bound | undefined {
  if (!integer.test(text)) return undefined
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  const exact = BigInt(text)
  return exact > int64Max || exact < -int64Max ? undefined : exact
}

function larger<T extends Bound>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

function smaller<T extends Bound>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}
