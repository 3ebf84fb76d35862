/** Of whatever was thrown. Where a name has several addresses and none of them answers, Node's error says only what became of each. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Parsers show the text itself in lines of their own, below what they have to say. */
export function firstLineOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? ''
}
