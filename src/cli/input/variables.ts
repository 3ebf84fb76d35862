import { compiledResourceOf } from '../../api/validation/index.ts'
import type { ManifestDocument, PartialObject } from './documents.ts'

type Path = readonly (string | number)[]

/**
 * Manifests of our kinds in which variables of Flux (`postBuild.substitute`) still stand cannot be read: what they are about is known once
 * these are put in, and would be compared with a cluster in vain before. Live objects have none.
 */
export function withoutVariables(documents: readonly ManifestDocument[]): ManifestDocument[] {
  return documents.map((document) => {
    const { content } = document
    if (content.kind !== 'object' || compiledResourceOf(content.object) === undefined) return document
    const problems = variablesIn(content.object).map(({ path, variable }) => ({
      ...document.locate(path),
      message: `${pathText(path)} has ${variable}, a variable that Flux puts in: substitute it first, as flux envsubst does`,
    }))
    return problems.length === 0 ? document : { ...document, content: { kind: 'unreadable', problems, isPatch: false } }
  })
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

function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${step}`),
    '',
  )
}
