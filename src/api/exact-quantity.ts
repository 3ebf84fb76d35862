/** A quantity as an exact fraction. Enough to compare and to print; amounts for arithmetic are in the model. */
export interface ExactQuantity {
  readonly numerator: bigint
  /** Positive. */
  readonly denominator: bigint
}

const expression = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([+-]?\d+))?$/
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
/** Powers of ten that a quantity's suffix stands for. */
export const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
/** Powers of ten beyond this are no amounts of anything, and would take long to compute. */
const exponentMax = 1_000

/** Undefined for what is not a quantity. */
export function parseExactQuantity(text: string): ExactQuantity | undefined {
  const match = expression.exec(text)
  if (match === null) return undefined
  const [, sign, number = '', binary, decimal, exponent] = match
  const [whole = '', fraction = ''] = number.split('.')
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  const power =
    (decimal === undefined ? 0 : (decimalExponents[decimal] ?? 0)) +
    (exponent === undefined ? 0 : Number(exponent)) -
    fraction.length
  if (Math.abs(power) > exponentMax) return undefined
  const scaled = digits * 2n ** BigInt(binary === undefined ? 0 : (binaryExponents[binary] ?? 0))
  return power >= 0
    ? { numerator: scaled * 10n ** BigInt(power), denominator: 1n }
    : { numerator: scaled, denominator: 10n ** BigInt(-power) }
}
