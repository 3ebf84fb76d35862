/**
 * A number with one or two decimals as Go's `%.1f` and `%.2f` print it: what lies exactly between two goes to the even one, where
 * `toFixed` rounds up.
 */
export function fixedText(value: number, decimals: 1 | 2): string {
  // In the binary numbers only quarters, with one decimal, and eighths, with two, can lie between.
  const eighths = Math.abs(value) * (decimals === 1 ? 4 : 8)
  const isBetween = Number.isInteger(eighths) && eighths % 2 === 1
  const text = value.toFixed(decimals)
  if (!isBetween || Number(text.at(-1)) % 2 === 0) return text
  const down = Math.floor(Math.abs(value) * 10 ** decimals) / 10 ** decimals
  return `${value < 0 ? '-' : ''}${down.toFixed(decimals)}`
}
