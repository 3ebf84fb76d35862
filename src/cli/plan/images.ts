import { isRecord } from '../../api/json.ts'
import { parseDocuments, type ManifestDocument, syntaxLine } from '../input/documents.ts'
import { pathText } from '../input/path.ts'
import type { EC2NodeClassStatus } from '../../api/karpenter.ts'

/** What the selectors of a class would find, for what a plan cannot know offline: in the form of the class's status. */
export type ResolvedClass = Pick<EC2NodeClassStatus, 'amis' | 'subnets' | 'securityGroups'>

export type ImagesFile =
  | { readonly kind: 'ok'; readonly classes: ReadonlyMap<string, ResolvedClass> }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/** By name of the EC2NodeClass, e.g. `default: {amis: [{id: ami-0123, requirements: []}]}`. */
export function parseImages(file: string, text: string): ImagesFile {
  const problems: string[] = []
  const classes = new Map<string, ResolvedClass>()
  for (const document of parseDocuments(file, text)) {
    if (document.content.kind === 'unreadable') {
      problems.push(...document.content.problems.map((problem) => syntaxLine(file, problem)))
      continue
    }
    for (const [name, value] of Object.entries(document.content.object)) {
      const found = check(value, [name], document)
      problems.push(...found)
      if (found.length === 0) classes.set(name, toResolved(value))
    }
  }
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'ok', classes }
}

const lists = ['amis', 'subnets', 'securityGroups'] as const

function check(value: unknown, path: readonly (string | number)[], document: ManifestDocument): string[] {
  if (!isRecord(value)) return [problem(document, path, 'must be a mapping with amis, subnets or securityGroups')]
  return Object.entries(value).flatMap(([key, items]) => {
    const at = [...path, key]
    if (!lists.some((name) => name === key)) return [problem(document, at, `must be one of ${lists.join(', ')}`)]
    if (!Array.isArray(items)) return [problem(document, at, 'must be a list')]
    return items.flatMap((item: unknown, index) =>
      isRecord(item) && typeof item['id'] === 'string'
        ? []
        : [problem(document, [...at, index, 'id'], 'Required value')],
    )
  })
}

function problem(document: ManifestDocument, path: readonly (string | number)[], message: string): string {
  const { line, column } = document.locate(path)
  return `${document.file}:${line}:${column} ${pathText(path)}: ${message}`
}

/** Fields that only status needs are filled in. */
function toResolved(value: unknown): ResolvedClass {
  const listOf = (key: (typeof lists)[number]): readonly Readonly<Record<string, unknown>>[] | undefined => {
    const items: unknown = isRecord(value) ? value[key] : undefined
    return Array.isArray(items) ? items.filter(isRecord) : undefined
  }
  const text = (item: Readonly<Record<string, unknown>>, key: string): string => String(item[key] ?? '')
  const amis = listOf('amis')?.map((item) => ({
    id: text(item, 'id'),
    ...(item['name'] === undefined ? {} : { name: text(item, 'name') }),
    requirements: Array.isArray(item['requirements'])
      ? item['requirements'].filter(isRecord).map((entry) => ({
          key: text(entry, 'key'),
          operator: text(entry, 'operator'),
          ...(Array.isArray(entry['values']) ? { values: entry['values'].map(String) } : {}),
        }))
      : [],
  }))
  const subnets = listOf('subnets')?.map((item) => ({ id: text(item, 'id'), zone: text(item, 'zone') }))
  const securityGroups = listOf('securityGroups')?.map((item) => ({ id: text(item, 'id') }))
  return {
    ...(amis === undefined ? {} : { amis }),
    ...(subnets === undefined ? {} : { subnets }),
    ...(securityGroups === undefined ? {} : { securityGroups }),
  }
}
