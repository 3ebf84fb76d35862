/** What is said of those that are left out; messages are matched by users, and each keeps its own word. */
type Noun = 'other(s)' | 'others' | 'more'

/** The first items, then how many more; text about large fleets stays short. */
export function listText(items: readonly string[], shownMax = 5, noun?: Noun): string {
  return `${items.slice(0, shownMax).join(', ')}${restText(items.length, shownMax, noun)}`
}

/** How many of `count` are left out where `shownMax` are shown, to be put behind them; empty for none. */
export function restText(count: number, shownMax: number, noun: Noun = 'other(s)'): string {
  return count > shownMax ? ` and ${count - shownMax} ${noun}` : ''
}
