import { type Document, isMap, isNode, LineCounter, parseAllDocuments, visit } from 'yaml'
import {
  applyEdits,
  type ConversionPlan,
  type Edit,
  type Path,
  planConversions,
  whyInconvertible,
} from '../../api/conversion/index.ts'
import { canonicalText, childPath, memberOf, textOf } from '../../api/json.ts'
import type { UnreadablePlace } from '../../api/kubernetes-yaml.ts'
import type { PartialObject } from '../input/documents.ts'
import { jsonTextsOf } from '../input/json-stream.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { manifestOptions, positionOf, problemsOf, syntaxText, valueOf } from '../input/yaml-text.ts'
import { carryChanges } from './carry-changes.ts'
import { copyOf, editDocument, type WrittenValue } from './edit-document.ts'

export interface ManifestFile {
  readonly file: string
  readonly text: string
}

/** `refused`: the document stays as it was. `invalid`: what came out is not valid yet. The others as in the plan. */
export interface ConversionRemark {
  readonly kind: 'refused' | 'invalid' | 'lost' | 'check'
  /** Of the field that is spoken of, as it was written; empty for the whole. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** `NodePool/default`; empty where the document cannot be read. */
  readonly subject: string
  readonly message: string
}

export interface ConvertedFile {
  readonly file: string
  /** The text that was given, byte by byte, where nothing had to be converted. */
  readonly text: string
  readonly converted: number
  readonly documents: readonly ConvertedObject[]
}

/** One object of a file, and what became of it; also a document that cannot be read. */
export interface ConvertedObject {
  /** Among the documents of its file, from 0. Items of a List share one. */
  readonly document: number
  readonly line: number
  /** As it was, like kind and name. Empty where the document cannot be read. */
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly outcome: 'converted' | 'unchanged' | 'refused'
  readonly remarks: readonly ConversionRemark[]
  /** What it is now; null where it cannot be read. */
  readonly object: unknown
}

/**
 * Brings every document of the files to v1; kubelet settings move between files, too. With `whole`, a file of which a document is
 * refused is left as it is, and nothing moves into it.
 */
export function convertFiles(files: readonly ManifestFile[], { whole }: { readonly whole: boolean }): ConvertedFile[] {
  const parts = files.map(partsOf)
  const opened = parts
    .flat()
    .map(open)
    .map((file) => (whole && hasRefused(file) ? { ...file, isLeft: true } : file))
  const edited = opened.filter(({ isLeft }) => !isLeft)
  const subjects = edited.flatMap(({ subjects }) => subjects)
  const plans = planConversions(
    subjects.map(({ object }) => object),
    edited.flatMap((file) => file.subjects.map(() => file.file)),
  )
  const copies = new Map(
    plans
      .flatMap((plan) => plan?.edits ?? [])
      .flatMap((edit) => {
        const copy = copyFrom(subjects, edit)
        return copy === undefined ? [] : [[edit, copy] as const]
      }),
  )
  const planned = new Map(subjects.map((subject, index) => [subject, plans[index]]))
  const finished = opened.map((file) => finish(file, planned, copies))
  return files.map((file, index) => joinParts(file, finished.splice(0, parts[index]?.length ?? 0)))
}

/** A stream of JSON objects is a file of its own for each. */
function partsOf({ file, text }: ManifestFile): ManifestFile[] {
  return jsonTextsOf(text)?.map((part) => ({ file, text: part })) ?? [{ file, text }]
}

function joinParts({ file, text }: ManifestFile, parts: readonly ConvertedFile[]): ConvertedFile {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const converted = parts.reduce((sum, part) => sum + part.converted, 0)
  return {
    file,
    text: converted === 0 ? text : parts.map((part) => `${part.text.trim()}\n`).join(''),
    converted,
    documents: parts.flatMap(({ documents }, document) => documents.map((one) => ({ ...one, document }))),
  }
}

/** The value of an edit as it is written where it comes from. */
function copyFrom(subjects: readonly Subject[], edit: Edit): WrittenValue | undefined {
  if (edit.op !== 'set' || edit.origin === undefined) return undefined
  const subject = subjects[edit.origin.document]
  return subject && copyOf(subject.document, [...subject.root, ...edit.origin.path], edit.value)
}

/** One object: a document, or an item of a List. */
interface Subject {
  readonly document: Document.Parsed
  readonly root: Path
  readonly object: unknown
}

