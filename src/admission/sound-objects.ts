import { isRecord, jsonEqual, type JsonRecord, memberOf, textOf } from '../api/json.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import type { CompiledCustomResource } from '../api/validation/index.ts'
import type { Subject } from './rule.ts'

/**
 * Objects in which neither the schema nor a rule that looks at the object alone has found anything, by name. The same manifest comes
 * again: as a dry run before it is applied, with each retry of a sync and each preview of a pull request, and the controller judges
 * every hour what is stored.
 */
const sound = new WeakMap<CompiledCustomResource, Map<string, SoundObject>>()
const rememberedMax = 256
/** Counted as `sizeOf` does. Larger ones are rare, and memory is bounded by the product of the two. */
const sizeMax = 8_192

interface SoundObject {
  readonly part: JsonRecord
  /** What rules read of it. */
  readonly subject: Subject
}

/** The metadata that is judged. Of the rest, the server's own, only types are looked at: it is new in each review, and it has no bound. */
const decidingMetadata = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const

/** The object without metadata that decide nothing; undefined for one that has none at all. */
export function decidingPart({ metadata, ...rest }: KubeObject): JsonRecord | undefined {
  if (!isRecord(metadata)) return undefined
  const kept: Record<string, unknown> = {}
  for (const name of decidingMetadata) {
    const value = memberOf(metadata, name)
    if (value !== undefined) kept[name] = value
  }
  return { ...rest, metadata: kept }
}

/** What rules read of an object that was found sound before and that differs in nothing that decides. */
export function knownSound(resource: CompiledCustomResource, object: KubeObject): Subject | undefined {
  const known = sound.get(resource)?.get(nameOf(object))
  return known !== undefined && decidesAlike(known.part, object) ? known.subject : undefined
}

/** Whether the deciding part of the object is the known one; without making it, which costs as much as comparing. */
function decidesAlike(part: JsonRecord, object: KubeObject): boolean {
  if (!isRecord(object.metadata)) return false
  for (const name of decidingMetadata) {
    if (!jsonEqual(memberOf(part['metadata'], name), memberOf(object.metadata, name))) return false
  }
  let members = 0
  for (const name in object) {
    if (name !== 'metadata' && !jsonEqual(memberOf(part, name), memberOf(object, name))) return false
    members += 1
  }
  for (const _name in part) members -= 1
  return members === 0
}

export function rememberSound(resource: CompiledCustomResource, part: JsonRecord, subject: Subject): void {
  if (sizeOf(part) > sizeMax) return
  const byName = sound.get(resource) ?? new Map<string, SoundObject>()
  if (byName.size >= rememberedMax) byName.clear()
  byName.set(nameOf(part), { part, subject })
  sound.set(resource, byName)
}

/** Empty for objects that a server will name: only the last of them is remembered. */
function nameOf({ metadata }: { readonly metadata?: unknown }): string {
  return textOf(memberOf(metadata, 'name'))
}

/** About the length of its JSON text; no more is counted than decides. */
function sizeOf(value: unknown, before = 0): number {
  if (typeof value === 'string') return before + value.length
  if (typeof value !== 'object' || value === null) return before + 8
  let size = before
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      if (size > sizeMax) return size
      size = sizeOf(item, size + 4)
    }
    return size
  }
  for (const key of Object.keys(value)) {
    if (size > sizeMax) return size
    size = sizeOf((value as JsonRecord)[key], size + key.length + 4)
  }
  return size
}
