/** The API server's name for the object itself. */
export const wholeObject = '<nil>'

/**
 * Takes a path as the API server prints it apart: `spec.taints[0].key`, `metadata.labels[example.com/a]`. It also prints keys with dots as
 * they are, `spec.limits.nvidia.com/gpu`; which parts are one key, the object says in which the path is.
 */
export function parsePath(text: string, object: unknown): (string | number)[] {
  const parts = split(text)
  const path: (string | number)[] = []
  let value = object
  for (let at = 0; at < parts.length; ) {
    const length = keyLength(value, parts.slice(at))
    const key = length === 1 ? (parts[at] ?? '') : parts.slice(at, at + length).join('.')
    path.push(key)
    value = typeof value === 'object' && value !== null ? (Reflect.get(value, key) as unknown) : undefined
    at += length
  }
  return path
}

/** As the API server prints paths: `spec.containers[0].resources.requests[cpu]`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (/^[A-Za-z0-9_-]+$/.test(part)) text += text === '' ? part : `.${part}`
    else text += `[${part}]`
  }
  return text
}

/** Of how many of the parts the next key of the value is made; one where it has no such key. */
function keyLength(value: unknown, parts: readonly (string | number)[]): number {
  if (typeof value !== 'object' || value === null) return 1
  for (let length = 1; length <= parts.length && typeof parts[length - 1] === 'string'; length += 1) {
    if (Object.hasOwn(value, parts.slice(0, length).join('.'))) return length
  }
  return 1
}

function split(text: string): (string | number)[] {
  const parts: (string | number)[] = []
  if (text === wholeObject) return parts
  let rest = text
  while (rest !== '') {
    if (rest.startsWith('[')) {
      const end = rest.indexOf(']')
      if (end < 0) break
      const inner = rest.slice(1, end).replaceAll(/^"|"$/g, '')
      parts.push(/^\d+$/.test(inner) ? Number(inner) : inner)
      rest = rest.slice(end + 1)
    } else {
      const [, name = '', more = ''] = /^\.?([^.[]*)(.*)$/s.exec(rest) ?? []
      if (name !== '') parts.push(name)
      if (more === rest) break
      rest = more
    }
  }
  return parts
}
