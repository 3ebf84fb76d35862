import { sameWhenWritten } from '../../api/json.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'

/** Writes a status. Whoever has gone or changed meanwhile is looked at again anyway. */
export async function patchStatus<T extends KubeObject>(
  { client }: Pick<EmbeddedDeps, 'client'>,
  resource: Resource<T>,
  object: T,
  status: object,
): Promise<void> {
  try {
    await client.patch(resource, keyOf(object), { kind: 'merge', body: { status } }, { subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** Writes a status unless the object has it; a field that it lacks counts as 0. */
export async function patchChangedStatus<T extends KubeObject & { readonly status?: Record<string, unknown> }>(
  deps: Pick<EmbeddedDeps, 'client'>,
  resource: Resource<T>,
  object: T,
  status: object,
): Promise<void> {
  const known = Object.fromEntries(Object.keys(status).map((field) => [field, object.status?.[field] ?? 0]))
  if (!sameWhenWritten(known, status)) await patchStatus(deps, resource, object, status)
}
