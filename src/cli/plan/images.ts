import { isRecord, memberOf } from '../../api/json.ts'
import type { EC2NodeClassStatus } from '../../api/karpenter.ts'
import { compileCustomResource, compiledResourceOf } from '../../api/validation/index.ts'
import { requirementOperators } from '../../model/requirement.ts'
import { type ManifestDocument, parseDocuments, syntaxLine } from '../input/documents.ts'
import { parsePath, pathText, wholeObject } from '../input/path.ts'

/** What the selectors of a class would find, for what a plan cannot know offline: in the form of the class's status. */
export type ResolvedClass = Pick<EC2NodeClassStatus, 'amis' | 'subnets' | 'securityGroups'>

export type ImagesFiles =
  | { readonly kind: 'ok'; readonly classes: ReadonlyMap<string, ResolvedClass> }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/**
 * By name of the EC2NodeClass, e.g. `default: {amis: [{id: ami-0123}]}`. What is not understood is wrong: a plan that passed it over would
 * look as if it were known what the selectors find.
 */
export function parseImages(texts: readonly { readonly file: string; readonly text: string }[]): ImagesFiles {
  const problems: string[] = []
  const classes = new Map<string, ResolvedClass>()
  for (const { file, text } of texts) {
    const documents = parseDocuments(file, text)
    if (documents.length === 0) problems.push(`${file}: no document in it: has what was to write it failed?`)
    for (const document of documents) {
      if (document.content.kind === 'unreadable') {
        problems.push(...document.content.problems.map((problem) => syntaxLine(file, problem)))
        continue
      }
      for (const [name, value] of Object.entries(document.content.object)) {
        const parsed = parseClass(value)
        if (parsed.kind === 'wrong') {
          problems.push(...parsed.problems.map(({ path, message }) => line(document, [name, ...path], message)))
        } else if (classes.has(name)) {
          problems.push(line(document, [name], 'comes twice: only one of them would count'))
        } else classes.set(name, parsed.resolved)
      }
    }
  }
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'ok', classes }
}

type Path = readonly (string | number)[]

interface Problem {
  readonly path: Path
  readonly message: string
}

type ParsedClass =
  | { readonly kind: 'ok'; readonly resolved: ResolvedClass }
  | { readonly kind: 'wrong'; readonly problems: readonly Problem[] }

const lists = ['amis', 'subnets', 'securityGroups'] as const

function parseClass(value: unknown): ParsedClass {
  const misshapen = shapeProblems(value)
  if (misshapen.length > 0) return { kind: 'wrong', problems: misshapen }
  const { object, errors, unknownFields } = statusLists().admit(withRequirements(value))
  const problems = [
    ...unknownFields.map((path) => ({ path: parsePath(path, value), message: 'unknown field' })),
    ...errors
      .filter(({ path }) => path !== wholeObject)
      .map(({ path, body }) => ({ path: parsePath(path, value), message: body })),
    ...operatorProblems(value),
  ]
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'ok', resolved: object as ResolvedClass }
}

function shapeProblems(value: unknown): readonly Problem[] {
  if (!isRecord(value)) return [{ path: [], message: 'must be a mapping with amis, subnets or securityGroups' }]
  return Object.entries(value).flatMap(([key, items]) => {
    if (!lists.some((name) => name === key)) return [{ path: [key], message: `must be one of ${lists.join(', ')}` }]
    return Array.isArray(items) ? [] : [{ path: [key], message: 'must be a list' }]
  })
}

/** What judges the lists of a class's status. */
function statusLists() {
  const status = compiledResourceOf({ apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass' })?.schema.properties?.[
    'status'
  ]
  const properties = Object.fromEntries(lists.map((name) => [name, status?.properties?.[name] ?? {}]))
  return compileCustomResource({ type: 'object', properties })
}

/** An image that asks for nothing need not say so. */
function withRequirements(value: unknown): unknown {
  const amis = memberOf(value, 'amis')
  if (!isRecord(value) || !Array.isArray(amis)) return value
  return { ...value, amis: amis.map((image: unknown) => (isRecord(image) ? { requirements: [], ...image } : image)) }
}

/** The schema lets every text pass, and one that is none would be read as In. */
function operatorProblems(value: unknown): readonly Problem[] {
  return itemsOf(value, 'amis').flatMap((image, at) =>
    itemsOf(image, 'requirements').flatMap((entry, index) => {
      const operator = memberOf(entry, 'operator')
      if (typeof operator !== 'string' || requirementOperators.has(operator)) return []
      const path = ['amis', at, 'requirements', index, 'operator']
      return [{ path, message: `must be one of ${[...requirementOperators].join(', ')}` }]
    }),
  )
}

function itemsOf(value: unknown, key: string): readonly unknown[] {
  const items = memberOf(value, key)
  return Array.isArray(items) ? items : []
}

function line(document: ManifestDocument, path: Path, message: string): string {
  const { line: at, column } = document.locate(path)
  return `${document.file}:${at}:${column} ${pathText(path)}: ${message}`
}
