/** Takes a path as the API server prints it apart: `spec.taints[0].key`, `metadata.labels[example.com/a]`. */
export function parsePath(text: string): (string | number)[] {
  const parts: (string | number)[] = []
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