interface OpenFile extends ManifestFile {
  readonly documents: readonly Document.Parsed[]
  readonly subjects: readonly Subject[]
  /** Whether nothing of it is to be changed. */
  readonly isLeft: boolean
  readonly lines: LineCounter
  /** Documents that cannot be read, and why. */
  readonly refused: ReadonlyMap<Document.Parsed, readonly ConversionRemark[]>
}

function open({ file, text }: ManifestFile): OpenFile {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { ...manifestOptions, lineCounter: lines })
  const documents: Document.Parsed[] = Array.isArray(parsed) ? parsed : []
  const refused = new Map<Document.Parsed, readonly ConversionRemark[]>()
  const refuse = (document: Document.Parsed, problems: readonly UnreadablePlace[]): void => {
    const remarks = problems.map(({ offset, message }): ConversionRemark => {
      return { kind: 'refused', path: '', ...at(lines, offset), subject: '', message }
    })
    if (remarks.length > 0) refused.set(document, remarks)
  }
  const subjects = documents.flatMap((document): Subject[] => {
    const problems = problemsOf(document, text)
    refuse(document, problems)
    if (problems.length > 0) return []
    try {
      return subjectsOf(document, [], valueOf(document))
    } catch (error) {
      refuse(document, [{ offset: document.range[0], message: syntaxText(error) }])
      return []
    }
  })
  return { file, text, documents, subjects, refused, isLeft: false, lines }
}

function hasRefused({ refused, subjects }: OpenFile): boolean {
  return refused.size > 0 || subjects.some(({ object }) => whyInconvertible(object) !== undefined)
}

function subjectsOf(document: Document.Parsed, root: Path, value: unknown): Subject[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) => subjectsOf(document, [...root, 'items', index], item))
  }
  return [{ document, root, object: value }]
}

function finish(
  file: OpenFile,
  planned: ReadonlyMap<Subject, ConversionPlan | undefined>,
  copies: ReadonlyMap<Edit, WrittenValue>,
): ConvertedFile {
  /** As they were printed before anything changed in them. */
  const changed = new Map<Document.Parsed, string>()
  const objects = file.subjects.map((subject): [Document.Parsed, ConvertedObject] => {
    const { document } = subject
    const plan = planned.get(subject)
    if (plan !== undefined && !changed.has(document)) changed.set(document, printed(document, sourceOf(file, document)))
    return [document, convertSubject(file, subject, plan, copies)]
  })
  const documents = file.documents.flatMap((document) => {
    const remarks = file.refused.get(document)
    const unreadable = remarks === undefined ? [] : [{ ...placeOf(file, document, []), ...unreadableObject, remarks }]
    return [...unreadable, ...objects.filter(([of]) => of === document).map(([, object]) => object)]
  })
  return {
    file: file.file,
    text: changed.size === 0 ? file.text : convertedText(file, changed),
    converted: documents.filter(({ outcome }) => outcome === 'converted').length,
    documents,
  }
}

const unreadableObject = { apiVersion: '', kind: '', name: '', outcome: 'refused', object: null } as const

function placeOf(file: OpenFile, document: Document.Parsed, root: Path): { document: number; line: number } {
  const { line } = positionOf(document, root, (offset) => at(file.lines, offset)) ?? at(file.lines, document.range[0])
  return { document: file.documents.indexOf(document), line }
}

function convertSubject(
  file: OpenFile,
  { document, root, object }: Subject,
  plan: ConversionPlan | undefined,
  copies: ReadonlyMap<Edit, WrittenValue>,
): ConvertedObject {
  const { apiVersion, kind, metadata } = object as { apiVersion?: unknown; kind?: unknown; metadata?: unknown }
  const identity = { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(memberOf(metadata, 'name')) }
  const subject = `${String(kind)}/${identity.name}`
  const place = (path: Path) => ({
    path: pathText(path),
    ...(positionOf(document, [...root, ...path], (offset) => at(file.lines, offset)) ?? { line: 1, column: 1 }),
    subject,
  })
  const said = { ...placeOf(file, document, root), ...identity }
  if (plan === undefined) {
    const message = whyInconvertible(object)
    return message === undefined
      ? { ...said, outcome: 'unchanged', remarks: [], object }
      : { ...said, outcome: 'refused', remarks: [{ kind: 'refused', ...place([]), message }], object }
  }
  const remarks = plan.remarks.map(({ kind, path, message }): ConversionRemark => ({ kind, ...place(path), message }))
  const wanted = applyEdits(object, plan.edits)
  for (const { path, body } of admitOwnKind(wanted as PartialObject)?.errors ?? []) {
    if (path !== '<nil>') remarks.push({ kind: 'invalid', ...place([]), path, message: `${path}: ${body}` })
  }
  editDocument(document, plan.edits, root, copies)
  if (canonicalText(valueAt(document, root)) !== canonicalText(wanted)) {
    // Merge keys and the like: the nodes do not hold what the document means, so the object is written anew.
    document.setIn(root, document.createNode(wanted))
    remarks.push({ kind: 'check', ...place([]), message: 'written anew: its merge keys cannot be edited in place' })
  }
  return { ...said, outcome: 'converted', remarks, object: wanted }
}

