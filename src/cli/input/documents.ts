import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import { isRecord } from '../../api/json.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { jsonOffsetOf, positionAt } from './json-position.ts'
import { jsonTextsOf } from './json-stream.ts'
import { withoutPatches } from './kustomize.ts'
import { checkNames, filesOf, InputError, type InputOptions, NoTextError, readAll } from './texts.ts'
import {
  byteOrderMark,
  manifestOptions,
  type Position,
  positionOf,
  problemsOf,
  syntaxText,
  valueOf,
} from './yaml-text.ts'

/** One YAML or JSON document of the input, with what it takes to point at a place in it. */
export interface ManifestDocument {
  /** As the user named it; `-` for standard input. */
  readonly file: string
  /** Position among the file's documents, from 0; empty documents count. */
  readonly index: number
  readonly content:
    | { readonly kind: 'object'; readonly object: PartialObject }
    | {
        readonly kind: 'unreadable'
        readonly problems: readonly SyntaxProblem[]
        /**
         * Whether it parses and is no object of its own: a list, as a JSON patch is, without a manifest in it, or what a kustomization of the
         * input names as a patch.
         */
        readonly isPatch: boolean
      }
  /** Where the value at a path of keys and indexes stands (`[]`: the whole document); the nearest parent that exists, when it does not. */
  locate(path: readonly (string | number)[]): Position
}

/** What a document that parses is known to be: a mapping. Everything else about it is for validation to say. */
export type PartialObject = Partial<KubeObject> & Record<string, unknown>

interface SyntaxProblem extends Position {
  readonly message: string
}

/** A line that is neither blank, nor a comment, nor between documents. */
const something = /^(?![^\S\n]*(?:#|---\s*$|$))/m

/**
 * Every document of the named files, folders (their *.yaml, *.yml and *.json, one level or all with `recursive`) and standard
 * input (`-`), in the order named; files of a folder in byte order, without those of folders in it whose names begin with a dot. Lists
 * (`kind: List` and the like) are taken apart. What is no text, and a file or folder in a folder that cannot be read, is a document that does
 * not parse, so that the others are judged all the same, and so is a patch of a kustomization among them. Unless it may be empty, input
 * without a document is refused, as by kubectl: what was to write it has failed, which in a pipe nobody else tells. So is a folder without
 * manifests.
 * @throws ProblemsError when something named cannot be read; UsageError for names that cannot be meant
 */
export async function readDocuments(
  names: readonly string[],
  options: InputOptions,
  input: 'needed' | 'may be empty' = 'needed',
): Promise<ManifestDocument[]> {
  checkNames(names)
  const documents: ManifestDocument[] = []
  let isEmpty = names.length > 0
  const failed = (file: string, error: unknown): ManifestDocument => {
    const isToldOf = error instanceof NoTextError || (error instanceof InputError && !names.includes(file))
    if (!isToldOf) throw error
    isEmpty = false
    const position = error instanceof NoTextError ? error.position : { line: 1, column: 1 }
    return unreadable(file, 0, [{ ...position, message: error.reason }])
  }
  for (const name of names) {
    if (name === '-') {
      try {
        const text = await readAll(options.stdin, options.signal)
        if (input === 'needed' && !something.test(text)) {
          throw new InputError('-', 'standard input holds no document: has what was to write it failed?')
        }
        isEmpty = false
        documents.push(...parseDocuments('-', text))
      } catch (error) {
        documents.push(failed('-', error))
      }
      continue
    }
    for (const { file, read } of filesOf(name, options, input)) {
      try {
        const text = read()
        isEmpty &&= !something.test(text)
        documents.push(...parseDocuments(file, text, read))
      } catch (error) {
        documents.push(failed(file, error))
      }
    }
  }
  if (input === 'needed' && isEmpty) {
    throw new InputError(names.join(', '), 'no document in it: has what was to write it failed?')
  }
  return withoutPatches(documents)
}

/** As every command tells what does not parse. */
export function syntaxLine(file: string, { line, column, message }: SyntaxProblem): string {
  return `${file}:${line}:${column}: ${message}`
}

/** `again` reads the same text once more: long text is not kept only because a place in it might be asked for. */
export function parseDocuments(file: string, text: string, again: () => string = () => text): ManifestDocument[] {
  const unmarked = withoutMarks(text)
  const recorded = unmarked.length > jsonLengthMin ? parseJSON(file, unmarked, () => withoutMarks(again())) : undefined
  if (recorded !== undefined) return recorded
  return jsonTextsOf(unmarked)?.flatMap((part, index) => parseYAML(file, part, index)) ?? parseYAML(file, unmarked)
}

/** Any document may begin with a byte order mark: files of Windows may have been put together. Editors do not count it as a column. */
function withoutMarks(text: string): string {
  return text.includes(byteOrderMark) ? text.replaceAll(/(^|\n---[^\n]*\n)\u{feff}/gu, '$1') : text
}

function parseYAML(file: string, text: string, first = 0): ManifestDocument[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { ...manifestOptions, lineCounter: lines })
  return documents.flatMap((document, index) => toManifest({ file, index: first + index, text }, document, lines))
}

/**
 * Long text that is one JSON object: recorded clusters are, and a YAML parser would need minutes and gigabytes for them. Undefined for
 * anything else. Shorter text takes the usual way, which also refuses members that come twice.
 */
function parseJSON(file: string, text: string, again: () => string): ManifestDocument[] | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  let object: PartialObject
  try {
    object = JSON.parse(text) as PartialObject
  } catch {
    return undefined
  }
  const locate: ManifestDocument['locate'] = (path) => {
    const whole = again()
    return positionAt(whole, jsonOffsetOf(whole, path))
  }
  return objectsOf(file, 0, object, locate)
}

