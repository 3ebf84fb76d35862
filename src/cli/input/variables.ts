import { compiledResourceOf } from '../../api/validation/index.ts'
import { pathText } from './path.ts'
import type { ManifestDocument, PartialObject } from './documents.ts'
import type { Position } from './yaml-text.ts'

type Path = readonly (string | number)[]

/**
 * Manifests of our kinds in which variables of Flux (`postBuild.substitute`) still stand cannot be read: what they are about is known once
 * these are put in, and would be compared with a cluster in vain before. Live objects have none.
 */
export function withoutVariables(documents: readonly ManifestDocument[]): ManifestDocument[] {
  return documents.map((document) => {
    const problems = variablesOf(document).map(({ path, message, line, column }) => ({
      line,
      column,
      message: `${path} has ${message}`,
    }))
    return problems.length === 0 ? document : { ...document, content: { kind: 'unreadable', problems, isPatch: false } }
  })
}

export interface StandingVariable extends Position {
  readonly path: string
  /** `${name}`, as it is written. */
  readonly variable: string
  readonly message: string
}

/** Where variables of Flux still stand in a manifest of ours. */
export function variablesOf({ content, locate }: ManifestDocument): readonly StandingVariable[] {
  if (content.kind !== 'object' || compiledResourceOf(content.object) === undefined) return []
  return variablesIn(content.object).map(({ path, variable }) => ({
    ...locate(path),
    path: pathText(path),
    variable,
    message: `${variable}, a variable that is still to be put in, as flux envsubst does`,
  }))
}

/** Whether a problem is with the text of a variable, which is not the text that comes. */
export function isAboutVariable(
  problem: { readonly path: string; readonly message: string },
  variables: readonly StandingVariable[],
): boolean {
  return variables.some(
    ({ path, variable }) =>
      problem.path === path ||
      (isWithin(path, problem.path) && (problem.message.includes(variable) || unquoted.test(problem.message))),
  )
}

/** Of a taint's text it is told what it may be made of, of one that is to be a number that it is none; not what it is. */
const unquoted =
  /^invalid value: .* must consist of .* in (taints|startupTaints)$|type conversion error from 'string' to 'int'/

/** `spec.taints[0].value` is within `spec.taints[0]` and `spec`. */
function isWithin(path: string, parent: string): boolean {
  return path.startsWith(parent) && /^[.[]/.test(path.slice(parent.length))
}

interface Found {
  readonly path: Path
  readonly variable: string
}

function variablesIn({ metadata, spec }: PartialObject): readonly Found[] {
  return [...found(['metadata', 'name'], metadata?.name), ...found(['spec'], spec)]
}

/** A shell or Prometheus may mean the same by it as Flux. */
const textsOfOthers: ReadonlySet<string | number> = new Set(['userData', 'query'])

function found(path: Path, value: unknown): readonly Found[] {
  if (typeof value === 'string') {
    const variable = firstVariable(value)
    return variable === undefined ? [] : [{ path, variable }]
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => found([...path, index], item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    textsOfOthers.has(key) ? [] : [...found(path, key), ...found([...path, key], inner)],
  )
}

/** `${name}`, `${name:=default}`, `${name:-default}`; with two signs Flux leaves it alone. */
function firstVariable(text: string): string | undefined {
  return /(?<!\$)\$\{[A-Za-z_]\w*(?::?[-=][^}]*)?\}/.exec(text)?.[0]
}