/** As API servers print it: `spec.amiSelectorTerms[0].tags`. */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : childPath(text, step)),
    '',
  )
}

function valueAt(document: Document.Parsed, root: Path): unknown {
  const node = root.length === 0 ? document.contents : document.getIn(root, true)
  return isNode(node) ? node.toJS(document) : node
}

/** Documents that did not change keep their text to the byte, and the others that of the lines which did not. */
function convertedText(file: OpenFile, changed: ReadonlyMap<Document.Parsed, string>): string {
  const [only] = file.documents
  if (file.documents.length === 1 && only !== undefined && /^\s*[{[]/.test(file.text)) {
    return `${JSON.stringify(only.toJS(), null, jsonIndentOf(file.text))}\n`
  }
  const parts = file.documents.map((document) => {
    const source = sourceOf(file, document)
    const before = changed.get(document)
    if (before === undefined) return source
    const after = printed(document, source)
    const carried = carryChanges(source.replaceAll('\r\n', '\n'), before, after)
    const text = isPrintOf(document, carried) ? carried : after
    return source.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
  })
  return parts.reduce((text, part) => (text === '' || text.endsWith('\n') ? text + part : `${text}\n${part}`), '')
}

/** Its part of the text, with the marker before it. */
function sourceOf({ text, documents }: OpenFile, document: Document.Parsed): string {
  return text.slice(documents[documents.indexOf(document) - 1]?.range[2] ?? 0, document.range[2])
}

function printed(document: Document.Parsed, source: string): string {
  const { padding, ...layout } = layoutOf(source)
  padFlow(document, padding)
  const whole = document.toString({ lineWidth: 0, ...layout })
  // A directive holds for the documents behind its own, too, and is printed with each; there it would be taken for content.
  const text = /^%/m.test(source) ? whole : whole.replace(/^(?:%[^\n]*\n)+/, '')
  // The marker between documents belongs to the source of the one behind it, and is only printed with directives.
  const marker = /^(?:\s*\n)?---[^\n]*\n/.exec(source)?.[0] ?? ''
  return (text.startsWith('---') ? text : `${marker.trimStart()}${text}`).replaceAll('\r\n', '\n')
}

/** Whether a text stands for the same values as the document. */
function isPrintOf(document: Document.Parsed, text: string): boolean {
  const [parsed, ...others] = [...parseAllDocuments(text, manifestOptions)]
  return (
    parsed !== undefined &&
    others.length === 0 &&
    parsed.errors.length === 0 &&
    canonicalText(parsed.toJS()) === canonicalText(document.toJS())
  )
}

function jsonIndentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text.trimStart())?.[1] ?? ''
}

/** Between brackets and what they hold, in `{ a: b }` and in `[ a ]`: many write one with spaces and the other without. */
interface FlowPadding {
  readonly maps: boolean
  readonly lists: boolean
}

interface Layout {
  readonly indentSeq: boolean
  readonly indent: number
  readonly padding: FlowPadding
}

/** How the author indents and pads, so that lines which do not change in meaning do not change in Git either. */
function layoutOf(source: string): Layout {
  const lists = /\n( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?: *#[^\n]*\n)*( *)- /.exec(source)
  const steps = /\n( +)[^\s#-]/.exec(source)
  return {
    indentSeq: lists === null || (lists[2] ?? '').length > (lists[1] ?? '').length,
    indent: Math.min(8, Math.max(2, steps?.[1]?.length ?? 2)),
    padding: { maps: /\{ \S/.test(source), lists: /\[ \S/.test(source) },
  }
}

/** The library pads both alike, and asks each collection to print itself. */
function padFlow(document: Document.Parsed, { maps, lists }: FlowPadding): void {
  visit(document, {
    Collection(_key, node) {
      if (node.flow !== true) return
      const print = node.toString.bind(node)
      const flowCollectionPadding = (isMap(node) ? maps : lists) ? ' ' : ''
      node.toString = (context, ...rest) =>
        print(context === undefined ? undefined : { ...context, flowCollectionPadding }, ...rest)
    },
  })
}

function at(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}
