import { distance } from 'fastest-levenshtein'

/** More than three letters that are wrong are another word. */
const changesMax = 3

/**
 * The one of the known names that was probably meant: a third of its letters may be wrong, and which are capitals counts for nothing. Undefined
 * where none is so near, or two are equally.
 */
export function nearName(written: string, known: readonly string[]): string | undefined {
  const small = written.toLowerCase()
  let nearest: { readonly name: string | undefined; readonly changes: number } | undefined
  for (const name of known) {
    // What is much longer or shorter need not be compared, which would take long of a text that is no name.
    if (Math.abs(written.length - name.length) > changesMax) continue
    const changes = distance(small, name.toLowerCase())
    if (changes > Math.min(changesMax, Math.ceil(name.length / 3)) || changes > (nearest?.changes ?? changes)) continue
    nearest = { name: changes === nearest?.changes ? undefined : name, changes }
  }
  return nearest?.name
}

/** A sentence of its own. */
export function didYouMean(name: string): string {
  return `Did you mean ${JSON.stringify(name)}?`
}
