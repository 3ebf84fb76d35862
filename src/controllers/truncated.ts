/** Conditions and events stay readable: longer texts are cut. */
export function truncated(text: string, lengthMax = 300): string {
  return text.length < lengthMax ? text : `${text.slice(0, lengthMax)}...`
}
