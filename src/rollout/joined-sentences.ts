/** Enough to see what it is about: a policy may select a thousand pools, and each of them shows its message, too. */
const shownMax = 10

/** Sentences as one message, one for each object that there is something to say of; the first of them, then how many more there are. */
export function joinSentences(sentences: readonly string[]): string {
  const shown = sentences.slice(0, shownMax).join('; ')
  return sentences.length > shownMax ? `${shown}; and ${sentences.length - shownMax} more` : shown
}
