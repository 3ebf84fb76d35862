import { type Document, isNode } from 'yaml'
import {
  applyEdits,
  type ConversionPlan,
  type Edit,
  type Path,
  planConversions,
  whyInconvertible,
} from '../../api/conversion/index.ts'
import { canonicalText, childPath, memberOf, textOf } from '../../api/json.ts'
import type { PartialObject } from '../input/documents.ts'
import { jsonTextsOf } from '../input/json-stream.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { positionOf } from '../input/yaml-text.ts'
import { carryChanges } from './carry-changes.ts'
import { type AnchoredNodes, anchoredNodes, copyOf, editDocument, type WrittenValue } from './edit-document.ts'
import {
  positionAt,
  type ConversionRemark,
  type ManifestFile,
  type ManifestObject,
  openFile,
  type OpenFile,
} from './open-file.ts'
import { isPrintOf, printed } from './print-document.ts'

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
    .map(openFile)
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
function copyFrom(subjects: readonly ManifestObject[], edit: Edit): WrittenValue | undefined {
  if (edit.op !== 'set' || edit.origin === undefined) return undefined
  const subject = subjects[edit.origin.document]
  return subject && copyOf(subject.document, [...subject.root, ...edit.origin.path], edit.value)
}

function hasRefused({ refused, subjects }: OpenFile): boolean {
  return refused.size > 0 || subjects.some(({ object }) => whyInconvertible(object) !== undefined)
}

function finish(
  file: OpenFile,
  planned: ReadonlyMap<ManifestObject, ConversionPlan | undefined>,
  copies: ReadonlyMap<Edit, WrittenValue>,
): ConvertedFile {
  /** As they were printed before anything changed in them. */
  const changed = new Map<Document.Parsed, string>()
  const anchored = new Map<Document.Parsed, AnchoredNodes>()
  const objects = file.subjects.map((subject): [Document.Parsed, ConvertedObject] => {
    const { document } = subject
    const plan = planned.get(subject)
    if (plan !== undefined && !changed.has(document)) {
      changed.set(document, printed(document, sourceOf(file, document)))
      anchored.set(document, anchoredNodes(document))
    }
    return [document, convertSubject(file, subject, plan, { copies, anchored: anchored.get(document) ?? new Map() })]
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
  const { line } =
    positionOf(document, root, (offset) => positionAt(file.lines, offset)) ?? positionAt(file.lines, document.range[0])
  return { document: file.documents.indexOf(document), line }
}

function convertSubject(
  file: OpenFile,
  { document, root, object }: ManifestObject,
  plan: ConversionPlan | undefined,
  nodes: { readonly copies: ReadonlyMap<Edit, WrittenValue>; readonly anchored: AnchoredNodes },
): ConvertedObject {
  const { apiVersion, kind, metadata } = object as { apiVersion?: unknown; kind?: unknown; metadata?: unknown }
  const identity = { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(memberOf(metadata, 'name')) }
  const subject = `${String(kind)}/${identity.name}`
  const place = (path: Path) => ({
    path: pathText(path),
    ...(positionOf(document, [...root, ...path], (offset) => positionAt(file.lines, offset)) ?? { line: 1, column: 1 }),
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
  editDocument(document, plan.edits, root, nodes)
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

function jsonIndentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text.trimStart())?.[1] ?? ''
}
