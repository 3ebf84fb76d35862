/** A number, or a share of `total` in percent, rounded as asked. */
export function resolvePercent(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  if (!value.endsWith('%')) return Number(value)
  const exact = (Number(value.slice(0, -1)) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
