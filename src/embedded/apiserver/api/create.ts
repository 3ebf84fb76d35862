import { KubeError } from '../../../kube/errors.ts'
import { alreadyExists, forbidden, notFound } from '../errors.ts'
import { textAt, withAt } from '../json.ts'
import { asStored, type IncomingObject, nameOf, type StoredObject, storeKeyOf } from '../object.ts'
import { hasStatus, type KindDefinition } from '../registry/definition.ts'
import { fieldsOfUpdate } from '../patch/managed-fields.ts'
import { applyCreateDefaults } from './builtin-admission.ts'
import { checkMetadata, readBody } from './body.ts'
import type { ApiContext, WriteRequest } from './context.ts'
import { enforceLimits } from './limit-ranges.ts'
import { finalizerWarnings, metadataErrors, newMetadata, parseIncoming, throwIfInvalid } from './metadata.ts'
import { inVersion } from './read.ts'
import { allocateService } from './service-addresses.ts'
import { createDefaultAccount } from './service-accounts.ts'

/** How managed fields of the new object come about: a plain write by default, apply brings its own. */
export type TrackFields = (object: IncomingObject, old: StoredObject | undefined) => IncomingObject

export async function createObject(
  context: ApiContext,
  definition: KindDefinition,
  input: { readonly namespace: string | undefined; readonly body: unknown; readonly track?: TrackFields },
  request: WriteRequest,
): Promise<StoredObject> {
  checkMetadata(definition, input.body)
  const parsed = parseIncoming(definition, input.body, input.namespace)
  const askedName = nameOf(parsed) || (textAt(parsed, 'metadata', 'generateName') ?? '')
  requireNamespace(context, definition, input.namespace, askedName)
  if ((textAt(parsed, 'metadata', 'resourceVersion') ?? '') !== '') {
    throw new KubeError('Unknown', 500, 'resourceVersion should not be set on objects to be created')
  }
  const clean =
    hasStatus(definition) && !definition.strategy.keepsStatusOnCreate ? withAt(parsed, ['status'], undefined) : parsed
  const named = newMetadata(context, definition, withoutManagedFields(clean))
  const decoded = definition.strategy.prepareCreate(readBody(context, definition, named, request))
  let object = applyCreateDefaults(context, definition, decoded, askedName)

  const target = { namespace: input.namespace, name: nameOf(object) }
  const attempt = { definition, subresource: undefined, operation: 'CREATE', target, old: undefined, request } as const
  const pending = context.admission.mutate({ ...attempt, object })
  const mutated = pending instanceof Promise ? await pending : pending
  if (mutated !== undefined && mutated !== object) object = readBody(context, definition, mutated, quiet)
  throwIfInvalid(definition, object, [
    ...metadataErrors(definition, object),
    ...specErrors(context, definition, object),
  ])
  for (const warning of finalizerWarnings(definition, object)) request.warn(warning)
  enforceLimits(context, definition, object)
  const verdict = context.admission.validate({ ...attempt, object })
  if (verdict instanceof Promise) await verdict
  object = allocate(context, definition, object)

  const key = storeKeyOf(input.namespace, nameOf(object))
  if (context.store.get(definition.table, key) !== undefined) throw alreadyExists(definition, nameOf(object))
  const track =
    input.track ??
    ((next) => fieldsOfUpdate(context, definition, { next, old: undefined, request, subresource: undefined }))
  const tracked = inStorageVersion(definition, track(object, undefined))
  if (request.dryRun) return inVersion(definition, asStored(tracked))
  const created = context.store.put(definition.table, key, tracked)
  if (definition.table === '/namespaces') createDefaultAccount(context, created)
  return inVersion(definition, created)
}

/** What is given out once in a cluster is given when nothing else is in the way any more. */
export function allocate(
  context: ApiContext,
  definition: KindDefinition,
  object: IncomingObject,
  old?: StoredObject,
): IncomingObject {
  return definition.table === '/services' ? allocateService(context, definition, object, old) : object
}

/** Defaults are filled in again after admission, but clients have been told about their unknown fields already. */
export const quiet = { fieldValidation: 'Ignore', warn: () => undefined } as const

export function specErrors(
  context: ApiContext,
  definition: KindDefinition,
  object: IncomingObject,
  old?: StoredObject,
) {
  return definition.custom === undefined
    ? definition.strategy.validate(object, old)
    : context.schemas.validate(definition, object, old)
}

export function inStorageVersion(definition: KindDefinition, object: IncomingObject): StoredObject {
  if (definition.conversion !== undefined) return definition.conversion.toStored(object)
  const { group, storageVersion } = definition
  const apiVersion = group === '' ? storageVersion : `${group}/${storageVersion}`
  return asStored(object.apiVersion === apiVersion ? object : { ...object, apiVersion })
}

function withoutManagedFields(object: IncomingObject): IncomingObject {
  return withAt(object, ['metadata', 'managedFields'], undefined)
}

const namespaceName = { group: '', plural: 'namespaces', kind: 'Namespace' }

function requireNamespace(
  context: ApiContext,
  definition: KindDefinition,
  namespace: string | undefined,
  name: string,
): void {
  if (!definition.namespaced || namespace === undefined) return
  const found = context.store.get('/namespaces', namespace)
  if (found === undefined) throw notFound(namespaceName, namespace)
  if (textAt(found, 'metadata', 'deletionTimestamp') !== undefined) {
    throw forbidden(
      definition,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    )
  }
}
