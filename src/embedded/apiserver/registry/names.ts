import { type FieldError, field } from '../errors.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const subdomainPattern = new RegExp(`^${subdomain}$`)
const labelPattern = new RegExp(`^${label}$`)

/** What is wrong with a name of most kinds; undefined when nothing is. */
export function subdomainProblem(name: string): string | undefined {
  if (name.length > 253) return 'must be no more than 253 bytes'
  if (subdomainPattern.test(name)) return undefined
  return `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`
}

/** Namespaces and services are DNS labels. */
export function labelProblem(name: string): string | undefined {
  if (name.length > 63) return 'must be no more than 63 bytes'
  if (labelPattern.test(name)) return undefined
  return `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`
}

/** RBAC objects are named by anything that fits into a path. */
export function pathSegmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`
  for (const part of ['/', '%']) if (name.includes(part)) return `may not contain '${part}'`
  return undefined
}

const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

/** Label and annotation keys: an optional DNS prefix and a name of at most 63 characters. */
export function qualifiedNameProblem(key: string): string | undefined {
  const slash = key.indexOf('/')
  const prefix = slash === -1 ? undefined : key.slice(0, slash)
  const name = key.slice(slash + 1)
  if (prefix !== undefined) {
    if (prefix === '') return 'prefix part must be non-empty'
    const problem = subdomainProblem(prefix)
    if (problem !== undefined) return `prefix part ${problem}`
  }
  if (name === '') return 'name part must be non-empty'
  if (name.length > 63) return 'name part must be no more than 63 bytes'
  if (qualifiedPart.test(name)) return undefined
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
}

export function labelValueProblem(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 bytes'
  if (value === '' || qualifiedPart.test(value)) return undefined
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
}

/** Labels, or what nodes are selected by. */
export function labelErrors(labels: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const problem = qualifiedNameProblem(key)
    const valueProblem = labelValueProblem(String(value))
    return [
      ...(problem === undefined ? [] : [field.invalid(path, key, problem)]),
      ...(valueProblem === undefined ? [] : [field.invalid(path, value, valueProblem)]),
    ]
  })
}
