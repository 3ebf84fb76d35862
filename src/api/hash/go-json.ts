const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON as Go prints it: no spaces, members sorted bytewise, characters escaped that are special to HTML. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => compareBytes(a, b))
      .map(([key, member]) => `${quoted(key)}:${goJson(member)}`)
    return `{${members.join(',')}}`
  }
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString()
  return JSON.stringify(value) ?? 'null'
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/\\.|[<>&\u2028\u2029]/g, (token) => escapes[token] ?? token)
}

const encoder = new TextEncoder()

function compareBytes(a: string, b: string): number {
  const left = encoder.encode(a)
  const right = encoder.encode(b)
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
