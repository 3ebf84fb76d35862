import { BoundedMemo } from '../api/bounded-memo.ts'

/**
 * Kubernetes quantities with their exact value: a count of 10⁻⁹ units as a bigint, plus the notation to print them in.
 * Semantics (rounding up, canonical text, which operand's notation wins) are those of apimachinery's resource.Quantity.
 */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

const nanoPerUnit = 1_000_000_000n
const syntax = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))$/
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const decimalExponents = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const decimalSuffixOf = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]))
/** Larger magnitudes are capped, as in apimachinery, where amounts end at 2^63 − 1. */
const largestUnits = (1n << 63n) - 1n

export class QuantityError extends Error {
  readonly code = 'InvalidQuantity'
  constructor(text: string) {
    super(
      `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': ${JSON.stringify(text)}`,
    )
    this.name = 'QuantityError'
  }
}

export class Quantity {
  static readonly zero = new Quantity(0n, 'DecimalSI')
  readonly nano: bigint
  readonly format: QuantityFormat

  constructor(nano: bigint, format: QuantityFormat) {
    this.nano = nano
    this.format = format
  }

  /** A whole number of units. */
  static of(units: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(units) * nanoPerUnit, format)
  }

  static ofMilli(milli: number | bigint): Quantity {
    return new Quantity(BigInt(milli) * 1_000_000n, 'DecimalSI')
  }

  /** Bytes, printed with a binary suffix. */
  static ofBytes(bytes: number | bigint): Quantity {
    return Quantity.of(bytes, 'BinarySI')
  }

  add(other: Quantity): Quantity {
    return new Quantity(this.nano + other.nano, this.nano === 0n ? other.format : this.format)
  }

  sub(other: Quantity): Quantity {
    return new Quantity(this.nano - other.nano, this.nano === 0n ? other.format : this.format)
  }

  times(factor: number | bigint): Quantity {
    return new Quantity(this.nano * BigInt(factor), this.format)
  }

  compare(other: Quantity): -1 | 0 | 1 {
    return this.nano < other.nano ? -1 : this.nano > other.nano ? 1 : 0
  }

  equals(other: Quantity): boolean {
    return this.nano === other.nano
  }

  get isZero(): boolean {
    return this.nano === 0n
  }

  get isNegative(): boolean {
    return this.nano < 0n
  }

  /** Whole units, rounded up (away from zero for negative amounts), as Quantity.Value does. */
  get units(): bigint {
    return divideAwayFromZero(this.nano, nanoPerUnit)
  }

  /** Thousandths, rounded up, as Quantity.MilliValue does. */
  get milli(): bigint {
    return divideAwayFromZero(this.nano, 1_000_000n)
  }

  /** Approximate; for prices, ratios and metrics, never for fitting. */
  toNumber(): number {
    return Number(this.nano) / 1e9
  }

  /** The canonical text: the largest suffix that leaves a whole number. */
  toString(): string {
    if (this.format === 'BinarySI' && this.nano > -1024n * nanoPerUnit && this.nano < 1024n * nanoPerUnit) {
      return decimalText(this.nano, 'DecimalSI')
    }
    if (this.format === 'BinarySI') return binaryText(this.units)
    return decimalText(this.nano, this.format)
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Texts recur in every object of a cluster. */
const parsed = new BoundedMemo<string, Quantity>(10_000)

/** @throws QuantityError when the text is not a quantity. */
export function parseQuantity(text: string | number): Quantity {
  return parsed.of(typeof text === 'number' ? numberText(text) : text, requireQuantity)
}

function requireQuantity(text: string): Quantity {
  const quantity = parseText(text)
  if (quantity === undefined) throw new QuantityError(text)
  return quantity
}

/** Undefined when the text is not a quantity. */
export function tryParseQuantity(text: string | number): Quantity | undefined {
  return parseText(typeof text === 'number' ? numberText(text) : text)
}

/** JavaScript prints 1e21 and above with an exponent and sign that the quantity syntax accepts, too. */
function numberText(value: number): string {
  return String(value)
}

function parseText(text: string): Quantity | undefined {
  const match = syntax.exec(text)
  if (match === null) return undefined
  const [, sign, digits = '', binary, decimal = '', exponentText] = match
  const [whole = '', fraction = ''] = digits.split('.')
  const scaled = BigInt(`${whole}${fraction}` || '0')
  let numerator = scaled * nanoPerUnit
  let denominator = 10n ** BigInt(fraction.length)
  let format: QuantityFormat = 'DecimalSI'
  if (binary !== undefined) {
    numerator *= 1024n ** BigInt(binarySuffixes.findIndex((suffix) => suffix === binary))
    format = 'BinarySI'
  } else {
    const exponent = exponentText === undefined ? (decimalExponents.get(decimal) ?? 0) : Number(exponentText)
    if (exponentText !== undefined) format = 'DecimalExponent'
    if (!Number.isSafeInteger(exponent) || Math.abs(exponent) > 1000) return undefined
    if (exponent >= 0) numerator *= 10n ** BigInt(exponent)
    else denominator *= 10n ** BigInt(-exponent)
  }
  const nano = divideAwayFromZero(numerator, denominator)
  const capped = nano > largestUnits * nanoPerUnit ? largestUnits * nanoPerUnit : nano
  return new Quantity(sign === '-' ? -capped : capped, format)
}

function divideAwayFromZero(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  if (quotient * denominator === numerator) return quotient
  return numerator < 0n ? quotient - 1n : quotient + 1n
}

function binaryText(units: bigint): string {
  let value = units
  let suffix = 0
  while (value !== 0n && value % 1024n === 0n && suffix < binarySuffixes.length - 1) {
    value /= 1024n
    suffix += 1
  }
  return `${value}${binarySuffixes[suffix] ?? ''}`
}

function decimalText(nano: bigint, format: 'DecimalSI' | 'DecimalExponent'): string {
  if (nano === 0n) return '0'
  let value = nano
  let exponent = -9
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n
    exponent += 3
  }
  if (format === 'DecimalExponent') return exponent === 0 ? `${value}` : `${value}e${exponent}`
  return `${value}${decimalSuffixOf.get(exponent) ?? ''}`
}