/** A megabyte: far more than anybody writes by hand. */
const jsonLengthMin = 2 ** 20

function toManifest(
  { file, index, text }: { readonly file: string; readonly index: number; readonly text: string },
  document: Document.Parsed,
  lines: LineCounter,
): ManifestDocument[] {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const start = at(document.contents?.range?.[0] ?? document.range[0])
  const broken = problemsOf(document, text).map(({ offset, message }) => ({ ...at(offset), message }))
  if (broken.length > 0) return [unreadable(file, index, broken, () => start)]
  const locate = (path: readonly (string | number)[]): Position => positionOf(document, path, at) ?? start
  let value: unknown
  try {
    value = valueOf(document)
  } catch (error) {
    return [unreadable(file, index, [{ ...start, message: syntaxText(error) }], locate)]
  }
  if (value === null) return []
  if (typeof value !== 'object' || Array.isArray(value)) {
    const manifest = manifestIn(value)
    const message = manifest < 0 ? 'a manifest must be a mapping of fields' : listOfManifests
    const problems = [{ ...(manifest < 0 ? start : locate([manifest])), message }]
    return [
      { file, index, content: { kind: 'unreadable', problems, isPatch: Array.isArray(value) && manifest < 0 }, locate },
    ]
  }
  return objectsOf(file, index, value as PartialObject, locate)
}

/** Said of a list that is the whole document. */
export const listOfManifests =
  'no tool reads a list of manifests: make them the items of a List (kind: List), or documents of their own'

/** Where in a list the first manifest is; -1 where there is none, or no list. */
export function manifestIn(value: unknown): number {
  if (!Array.isArray(value)) return -1
  return value.findIndex(
    (item) => isRecord(item) && typeof item['apiVersion'] === 'string' && typeof item['kind'] === 'string',
  )
}

function unreadable(
  file: string,
  index: number,
  problems: readonly SyntaxProblem[],
  locate: ManifestDocument['locate'] = () => ({ line: 1, column: 1 }),
): ManifestDocument {
  return { file, index, content: { kind: 'unreadable', problems, isPatch: false }, locate }
}

/** The object, or what is in it if it is a List: also what is in Lists in it, as kubectl takes them apart. */
function objectsOf(
  file: string,
  index: number,
  object: PartialObject,
  locate: ManifestDocument['locate'],
): ManifestDocument[] {
  if (isList(object)) return itemsOf(file, index, object, locate)
  return [{ file, index, content: { kind: 'object', object }, locate }]
}

function isList(object: PartialObject): object is PartialObject & { items: unknown[] } {
  return typeof object.kind === 'string' && object.kind.endsWith('List') && Array.isArray(object['items'])
}

function itemsOf(
  file: string,
  index: number,
  list: PartialObject & { items: unknown[] },
  locate: ManifestDocument['locate'],
): ManifestDocument[] {
  return list.items.flatMap((item, position) => {
    const inItem: ManifestDocument['locate'] = (path) => locate(['items', position, ...path])
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      const message = `items[${position}] must be a mapping of fields`
      return unreadable(file, index, [{ ...inItem([]), message }], inItem)
    }
    return objectsOf(file, index, typedItem(item as PartialObject, list), inItem)
  })
}

/** What the API server lists of Kubernetes' own kinds says only on the list what it is of: `kubectl get --raw`, and kubectl reads it so. */
function typedItem(item: PartialObject, { apiVersion, kind }: PartialObject): PartialObject {
  const itemKind = kind?.replace(/List$/, '') ?? ''
  if (item.kind !== undefined || item.apiVersion !== undefined || itemKind === '' || apiVersion === undefined)
    return item
  return { apiVersion, kind: itemKind, ...item }
}
