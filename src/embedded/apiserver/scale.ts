import { KubeError } from '../../kube/errors.ts'
import type { Patch } from '../../kube/port.ts'
import { applyPatch } from './api/patch.ts'
import type { ApiContext, Target, WriteRequest } from './api/context.ts'
import { checkPreconditions } from './api/metadata.ts'
import { getObject } from './api/read.ts'
import { updateObject } from './api/update.ts'
import { badRequest, field, invalid, methodNotAllowed } from './errors.ts'
import { at, isObject, type JsonObject, numberAt, textAt, withAt } from './json.ts'
import { asStored, type StoredObject } from './object.ts'
import type { KindDefinition, ScalePaths } from './registry/definition.ts'
import { labelSelectorText, toLabelSelector } from './label-selectors.ts'
import { builtinType } from './types/builtin.ts'
import { decode } from './types/decode.ts'

/** An object seen through its scale subresource: replicas wanted, replicas there, and which pods they are. */
export function getScale(context: ApiContext, definition: KindDefinition, target: Target): StoredObject {
  return scaleOf(getObject(context, definition, target), pathsOf(definition))
}

export async function updateScale(
  context: ApiContext,
  definition: KindDefinition,
  input: {
    readonly target: Target
    readonly change:
      | { readonly kind: 'put'; readonly body: unknown }
      | { readonly kind: 'patch'; readonly patch: Patch }
  },
  request: WriteRequest,
): Promise<StoredObject> {
  const paths = pathsOf(definition)
  const { target, change } = input
  const updated = await updateObject(
    context,
    definition,
    {
      target,
      subresource: undefined,
      change: (old) => {
        const scale = change.kind === 'put' ? change.body : patched(scaleOf(old, paths, 'zero'), change.patch)
        if (!isObject(scale)) throw badRequest('the request body is not a Scale')
        checkType(scale, change.kind)
        if (textAt(scale, 'metadata', 'name') === undefined) {
          throw badRequest(
            `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
          )
        }
        checkPreconditions(definition, old, {
          uid: textAt(scale, 'metadata', 'uid'),
          resourceVersion: textAt(scale, 'metadata', 'resourceVersion'),
        })
        const replicas = numberAt(scale, 'spec', 'replicas') ?? 0
        if (replicas < 0) {
          throw invalid({ group: 'autoscaling', plural: 'scales', kind: 'Scale' }, target.name, [
            field.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
          ])
        }
        return withAt(old, paths.specReplicas, replicas)
      },
    },
    request,
  )
  return scaleOf(updated, paths)
}

/** What a patch makes of a scale is judged as the patch's fault. */
function checkType(scale: JsonObject, change: 'put' | 'patch'): void {
  const [because] = decode(builtinType('V1Scale'), scale).errors
  if (because === undefined) return
  if (change === 'put') throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${because}`)
  throw invalid({ group: '', plural: '', kind: '' }, '', [field.invalid('patch', JSON.stringify(scale), because)])
}

function patched(scale: StoredObject, patch: Patch): unknown {
  return patch.kind === 'apply'
    ? applyPatch({ type: builtinType('V1Scale') }, scale, { kind: 'merge', body: patch.body })
    : applyPatch({ type: builtinType('V1Scale') }, scale, patch)
}

function pathsOf(definition: KindDefinition): ScalePaths {
  if (definition.scale === undefined) throw methodNotAllowed()
  return definition.scale
}

/** Before its first scale an object may have no replicas at all; then it can only be written. */
function scaleOf(object: StoredObject, paths: ScalePaths, missing: 'refuse' | 'zero' = 'refuse'): StoredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = numberAt(object, ...paths.specReplicas) ?? (missing === 'zero' ? 0 : undefined)
  if (replicas === undefined) throw noReplicas(paths)
  const selector = paths.selector === undefined ? undefined : selectorText(at(object, ...paths.selector))
  return asStored({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas },
    status: {
      replicas: numberAt(object, ...paths.statusReplicas) ?? 0,
      ...(selector === undefined ? {} : { selector }),
    },
  })
}

function noReplicas(paths: ScalePaths): KubeError {
  const message = `the spec replicas field ".${paths.specReplicas.join('.')}" does not exist`
  return new KubeError('InternalError', 500, `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
  })
}

function selectorText(selector: unknown): string | undefined {
  if (typeof selector === 'string') return selector
  if (!isObject(selector)) return undefined
  const isLabelSelector = selector['matchLabels'] !== undefined || selector['matchExpressions'] !== undefined
  return labelSelectorText(isLabelSelector ? toLabelSelector(selector) : { matchLabels: textMap(selector) })
}

function textMap(map: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]))
}
