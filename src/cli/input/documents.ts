import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import {
  type Document,
  isMap,
  isNode,
  LineCounter,
  type Node as YAMLNode,
  parseAllDocuments,
  YAMLParseError,
} from 'yaml'
import { kubernetesYAML, type UnreadablePlace, unreadablePlaces } from '../../api/kubernetes-yaml.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { ProblemsError } from '../command-line.ts'
import { jsonOffsetOf, positionAt } from './json-position.ts'
import { jsonTextsOf } from './json-stream.ts'

/** One YAML or JSON document of the input, with what it takes to point at a place in it. */
export interface ManifestDocument {
  /** As the user named it; `-` for standard input. */
  readonly file: string
  /** Position among the file's documents, from 0; empty documents count. */
  readonly index: number
  readonly content:
    | { readonly kind: 'object'; readonly object: PartialObject }
    | { readonly kind: 'unreadable'; readonly problems: readonly SyntaxProblem[] }
  /** Where the value at a path of keys and indexes stands (`[]`: the whole document); the nearest parent that exists, when it does not. */
  locate(path: readonly (string | number)[]): Position
}

/** What a document that parses is known to be: a mapping. Everything else about it is for validation to say. */
export type PartialObject = Partial<KubeObject> & Record<string, unknown>

export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

interface SyntaxProblem extends Position {
  readonly message: string
}

/** A file that cannot be read. */
class InputError extends ProblemsError {
  /** The message without the file. */
  readonly reason: string

  constructor(file: string, reason: string, cause?: unknown) {
    super([`${file}: ${reason}`], cause)
    this.reason = reason
  }
}

/** Larger inputs are a mistake or an attack; a fleet's manifests are far below. */
const inputBytesMax = 512 * 1024 * 1024
/** As kubectl reads folders. */
const manifestEnding = /\.(ya?ml|json)$/

/**
 * Every document of the named files, folders (their *.yaml, *.yml and *.json, one level or all with `recursive`) and standard
 * input (`-`), in the order named; files of a folder in byte order. Lists (`kind: List` and the like) are taken apart. A file of a folder
 * that cannot be read is a document that does not parse, so that the others are judged all the same.
 * @throws ProblemsError when something named cannot be read
 */
export async function readDocuments(
  names: readonly string[],
  options: { readonly cwd: string; readonly stdin: Readable; readonly recursive?: boolean },
): Promise<ManifestDocument[]> {
  const documents: ManifestDocument[] = []
  for (const name of names) {
    if (name === '-') documents.push(...parseDocuments('-', await readAll(options.stdin)))
    else {
      for (const file of filesOf(name, options)) {
        const again = (): string => readText(file, options.cwd)
        try {
          documents.push(...parseDocuments(file, again(), again))
        } catch (error) {
          if (file === name || !(error instanceof InputError)) throw error
          documents.push(unreadable(file, 0, [{ line: 1, column: 1, message: error.reason }]))
        }
      }
    }
  }
  return documents
}

/**
 * The files that `readDocuments` would read, as they are.
 * @throws ProblemsError when one of them cannot be read
 */
export async function readTexts(
  names: readonly string[],
  options: { readonly cwd: string; readonly stdin: Readable; readonly recursive?: boolean },
): Promise<{ readonly file: string; readonly text: string }[]> {
  const texts: { file: string; text: string }[] = []
  for (const name of names) {
    if (name === '-') texts.push({ file: '-', text: await readAll(options.stdin) })
    else for (const file of filesOf(name, options)) texts.push({ file, text: readText(file, options.cwd) })
  }
  return texts
}

/** `again` reads the same text once more: long text is not kept only because a place in it might be asked for. */
export function parseDocuments(file: string, text: string, again: () => string = () => text): ManifestDocument[] {
  const recorded = text.length > jsonLengthMin ? parseJSON(file, text, again) : undefined
  if (recorded !== undefined) return recorded
  return jsonTextsOf(text)?.flatMap((part, index) => parseYAML(file, part, index)) ?? parseYAML(file, text)
}

function parseYAML(file: string, text: string, first = 0): ManifestDocument[] {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { ...manifestOptions, lineCounter: lines })
  const documents = Array.isArray(parsed) ? parsed : []
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
  if (isList(object)) return itemsOf(file, 0, object, locate)
  return [{ file, index: 0, content: { kind: 'object', object }, locate }]
}

