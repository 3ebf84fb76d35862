import { toTimestamp } from '../../../model/clock.ts'
import { badRequest, conflict, type FieldError, field, invalid, staleVersion, uidMismatch } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, withAt } from '../json.ts'
import {
  identified,
  type IncomingObject,
  keepsMetadata,
  type StoredObject,
  storeKeyOf,
  withMetadata,
} from '../object.ts'
import { apiVersionOf, type KindDefinition } from '../registry/definition.ts'
import { labelErrors, qualifiedNameProblem } from '../registry/names.ts'
import type { ApiContext, Target } from './context.ts'

/** Reads a body as an object of the kind; what is wrong with its type or place is the client's mistake. */
export function parseIncoming(
  definition: KindDefinition,
  body: unknown,
  namespace: string | undefined,
): IncomingObject {
  if (!isObject(body)) throw badRequest('the request body is not an object')
  const expected = apiVersionOf(definition)
  const apiVersion = textAt(body, 'apiVersion') ?? expected
  const kind = textAt(body, 'kind') ?? definition.kind
  if (apiVersion !== expected || kind !== definition.kind) {
    throw badRequest(
      apiVersion === expected
        ? `${kind} in version "${apiVersion}" cannot be handled as a ${definition.kind}: converting (${definition.version}.${kind}) to (${coreGroup(definition)}.${definition.kind}): unknown conversion`
        : `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  }
  const metadata = objectAt(body, 'metadata') ?? {}
  const own = textAt(metadata, 'namespace') ?? ''
  if (!definition.namespaced)
    return identified(body, { apiVersion, kind, metadata: withAt(metadata, ['namespace'], undefined) })
  if (namespace === undefined || namespace === '') throw badRequest('an empty namespace may not be set during creation')
  if (own !== '' && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return identified(body, { apiVersion, kind, metadata: own === namespace ? metadata : { ...metadata, namespace } })
}

/** Go's name for the package of a built-in kind's internal type. */
function coreGroup({ group }: KindDefinition): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group)
}

/** Metadata of a new object: everything the server decides. */
export function newMetadata(context: ApiContext, definition: KindDefinition, object: IncomingObject): IncomingObject {
  return withMetadata(object, {
    name: chooseName(context, definition, object),
    uid: context.random.uuid(),
    creationTimestamp: toTimestamp(context.clock.now()),
    generation: definition.tracksGeneration ? 1 : undefined,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  })
}

/** How many generated names are tried before a collision is the client's problem. */
const generateAttemptsMax = 8

function chooseName(context: ApiContext, definition: KindDefinition, object: IncomingObject): string {
  const given = textAt(object, 'metadata', 'name') ?? ''
  const prefix = textAt(object, 'metadata', 'generateName') ?? ''
  if (given !== '' || prefix === '') return given
  const namespace = textAt(object, 'metadata', 'namespace')
  let name = ''
  for (let attempt = 0; attempt < generateAttemptsMax; attempt += 1) {
    // Names have at most 63 characters; the suffix takes five of them.
    name = `${prefix.slice(0, 58)}${context.random.nameSuffix(5)}`
    if (context.store.get(definition.table, storeKeyOf(namespace, name)) === undefined) break
  }
  return name
}

/** Metadata that an update cannot change. Name and namespace have been compared before. */
export function carryMetadata(object: IncomingObject, old: StoredObject): IncomingObject {
  if (keepsMetadata(object, old)) return object
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, generateName } =
    old.metadata
  return withMetadata(object, {
    uid,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation,
    generateName,
    resourceVersion: old.metadata.resourceVersion,
    selfLink: undefined,
  })
}

/** A write that names a uid or version must mean the object as it is now. */
export function checkPreconditions(
  definition: KindDefinition,
  old: StoredObject,
  wanted: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined },
): void {
  const { name, uid, resourceVersion } = old.metadata
  if (wanted.uid !== undefined && wanted.uid !== '' && wanted.uid !== uid) {
    throw conflict(definition, name, uidMismatch(definition, storeKeyOf(old.metadata.namespace, name), wanted.uid, uid))
  }
  const version = wanted.resourceVersion
  if (version !== undefined && version !== '' && version !== '0' && version !== resourceVersion) {
    throw conflict(definition, name, staleVersion)
  }
}

export function metadataErrors(definition: KindDefinition, object: IncomingObject, old?: StoredObject): FieldError[] {
  // What is stored has been judged.
  if (keepsMetadata(object, old)) return []
  const errors: FieldError[] = []
  const name = textAt(object, 'metadata', 'name') ?? ''
  if (name === '') errors.push(field.required('metadata.name', 'name or generateName is required'))
  else {
    const problem = definition.strategy.validateName(name)
    if (problem !== undefined) errors.push(field.invalid('metadata.name', name, problem))
  }
  errors.push(...labelErrors(objectAt(object, 'metadata', 'labels') ?? {}, 'metadata.labels'))
  for (const key of Object.keys(objectAt(object, 'metadata', 'annotations') ?? {})) {
    const problem = qualifiedNameProblem(key.toLowerCase())
    if (problem !== undefined) errors.push(field.invalid('metadata.annotations', key, problem))
  }
  const isCustom = definition.custom !== undefined
  arrayAt(object, 'metadata', 'finalizers').forEach((finalizer, index) => {
    const path = isCustom ? 'metadata.finalizers' : `metadata.finalizers[${index}]`
    const detail = qualifiedNameProblem(String(finalizer)) ?? (isCustom ? undefined : domainProblem(String(finalizer)))
    if (detail !== undefined) errors.push(field.invalid(path, finalizer, detail))
  })
  errors.push(...ownerErrors(object))
  return errors
}

/** What a server says about finalizers that come to a custom resource; on a built-in kind they are refused. */
export function finalizerWarnings(
  definition: KindDefinition,
  object: IncomingObject,
  old?: StoredObject,
): readonly string[] {
  if (definition.custom === undefined || keepsMetadata(object, old)) return []
  const before = new Set(old?.metadata.finalizers ?? [])
  return arrayAt(object, 'metadata', 'finalizers')
    .map(String)
    .filter((finalizer) => !before.has(finalizer) && !hasDomain(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: "${finalizer}": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    )
}

function domainProblem(finalizer: string): string | undefined {
  return hasDomain(finalizer) ? undefined : 'name is neither a standard finalizer name nor is it fully qualified'
}

function hasDomain(finalizer: string): boolean {
  return finalizer.includes('/') || builtinFinalizers.has(finalizer)
}

const builtinFinalizers = new Set([
  'foregroundDeletion',
  'orphan',
  'kubernetes',
  'customresourcecleanup.apiextensions.k8s.io',
])

function ownerErrors(object: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const owners = arrayAt(object, 'metadata', 'ownerReferences')
  for (const owner of owners) {
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) {
      if ((textAt(owner, name) ?? '') !== '') continue
      const detail = name === 'apiVersion' ? 'version must not be empty' : 'must not be empty'
      errors.push(field.invalid(`metadata.ownerReferences.${name}`, '', detail))
    }
  }
  const controllers = owners.filter((owner) => isObject(owner) && owner['controller'] === true)
  if (controllers.length > 1) {
    const [first, second] = controllers.map((owner) => `${textAt(owner, 'kind') ?? ''}/${textAt(owner, 'name') ?? ''}`)
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`
    errors.push(field.invalid('metadata.ownerReferences', owners, detail))
  }
  return errors
}

/** While an object is being deleted nobody can add a finalizer any more. */
export function finalizerErrors(object: IncomingObject, old: StoredObject): FieldError[] {
  if (old.metadata.deletionTimestamp === undefined) return []
  const before = new Set(old.metadata.finalizers ?? [])
  const added = arrayAt(object, 'metadata', 'finalizers').filter((item) => !before.has(String(item)))
  if (added.length === 0) return []
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((item) => JSON.stringify(item)).join(', ')}}`
  // Said twice by a real server: the check runs for the object and for its metadata.
  return [field.forbidden('metadata.finalizers', detail), field.forbidden('metadata.finalizers', detail)]
}

export function throwIfInvalid(
  definition: KindDefinition,
  object: IncomingObject,
  errors: readonly FieldError[],
): void {
  const named = definition.conversion?.stored ?? definition
  if (errors.length > 0) throw invalid(named, textAt(object, 'metadata', 'name') ?? '', errors)
}

export function requireName(object: IncomingObject, target: Target): IncomingObject {
  const name = textAt(object, 'metadata', 'name') ?? ''
  if (name !== '' && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  }
  return name === '' ? withMetadata(object, { name: target.name }) : object
}
