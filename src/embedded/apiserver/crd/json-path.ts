import { isArray, isObject } from '../json.ts'

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly string[]; readonly value: string }

/** The JSONPath that printer columns and scale paths use: fields, `\.` in names, `[n]`, `[*]` and `[?(@.type=="Ready")]`. */
export function parseJsonPath(text: string): readonly Step[] {
  const steps: Step[] = []
  let rest = text.startsWith('$') ? text.slice(1) : text
  while (rest !== '') {
    const filter = /^\[\?\(@\.([A-Za-z0-9_.]+)\s*==\s*["']([^"']*)["']\)\]/.exec(rest)
    const index = /^\[(\d+|\*)\]/.exec(rest)
    const quoted = /^\[['"]([^'"]+)['"]\]/.exec(rest)
    const name = /^\.((?:\\.|[^.[\\])+)/.exec(rest)
    const match = filter ?? index ?? quoted ?? name
    if (match === null) return []
    if (match === filter) steps.push({ kind: 'filter', path: (filter[1] ?? '').split('.'), value: filter[2] ?? '' })
    else if (match === index) {
      steps.push(index[1] === '*' ? { kind: 'all' } : { kind: 'index', index: Number(index[1]) })
    } else steps.push({ kind: 'field', name: (match[1] ?? '').replaceAll(/\\(.)/g, '$1') })
    rest = rest.slice(match[0].length)
  }
  return steps
}

/** Everything the path leads to, in document order. */
export function evaluateJsonPath(steps: readonly Step[], value: unknown): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((found, step) => found.flatMap((item) => follow(step, item)), [value])
}

/** The plain field names of a path without lists, as scale paths are. */
export function fieldSteps(text: string): readonly string[] {
  return parseJsonPath(text).flatMap((step) => (step.kind === 'field' ? [step.name] : []))
}

function follow(step: Step, value: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isObject(value) && value[step.name] !== undefined ? [value[step.name]] : []
    case 'index':
      return isArray(value) && value[step.index] !== undefined ? [value[step.index]] : []
    case 'all':
      return isArray(value) ? value : isObject(value) ? Object.values(value) : []
    case 'filter':
      return (isArray(value) ? value : []).filter((item) => {
        const found = step.path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), item)
        return found === step.value
      })
  }
}