/** How manifests are parsed, wherever they are. */
export const manifestOptions = { ...kubernetesYAML, prettyErrors: false, uniqueKeys: true } as const

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
  const problems = problemsOf(document, text).map(({ offset, message }) => ({ ...at(offset), message }))
  if (problems.length > 0) return [unreadable(file, index, problems, () => start)]
  if (document.contents === null) return []
  const locate = (path: readonly (string | number)[]): Position => positionOf(document, path, at) ?? start
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    return [unreadable(file, index, [{ ...start, message: syntaxText(error, text) }], locate)]
  }
  if (value === null) return []
  if (typeof value !== 'object' || Array.isArray(value)) {
    return [unreadable(file, index, [{ ...start, message: 'a manifest must be a mapping of fields' }], locate)]
  }
  const object = value as PartialObject
  if (isList(object)) return itemsOf(file, index, object, locate)
  return [{ file, index, content: { kind: 'object', object }, locate }]
}

/** Why a document cannot be read, and where. */
export function problemsOf(document: Document.Parsed, text: string): readonly UnreadablePlace[] {
  if (document.errors.length === 0) return unreadablePlaces(document)
  return document.errors.map((error) => ({ offset: error.pos[0], message: syntaxText(error, text) }))
}

/** What the parser has to say, in words of our own where its own name no cause. `text` is what it has read. */
export function syntaxText(error: unknown, text: string): string {
  if (!(error instanceof Error)) return String(error)
  // It gives up on nesting when its stack is full, and says that in the engine's words.
  if (/call stack|stack overflow/i.test(error.message)) return 'nested too deeply'
  if (error instanceof YAMLParseError && error.code === 'DUPLICATE_KEY') {
    const [key = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s:{}[\],]+)/.exec(text.slice(error.pos[0])) ?? []
    return `the key ${key} comes twice: only one of them would count`
  }
  return firstLine(error.message)
}

function unreadable(
  file: string,
  index: number,
  problems: readonly SyntaxProblem[],
  locate: ManifestDocument['locate'] = () => ({ line: 1, column: 1 }),
): ManifestDocument {
  return { file, index, content: { kind: 'unreadable', problems }, locate }
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
  return list.items.map((item, position) => {
    const inItem: ManifestDocument['locate'] = (path) => locate(['items', position, ...path])
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      const message = `items[${position}] must be a mapping of fields`
      return unreadable(file, index, [{ ...inItem([]), message }], inItem)
    }
    return { file, index, content: { kind: 'object', object: item as PartialObject }, locate: inItem }
  })
}

/** Where the value at a path stands, or the nearest parent that exists. */
export function positionOf(
  document: Document.Parsed,
  path: readonly (string | number)[],
  at: (offset: number) => Position,
): Position | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const part = path.slice(0, length)
    const last = part.at(-1)
    const parent = length === 0 ? document.contents : document.getIn(part.slice(0, -1), true)
    const key = isMap(parent)
      ? parent.items.find((pair) => isNode(pair.key) && String(pair.key) === String(last))
      : undefined
    if (key !== undefined && length > 0) return at((key.key as YAMLNode).range?.[0] ?? 0)
    const node = document.getIn(part, true)
    if (isNode(node) && node.range !== undefined && node.range !== null) return at(node.range[0])
  }
  return undefined
}

function filesOf(name: string, options: { readonly cwd: string; readonly recursive?: boolean }): string[] {
  const path = resolve(options.cwd, name)
  let stats
  try {
    stats = statSync(path)
  } catch (error) {
    throw new InputError(name, 'no such file or folder', error)
  }
  if (!stats.isDirectory()) return [name]
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(name, entry.name)
      if (entry.isDirectory()) return options.recursive === false ? [] : filesOf(inner, options)
      return manifestEnding.test(entry.name) && isFileOrMissing(join(path, entry.name)) ? [inner] : []
    })
}

/** A pipe would be waited for, and folders are not entered by links, which may lead in a circle. A link to nothing is a mistake to tell. */
function isFileOrMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
}

function readText(file: string, cwd: string): string {
  const path = resolve(cwd, file)
  try {
    if (statSync(path).size > inputBytesMax) throw new InputError(file, `larger than ${inputBytesMax} bytes`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(file, readingFailure(error), error)
  }
}

function readingFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  switch ('code' in error ? error.code : undefined) {
    case 'ENOENT':
      return 'no such file or folder'
    case 'EACCES':
      return 'permission denied'
    default:
      return error.message
  }
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > inputBytesMax) throw new InputError('-', `larger than ${inputBytesMax} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
