import { isRecord, textOf } from '../src/api/json.ts'
import type { KubeObject } from '../src/api/kubernetes.ts'

/** What the API server asks: the parts of an AdmissionReview v1 request that decide the answer. */
export interface ReviewRequest {
  readonly uid: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly subResource: string
  readonly name: string
  readonly namespace: string
  readonly username: string
  readonly dryRun: boolean
  /** Absent for deletions and connections. */
  readonly object: KubeObject | undefined
  /** Absent for creations. */
  readonly oldObject: KubeObject | undefined
}

export type ReadReview =
  | { readonly kind: 'request'; readonly request: ReviewRequest }
  /** Not an AdmissionReview that can be answered: HTTP 400 with this text. */
  | { readonly kind: 'malformed'; readonly message: string }

/** Deeper objects than any API of Kubernetes nests; recursion further down relies on it. */
const depthMax = 100

export function readReview(body: unknown): ReadReview {
  if (!isRecord(body)) return malformed('the body must be an AdmissionReview object')
  const flaw = flawOf(body, depthMax)
  if (flaw !== undefined) return malformed(flaw)
  if (body['kind'] !== 'AdmissionReview') return malformed('kind must be AdmissionReview')
  if (body['apiVersion'] !== 'admission.k8s.io/v1') return malformed('apiVersion must be admission.k8s.io/v1')
  const { request } = body
  if (!isRecord(request)) return malformed('request is required')
  const { uid, kind, operation } = request
  if (typeof uid !== 'string' || uid === '') return malformed('request.uid is required')
  if (!isGroupVersionKind(kind)) return malformed('request.kind must name group, version and kind')
  if (!isOperation(operation)) return malformed('request.operation must be CREATE, UPDATE, DELETE or CONNECT')
  // What comes with a connection are its options, which have no metadata: whoever sends us every operation must not lose `kubectl exec`.
  const object = operation === 'CONNECT' ? undefined : readObject(request['object'])
  const oldObject = readObject(request['oldObject'])
  if (object === 'malformed') return malformed('request.object must be an object with metadata')
  if (oldObject === 'malformed') return malformed('request.oldObject must be an object with metadata')
  if (object === undefined && (operation === 'CREATE' || operation === 'UPDATE'))
    return malformed('request.object is required')
  return {
    kind: 'request',
    request: {
      uid,
      kind,
      operation,
      subResource: textOf(request['subResource']),
      name: textOf(request['name']),
      namespace: textOf(request['namespace']),
      username: isRecord(request['userInfo']) ? textOf(request['userInfo']['username']) : '',
      dryRun: request['dryRun'] === true,
      object,
      oldObject,
    },
  }
}

export interface ReviewAnswer {
  readonly allowed: boolean
  /** One line each; the API server shows them to the client and cuts them at 256 characters. */
  readonly warnings?: readonly string[]
  /** Why not, when not allowed. */
  readonly message?: string
  /** JSON Patch operations; none leaves the object as it is. */
  readonly patch?: readonly object[]
}

/** The AdmissionReview that answers, as JSON. */
export function reviewText(uid: string, { allowed, message, warnings = [], patch = [] }: ReviewAnswer): string {
  const head = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":${JSON.stringify(uid)},"allowed":${allowed}`
  // Most answers say nothing else.
  if (message === undefined && warnings.length === 0 && patch.length === 0) return `${head}}}`
  const rest = {
    ...(message === undefined ? {} : { status: { code: 422, reason: 'Invalid', message } }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(patch.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  }
  return `${head},${JSON.stringify(rest).slice(1)}}`
}

function malformed(message: string): ReadReview {
  return { kind: 'malformed', message }
}

function isGroupVersionKind(value: unknown): value is ReviewRequest['kind'] {
  return (
    isRecord(value) &&
    typeof value['group'] === 'string' &&
    typeof value['version'] === 'string' &&
    typeof value['kind'] === 'string'
  )
}

function isOperation(value: unknown): value is ReviewRequest['operation'] {
  return value === 'CREATE' || value === 'UPDATE' || value === 'DELETE' || value === 'CONNECT'
}

function readObject(value: unknown): KubeObject | undefined | 'malformed' {
  if (value === undefined || value === null) return undefined
  return isRecord(value) && isRecord(value['metadata']) ? (value as unknown as KubeObject) : 'malformed'
}

/**
 * What makes a value unfit to be looked at by code that recurses and that copies fields by name. Recursion goes no deeper than the
 * limit, whatever the input.
 */
function flawOf(value: object, limit: number): string | undefined {
  if (limit === 0) return `the body is nested deeper than ${depthMax} levels`
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const flaw = typeof item === 'object' && item !== null ? flawOf(item, limit - 1) : undefined
      if (flaw !== undefined) return flaw
    }
    return undefined
  }
  for (const key in value) {
    // The value is fresh from a parser: what it has is its own, even under this name.
    const child: unknown = (value as Record<string, unknown>)[key]
    if (key === '__proto__' || (key === 'constructor' && isRecord(child) && Object.hasOwn(child, 'prototype')))
      return `the body has a field ${key}`
    const flaw = typeof child === 'object' && child !== null ? flawOf(child, limit - 1) : undefined
    if (flaw !== undefined) return flaw
  }
  return undefined
}
