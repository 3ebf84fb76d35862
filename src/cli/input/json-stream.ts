import { positionAt } from './json-position.ts'

/**
 * The texts of a stream of two or more JSON objects, as kubectl reads one, each with white space in place of what comes before it, so that
 * places in them are those in the whole; undefined for any other text.
 */
export function jsonTextsOf(text: string): readonly string[] | undefined {
  const stream = text.trimStart().startsWith('{') ? (jsonStreamOf(text) ?? []) : []
  if (stream.length < 2) return undefined
  return stream.map(({ start, end }) => {
    const { line, column } = positionAt(text, start)
    return `${'\n'.repeat(line - 1)}${' '.repeat(column - 1)}${text.slice(start, end)}`
  })
}

/**
 * Where the values of a JSON stream (`{…}{…}`, with or without line breaks between them) begin and end, as kubectl reads one; undefined
 * for text that is no sequence of objects. Brackets and quotes are all that is looked at: parsers judge what is between them.
 */
function jsonStreamOf(text: string): readonly { readonly start: number; readonly end: number }[] | undefined {
  const values: { start: number; end: number }[] = []
  let depth = 0
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isQuoted) {
      if (character === '\\') at += 1
      else if (character === '"') isQuoted = false
    } else if (character === '{' || character === '[') {
      if (depth === 0) {
        if (character === '[') return undefined
        start = at
      }
      depth += 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      if (depth < 0) return undefined
      if (depth === 0) values.push({ start, end: at + 1 })
    } else if (depth === 0) {
      if (character !== undefined && !' \t\r\n\u{feff}'.includes(character)) return undefined
    } else if (character === '"') isQuoted = true
  }
  return depth === 0 ? values : undefined
}
