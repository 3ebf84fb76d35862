import { KubeError } from '../../../kube/errors.ts'
import type { Patch } from '../../../kube/port.ts'
import { badRequest, field, invalid, noStrategicMerge, notFound } from '../errors.ts'
import { isObject, type JsonObject, withAt } from '../json.ts'
import { type IncomingObject, type StoredObject, storeKeyOf } from '../object.ts'
import { applyTo, firstApply } from '../patch/apply.ts'
import { jsonPatch } from '../patch/json-patch.ts'
import { withEntries } from '../patch/managed-fields.ts'
import { mergePatch } from '../patch/merge-patch.ts'
import { strategicMerge } from '../patch/strategic-merge.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { decode } from '../types/decode.ts'
import { undecodable } from './body.ts'
import type { ApiContext, Target, WriteRequest } from './context.ts'
import { createObject } from './create.ts'
import { parseIncoming, requireName } from './metadata.ts'
import { updateObject } from './update.ts'

export async function patchObject(
  context: ApiContext,
  definition: KindDefinition,
  input: { readonly target: Target; readonly subresource: 'status' | undefined; readonly patch: Patch },
  request: WriteRequest,
): Promise<StoredObject> {
  const { target, subresource, patch } = input
  if (patch.kind === 'apply') return applyObject(context, definition, { target, subresource, patch }, request)
  if (patch.kind === 'strategic' && definition.custom !== undefined) throw noStrategicMerge()
  const change = (old: StoredObject): unknown => applyPatch(definition, old, patch)
  return updateObject(context, definition, { target, subresource, change, isPatch: true }, request)
}

/** The patched document; used for scales too, which have a type of their own. */
export function applyPatch(
  definition: Pick<KindDefinition, 'type'>,
  old: JsonObject,
  patch: Exclude<Patch, { kind: 'apply' }>,
): unknown {
  switch (patch.kind) {
    case 'json':
      return jsonPatch(old, patch.body)
    case 'merge':
      return mergePatch(old, patch.body)
    case 'strategic': {
      if (!isObject(patch.body)) throw badRequest('the patch is not an object')
      return strategicMerge(old, patch.body, definition.type)
    }
  }
}

async function applyObject(
  context: ApiContext,
  definition: KindDefinition,
  input: {
    readonly target: Target
    readonly subresource: 'status' | undefined
    readonly patch: Extract<Patch, { kind: 'apply' }>
  },
  request: WriteRequest,
): Promise<StoredObject> {
  const { target, subresource, patch } = input
  if (request.fieldManager === '') {
    const options = { group: 'meta.k8s.io', plural: 'patchoptions', kind: 'PatchOptions' }
    throw invalid(options, '', [field.required('fieldManager', 'is required for apply patch')])
  }
  const config = readConfig(definition, patch.body, target, subresource)
  const apply = { config, force: patch.force === true, subresource, request }
  const track = (object: IncomingObject): IncomingObject => object
  const exists = context.store.get(definition.table, storeKeyOf(target.namespace, target.name)) !== undefined
  if (!exists) {
    if (subresource !== undefined) throw notFound(definition, target.name)
    const entry = firstApply(context, definition, apply)
    return createObject(
      context,
      definition,
      { namespace: target.namespace, body: config, track: (object) => withEntries(object, [entry]) },
      request,
    )
  }
  const change = (old: StoredObject): unknown => {
    const { object, entries } = applyTo(context, definition, old, apply)
    const metadata = isObject(object['metadata']) ? object['metadata'] : {}
    return withEntries({ ...object, apiVersion: old.apiVersion, kind: old.kind, metadata }, entries)
  }
  return updateObject(context, definition, { target, subresource, change, track }, request)
}

/** Who applies has to know the fields that it is to own; a real server blames itself for not knowing them. */
function untyped({ group, version, kind }: KindDefinition, config: IncomingObject, path: string): KubeError {
  const what = `/${String(config.metadata['name'])}; ${group}/${version}, Kind=${kind}`
  return new KubeError(
    'Unknown',
    500,
    `failed to create typed patch object (${what}): .${path}: field not declared in schema`,
  )
}

/** The configuration without unknown fields and nulls, and without defaults: only what the client says is owned. */
function readConfig(
  definition: KindDefinition,
  body: unknown,
  target: Target,
  subresource: string | undefined,
): IncomingObject {
  const parsed = requireName(parseIncoming(definition, body, target.namespace), target)
  if (parsed.metadata['managedFields'] !== undefined && parsed.metadata['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil')
  }
  const { value, unknown, errors } = decode(definition.type, parsed, { empty: 'keep' })
  if (errors[0] !== undefined) throw undecodable(definition, errors[0])
  if (unknown[0] !== undefined) throw untyped(definition, parsed, unknown[0])
  const metadata = isObject(value['metadata']) ? value['metadata'] : {}
  const identified = { ...value, apiVersion: parsed.apiVersion, kind: parsed.kind, metadata }
  const keepsStatus = subresource !== undefined || !definition.subresources.has('status')
  return keepsStatus ? identified : withAt(identified, ['status'], undefined)
}
