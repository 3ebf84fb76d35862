import { UserDataError } from './inputs.ts'

/**
 * Values inside shell and PowerShell lines. Names, labels, taints and kubelet values have alphabets without quotes, so what follows
 * leaves every legitimate value as it is; a value that could end its quotes or start a line is refused, not bent into shape.
 */

// eslint-disable-next-line no-control-regex -- control characters are what must not get through
const controlCharacters = /[\u0000-\u001f\u007f\u2028\u2029]/

/** For `'…'` of a POSIX shell and of PowerShell, in which nothing but the quote itself is special. PowerShell also takes curly quotes for one. */
export function singleQuoted(what: string, value: string): string {
  if (controlCharacters.test(value) || /['\u2018\u2019\u201a\u201b]/.test(value)) refuse(what, value)
  return `'${value}'`
}

/** For a `"…"` that stands inside single quotes and is read once more by the service that splits the kubelet's arguments. */
export function flagText(what: string, value: string): string {
  if (controlCharacters.test(value) || /['"`$\\\u2018-\u201f]/.test(value)) refuse(what, value)
  return value
}

/** For one item of a comma-separated `key=value` list. */
export function listItemText(what: string, value: string): string {
  if (value.includes(',')) refuse(what, value)
  return flagText(what, value)
}

function refuse(what: string, value: string): never {
  throw new UserDataError(`${what} ${JSON.stringify(value)} cannot be passed to the node's bootstrap safely`)
}
