import { diffFields, type FieldChange } from '../field-diff.ts'
import { isRecord } from '../json.ts'
import type { KubeObject } from '../kubernetes.ts'
import { goJson } from './go-json.ts'
import type { HashAnnotations } from './migration.ts'

/** An image by what tells it apart from others of its kind. */
export interface ImageIdentity {
  readonly id: string
  readonly name?: string
  /** RFC 3339. */
  readonly creationDate?: string
}

/** What a NodeClaim keeps of the object it was made from, in an annotation. */
export interface HashRecord {
  /** The object's metadata.generation then. */
  readonly generation: number
  /** The hash that the input gave: a record whose hash is not the claim's is of no use. */
  readonly hash: string
  /** Of node classes: what was launched. */
  readonly image?: ImageIdentity
  readonly input: Readonly<Record<string, unknown>>
}

export function recordText(record: HashRecord): string {
  return goJson(record)
}

/** Undefined for text that is no record: whoever wrote it, nothing is known then. */
function parseRecord(text: string | undefined): HashRecord | undefined {
  const value = jsonOf(text)
  if (!isRecord(value)) return undefined
  const { generation, hash, image, input } = value
  if (typeof generation !== 'number' || typeof hash !== 'string' || !isRecord(input)) return undefined
  return { generation, hash, input, ...(isImage(image) ? { image } : {}) }
}

/** The record in the claim's annotation, when it belongs to the hash that the claim carries. */
export function recordOf(claim: KubeObject, keys: HashAnnotations): HashRecord | undefined {
  const annotations = claim.metadata.annotations ?? {}
  const record = parseRecord(annotations[keys.input])
  return record !== undefined && record.hash === annotations[keys.hash] ? record : undefined
}

/** Said of claims without a record. */
export const noRecordText = 'no record of what the node was made of (launched by another controller)'

/** What static drift can say beside its reason: the fields that differ between the claim's record and what is asked for now. */
export function recordedChanges(
  record: HashRecord | undefined,
  now: HashRecord['input'],
): { readonly fields: readonly FieldChange[]; readonly detail?: string } {
  if (record === undefined) return { fields: [], detail: noRecordText }
  const fields = changedFields(record, now)
  return fields.length > 0 ? { fields } : { fields, detail: 'the hash changed, though no field in the record did' }
}

/**
 * The fields in which what a node was made of differs from what is asked for now. The lists in it are sets to the hash: items that only
 * moved are not named, and an item that changed is set against the one it was.
 */
export function changedFields(record: Pick<HashRecord, 'input'>, now: HashRecord['input']): readonly FieldChange[] {
  return diffFields(aligned(record.input, now), now, '')
}

/** Lists in which order means something; the hash takes them as text. */
const ordered: ReadonlySet<string> = new Set(['kubelet'])
/** What makes two items of a list the same thing, before and after a change. */
const identities: readonly ((item: Readonly<Record<string, unknown>>) => unknown)[] = [
  ({ key, effect }) => (key === undefined ? undefined : `${String(key)} ${String(effect)}`),
  ({ key }) => key,
  ({ deviceName }) => deviceName,
  ({ networkCardIndex, deviceIndex }) =>
    networkCardIndex === undefined ? undefined : `${String(networkCardIndex)} ${String(deviceIndex)}`,
]

/** `before` with the items of its lists where `after` has them. */
function aligned(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after)) return alignedList(before, after)
  if (!isRecord(before) || !isRecord(after)) return before
  return Object.fromEntries(
    Object.entries(before).map(([key, member]) => [key, ordered.has(key) ? member : aligned(member, after[key])]),
  )
}

function alignedList(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const free = new Set(before.keys())
  const placed = new Map<number, unknown>()
  const place = (isSame: (a: unknown, b: unknown) => boolean): void => {
    for (const [to, wanted] of after.entries()) {
      if (placed.has(to)) continue
      const from = [...free].find((index) => isSame(before[index], wanted))
      if (from === undefined) continue
      free.delete(from)
      placed.set(to, before[from])
    }
  }
  place((a, b) => goJson(a) === goJson(b))
  for (const identity of identities) {
    place((a, b) => isRecord(a) && isRecord(b) && identity(a) !== undefined && identity(a) === identity(b))
  }
  const list: unknown[] = after.map((_, index) => placed.get(index))
  return [...list, ...[...free].map((index) => before[index])]
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isImage(value: unknown): value is ImageIdentity {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    [value['name'], value['creationDate']].every((member) => member === undefined || typeof member === 'string')
  )
}
