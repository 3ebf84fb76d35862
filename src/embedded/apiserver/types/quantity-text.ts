import { decimalExponents } from '../../../api/exact-quantity.ts'

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/
/** Nothing smaller than a nano can be told apart. */
const nano = 9

/**
 * The text that an API server stores for a quantity: the largest suffix of its own family that leaves a whole number (`0.5` → `500m`,
 * `1024Mi` → `1Gi`). Undefined for what is no quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const digits = BigInt(`${whole}${fraction}`)
  if (digits === 0n) return '0'
  const negative = sign === '-' ? '-' : ''
  if (suffix.endsWith('i')) return negative + binaryText(digits, fraction.length, suffix)
  // A bare `E` is a suffix, ten to the eighteenth.
  if (/^[eE]./.test(suffix)) return negative + exponentText(digits, Number(suffix.slice(1)) - fraction.length)
  return negative + decimalText(digits, (decimalExponents[suffix] ?? 0) - fraction.length)
}

function binaryText(digits: bigint, places: number, suffix: string): string {
  const power = binarySuffixes.findIndex((each) => each === suffix)
  const scaled = digits * 1024n ** BigInt(Math.max(0, power))
  const divisor = 10n ** BigInt(places)
  // Fractions of a unit have no binary suffix; they are rounded up in nano units like any decimal.
  if (scaled % divisor !== 0n) return decimalText(scaled, -places)
  let value = scaled / divisor
  let index = 0
  while (value % 1024n === 0n && index < binarySuffixes.length - 1) {
    value /= 1024n
    index += 1
  }
  return `${value}${binarySuffixes[index] ?? ''}`
}

function decimalText(digits: bigint, exponent: number): string {
  const { mantissa, power } = inThousands(digits, exponent, 18)
  const suffix = Object.entries(decimalExponents).find(([, each]) => each === power)?.[0] ?? ''
  return `${mantissa}${suffix}`
}

function exponentText(digits: bigint, exponent: number): string {
  const { mantissa, power } = inThousands(digits, exponent, Number.MAX_SAFE_INTEGER)
  return power === 0 ? String(mantissa) : `${mantissa}e${power}`
}

/** A whole mantissa and the largest power of a thousand that allows it, from nano up to `most`. */
function inThousands(
  digits: bigint,
  exponent: number,
  most: number,
): { readonly mantissa: bigint; readonly power: number } {
  let mantissa = digits
  let power = exponent
  if (power < -nano) {
    const divisor = 10n ** BigInt(-nano - power)
    mantissa = (mantissa + divisor - 1n) / divisor
    power = -nano
  }
  while (mantissa % 10n === 0n) {
    mantissa /= 10n
    power += 1
  }
  const aligned = Math.min(most, Math.floor(power / 3) * 3)
  return { mantissa: mantissa * 10n ** BigInt(power - aligned), power: aligned }
}
