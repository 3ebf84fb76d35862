/** How Go prints values, for messages that have to read like those of programs written in it. */

/** What Go's unicode.IsPrint lets stand: letters, marks, numbers, punctuation, symbols, and of spaces the plain one. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

const short: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** `%q` of a text. */
export function goQuoted(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, (character) => `\\${character}`)
  return `"${escaped.replaceAll(unprintable, (character) => short[character] ?? codeOf(character))}"`
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  // Half of a pair is no character: Go has read it as the one that stands for what cannot be read.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/** Beyond this a whole number in JSON is a float64 to Go. */
const int64Limit = 2 ** 63

/** Whether Go reads a number in JSON as an int64. The bounds themselves are no doubles, so the last one counts as within. */
export function isGoInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= int64Limit
}

/** `%v` of a number. */
export function goNumber(value: number): string {
  if (isGoInteger(value)) return BigInt(value).toString()
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  // Six digits before the point are the most that are written out where the shortest text is asked for.
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** `%v` of a JSON value. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (typeof value === 'number') return goNumber(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `map[${members.map(([key, member]) => `${key}:${goValue(member)}`).join(' ')}]`
}

/** `%T` of a JSON value. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'number') return isGoInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value
}
