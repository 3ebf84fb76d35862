import { notFound } from '../errors.ts'
import { arrayAt, textAt, withAt } from '../json.ts'
import { finalizersOf, type StoredObject, storeKeyOf } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import type { ApiContext, Target, WriteRequest } from './context.ts'
import { checkPreconditions, parseIncoming, requireName } from './metadata.ts'

/** A namespace that goes and has no finalizer left is gone at once, whatever is still in it. */
export function finalizeNamespace(
  { store }: ApiContext,
  definition: KindDefinition,
  { target, body }: { readonly target: Target; readonly body: unknown },
  request: WriteRequest,
): StoredObject {
  const key = storeKeyOf(undefined, target.name)
  const old = store.get(definition.table, key)
  if (old === undefined) throw notFound(definition, target.name)
  const wanted = requireName(parseIncoming(definition, body, undefined), target)
  const [uid, resourceVersion] = ['uid', 'resourceVersion'].map((field) => textAt(wanted, 'metadata', field) ?? '')
  checkPreconditions(definition, old, { uid, resourceVersion })
  const finalizers = arrayAt(wanted, 'spec', 'finalizers')
  const next = withAt(old, ['spec'], finalizers.length === 0 ? {} : { finalizers })
  if (request.dryRun) return next
  const stored = store.put(definition.table, key, next)
  const isHeld = finalizers.length > 0 || finalizersOf(stored).length > 0
  if (stored.metadata.deletionTimestamp !== undefined && !isHeld) store.remove(definition.table, key)
  return stored
}
