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
  /** Absent for deletions. */
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
  if (body['kind'] !== 'AdmissionReview') return malformed('kind must be AdmissionReview')
  if (body['apiVersion'] !== 'admission.k8s.io/v1') return malformed('apiVersion must be admission.k8s.io/v1')
  const { request } = body
  if (!isRecord(request)) return malformed('request is required')
  const { uid, kind, operation } = request
  if (typeof uid !== 'string' || uid === '') return malformed('request.uid is required')
  if (!isGroupVersionKind(kind)) return malformed('request.kind must name group, version and kind')
  if (!isOperation(operation)) return malformed('request.operation must be CREATE, UPDATE, DELETE or CONNECT')
  if (isDeeperThan(request, depthMax)) return malformed(`request is nested deeper than ${depthMax} levels`)
  const object = readObject(request['object'])
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
      subResource: text(request['subResource']),
      name: text(request['name']),
      namespace: text(request['namespace']),
      username: isRecord(request['userInfo']) ? text(request['userInfo']['username']) : '',
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

export function toReviewBody(uid: string, answer: ReviewAnswer): object {
  const warnings = answer.warnings ?? []
  const patch = answer.patch ?? []
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    response: {
      uid,
      allowed: answer.allowed,
      ...(answer.message === undefined ? {} : { status: { code: 422, reason: 'Invalid', message: answer.message } }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(patch.length === 0
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
    },
  }
}

function malformed(message: string): ReadReview {
  return { kind: 'malformed', message }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Recursion goes no deeper than the limit, whatever the input. */
function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, limit - 1)) return true
    return false
  }
  for (const key in value) {
    // The value is fresh from a parser: what it has is its own.
    if (isDeeperThan((value as Record<string, unknown>)[key], limit - 1)) return true
  }
  return false
}
