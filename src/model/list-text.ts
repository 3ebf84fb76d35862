/** The first items, then how many more; log lines of large batches stay short. */
export function listText(items: readonly string[], shownMax = 5): string {
  const shown = items.slice(0, shownMax).join(', ')
  return items.length > shownMax ? `${shown} and ${items.length - shownMax} other(s)` : shown
}
