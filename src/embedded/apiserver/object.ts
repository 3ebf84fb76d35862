import type { KubeObject, OwnerReference } from '../../api/kubernetes.ts'
import { arrayAt, isObject, type JsonObject, textAt } from './json.ts'

/** An object as the store holds it: complete metadata, and whatever fields its kind has. Never mutated. */
export type StoredObject = Readonly<KubeObject> & JsonObject

/** What a client sends: an object whose metadata the server has not completed yet. */
export type IncomingObject = JsonObject & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly [field: string]: unknown }
}

/** An object that says what it is; the given one when it says so already. */
export function identified(
  object: JsonObject,
  { apiVersion, kind, metadata }: Pick<IncomingObject, 'apiVersion' | 'kind' | 'metadata'>,
): IncomingObject {
  const isSame = object['apiVersion'] === apiVersion && object['kind'] === kind && object['metadata'] === metadata
  return isSame ? (object as IncomingObject) : { ...object, apiVersion, kind, metadata }
}

/** Whether the metadata is the very one that is stored: whoever sends back what it got in this process has not touched it. */
export function keepsMetadata(object: IncomingObject, old: StoredObject | undefined): boolean {
  const stored: unknown = old?.metadata
  return object.metadata === stored
}

/** A stored object on its way to becoming the next version of itself. */
export function asIncoming(object: StoredObject): IncomingObject {
  return { ...object, metadata: { ...object.metadata } }
}

/** The object with `fields` changed in its metadata; undefined removes one. */
export function withMetadata<T extends { readonly metadata: object }>(
  object: T,
  fields: { readonly [key: string]: unknown },
): T {
  const given: { readonly [key: string]: unknown } = { ...object.metadata }
  const metadata: Record<string, unknown> = {}
  for (const key of Object.keys(given)) {
    const value = Object.hasOwn(fields, key) ? fields[key] : given[key]
    if (value !== undefined || !Object.hasOwn(fields, key)) metadata[key] = value
  }
  for (const key of Object.keys(fields)) {
    if (fields[key] !== undefined && !Object.hasOwn(given, key)) metadata[key] = fields[key]
  }
  return { ...object, metadata }
}

/** Objects leave the request pipeline with name, uid, version and creation time set; this is where the type learns of it. */
export function asStored(object: JsonObject): StoredObject {
  return object as StoredObject
}

/** The edge where stored JSON becomes a typed object: the server has checked it against the kind's schema. */
export function shaped<T extends KubeObject>(object: StoredObject): T {
  return object as T
}

export function ownerReferencesOf(object: JsonObject): readonly OwnerReference[] {
  return arrayAt(object, 'metadata', 'ownerReferences').filter(isOwnerReference)
}

function isOwnerReference(value: unknown): value is OwnerReference {
  return isObject(value) && typeof value['uid'] === 'string' && typeof value['name'] === 'string'
}

export function finalizersOf(object: JsonObject): readonly string[] {
  return arrayAt(object, 'metadata', 'finalizers').filter((item) => typeof item === 'string')
}

export function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'name') ?? ''
}

/** Where an object lies inside its table: `namespace/name`, or `name` for cluster-scoped kinds. */
export function storeKeyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}
