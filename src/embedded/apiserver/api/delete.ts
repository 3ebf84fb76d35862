import { toTimestamp } from '../../../model/clock.ts'
import { hasCode } from '../../../kube/errors.ts'
import { conflict, forbidden, notFound, staleVersion } from '../errors.ts'
import { finalizersOf, type StoredObject, storeKeyOf, withMetadata } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import type { ApiContext, Target, WriteRequest } from './context.ts'
import { inVersion, type ListRequest, listObjects } from './read.ts'
import { isGone } from './update.ts'

export interface DeleteRequest {
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined
  readonly gracePeriodSeconds?: number | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
}

export interface DeleteResult {
  readonly object: StoredObject
  /** False while finalizers or a grace period keep the object. */
  readonly removed: boolean
}

const attemptsMax = 10

/** A real API server's admission of namespaces keeps them, too. */
const immortalNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

export async function deleteObject(
  context: ApiContext,
  definition: KindDefinition,
  target: Target,
  options: DeleteRequest,
  request: WriteRequest,
): Promise<DeleteResult> {
  const key = storeKeyOf(target.namespace, target.name)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const old = context.store.get(definition.table, key)
    if (old === undefined) throw notFound(definition, target.name)
    checkDeletePreconditions(definition, old, options.preconditions ?? {})
    if (definition.table === '/namespaces' && immortalNamespaces.has(target.name)) {
      throw forbidden(definition, target.name, 'this namespace may not be deleted')
    }
    const shown = inVersion(definition, old)
    const verdict = context.admission.validate({
      definition,
      subresource: undefined,
      operation: 'DELETE',
      target,
      object: undefined,
      old: shown,
      request,
    })
    if (verdict instanceof Promise) await verdict
    if (context.store.get(definition.table, key) === old)
      return commitDelete(context, definition, { key, old }, options, request)
  }
  throw conflict(definition, target.name, staleVersion)
}

export async function deleteCollection(
  context: ApiContext,
  definition: KindDefinition,
  list: ListRequest,
  options: DeleteRequest,
  request: WriteRequest,
): Promise<readonly StoredObject[]> {
  const { items } = listObjects(context, definition, list)
  for (const item of items) {
    const { namespace, name } = item.metadata
    try {
      await deleteObject(context, definition, { namespace, name }, options, request)
    } catch (error) {
      // Somebody else was faster, while a webhook was asked of one of them.
      if (!hasCode(error, 'NotFound')) throw error
    }
  }
  return items
}

function checkDeletePreconditions(
  definition: KindDefinition,
  old: StoredObject,
  { uid, resourceVersion }: NonNullable<DeleteRequest['preconditions']>,
): void {
  const { metadata } = old
  // Deletions name the kind where other conflicts name the resource.
  const named = { ...definition, plural: definition.kind }
  if (uid !== undefined && uid !== metadata.uid) {
    const because = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(named, metadata.name, because)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const because = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(named, metadata.name, because)
  }
}

function commitDelete(
  context: ApiContext,
  definition: KindDefinition,
  state: { readonly key: string; readonly old: StoredObject },
  options: DeleteRequest,
  request: WriteRequest,
): DeleteResult {
  const { key, old } = state
  const marked = markDeleted(context, definition, old, options)
  if (request.dryRun) return { object: inVersion(definition, marked), removed: isGone(marked) }
  if (isGone(marked)) {
    context.store.remove(definition.table, key)
    return { object: inVersion(definition, marked), removed: true }
  }
  if (marked === old) return { object: inVersion(definition, old), removed: false }
  return { object: inVersion(definition, context.store.put(definition.table, key, marked)), removed: false }
}

function markDeleted(
  context: ApiContext,
  definition: KindDefinition,
  old: StoredObject,
  options: DeleteRequest,
): StoredObject {
  const finalizers = propagationFinalizers(finalizersOf(old), options.propagationPolicy)
  const grace = definition.strategy.gracePeriodSeconds(old, options.gracePeriodSeconds)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = old.metadata
  const sameFinalizers = finalizers.join() === finalizersOf(old).join()
  if (deletionTimestamp !== undefined) {
    // A second delete can only shorten the grace period.
    if (grace >= deletionGracePeriodSeconds && sameFinalizers) return old
    const shorter = Math.min(grace, deletionGracePeriodSeconds)
    const since = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
    return withMetadata(old, {
      finalizers: finalizers.length === 0 ? undefined : finalizers,
      deletionGracePeriodSeconds: shorter,
      deletionTimestamp: toTimestamp(since + shorter * 1000),
    })
  }
  const isNamespace = definition.table === '/namespaces'
  const marked = withMetadata(old, {
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    deletionTimestamp: toTimestamp(context.clock.now() + grace * 1000),
    deletionGracePeriodSeconds: isNamespace ? undefined : grace,
    generation: generation === undefined || generation === 0 ? generation : generation + 1,
  })
  return isNamespace ? { ...marked, status: { phase: 'Terminating' } } : marked
}

function propagationFinalizers(
  finalizers: readonly string[],
  policy: DeleteRequest['propagationPolicy'],
): readonly string[] {
  if (policy === undefined) return finalizers
  const kept = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  if (policy === 'Foreground') return [...kept, 'foregroundDeletion']
  return policy === 'Orphan' ? [...kept, 'orphan'] : kept
}
