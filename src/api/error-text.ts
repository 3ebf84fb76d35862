/** Of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Parsers show the text itself in lines of their own, below what they have to say. */
export function firstLineOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? ''
}
