const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** A short name for a pod template that depends on nothing but its content, for labels and names. */
export function templateHash(template: object): string {
  let high = 0x811c9dc5
  let low = 0x1b873593
  for (const char of canonical(template)) {
    const code = char.codePointAt(0) ?? 0
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 13)
  }
  let rest = ((high >>> 0) * 2 ** 16 + ((low >>> 0) & 0xffff)) % 2 ** 47
  let text = ''
  for (let index = 0; index < 10; index += 1) {
    text += alphabet.charAt(rest % alphabet.length)
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
