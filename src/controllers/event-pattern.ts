type Parts = Readonly<Record<string, RegExp>>

/** What the parts of messages that vary look like, unless a row says otherwise; all others are any text. */
const usualParts: Parts = {
  after: /(True|False|Unknown)/,
  amount: /\S+/,
  before: /(True|False|Unknown)/,
  id: /\S+/,
  n: /\d+/,
  name: /\S+/,
  namespace: /\S+/,
  number: /\d+/,
  object: /\S+/,
  revision: /\S+/,
  share: /-?\d+\.\d/,
  target: /\S+/,
  time: /\S+/,
  type: /\S+/,
  zone: /\S*/,
}
const anyText = '[^]+'

/**
 * What messages match that are written like one of these: `<…>` varies, `<a|b>` is one of these, `[…]` may be missing. `parts` says how
 * what stands in angle brackets looks.
 */
export function patternOf(texts: readonly string[], parts: Parts = {}): RegExp {
  const sources = texts.map((text) => sourceOf(text, { ...usualParts, ...parts }))
  return new RegExp(`^(${sources.join('|')})$`)
}

function sourceOf(text: string, parts: Parts): string {
  let source = ''
  let done = 0
  for (const match of text.matchAll(/<(?<part>[^<>]+)>|\[(?<optional>[^[\]]+)\]/g)) {
    const { part = '', optional } = match.groups ?? {}
    source += escaped(text.slice(done, match.index))
    source += optional === undefined ? partSource(part, parts) : `(${sourceOf(optional, parts)})?`
    done = match.index + match[0].length
  }
  return source + escaped(text.slice(done))
}

function partSource(part: string, parts: Parts): string {
  return parts[part]?.source ?? (part.includes('|') ? `(${part})` : anyText)
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
}
