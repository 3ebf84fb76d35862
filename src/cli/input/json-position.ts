/** Where the value at a path begins in JSON text, as an offset; of the nearest parent that exists, when it does not. Valid JSON only. */
export function jsonOffsetOf(text: string, path: readonly (string | number)[]): number {
  const scanner = new Scanner(text)
  let found = scanner.skipSpace(0)
  for (const part of path) {
    const next = typeof part === 'number' ? scanner.item(found, part) : scanner.member(found, part)
    if (next === undefined) break
    found = next
  }
  return found
}

/** Line and column of an offset, both from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let begin = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
    line += 1
    begin = end + 1
  }
  return { line, column: offset - begin + 1 }
}

class Scanner {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Offset of the value of a member. */
  member(start: number, name: string): number | undefined {
    if (this.#text[start] !== '{') return undefined
    return this.#find(start, (at) => {
      const end = this.#endOfText(at)
      const isSame = JSON.parse(this.#text.slice(at, end)) === name
      const value = this.skipSpace(this.skipSpace(end) + 1)
      return { isSame, place: value, end: this.#endOfValue(value) }
    })
  }

  item(start: number, index: number): number | undefined {
    if (this.#text[start] !== '[') return undefined
    let count = -1
    return this.#find(start, (at) => {
      count += 1
      return { isSame: count === index, place: at, end: this.#endOfValue(at) }
    })
  }

  skipSpace(start: number): number {
    let at = start
    while (at < this.#text.length && ' \t\r\n'.includes(this.#text[at] ?? '')) at += 1
    return at
  }

  #find(
    start: number,
    look: (at: number) => { readonly isSame: boolean; readonly place: number; readonly end: number },
  ): number | undefined {
    let at = this.skipSpace(start + 1)
    while (at < this.#text.length && this.#text[at] !== '}' && this.#text[at] !== ']') {
      const { isSame, place, end } = look(at)
      if (isSame) return place
      at = this.skipSpace(end)
      if (this.#text[at] === ',') at = this.skipSpace(at + 1)
    }
    return undefined
  }

  #endOfValue(start: number): number {
    const first = this.#text[start]
    if (first === '"') return this.#endOfText(start)
    if (first !== '{' && first !== '[') {
      let at = start
      while (at < this.#text.length && !',]} \t\r\n'.includes(this.#text[at] ?? '')) at += 1
      return at
    }
    let depth = 0
    for (let at = start; at < this.#text.length; at += 1) {
      const character = this.#text[at]
      if (character === '"') at = this.#endOfText(at) - 1
      else if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') {
        depth -= 1
        if (depth === 0) return at + 1
      }
    }
    return this.#text.length
  }

  #endOfText(start: number): number {
    let at = start + 1
    while (at < this.#text.length && this.#text[at] !== '"') at += this.#text[at] === '\\' ? 2 : 1
    return at + 1
  }
}
