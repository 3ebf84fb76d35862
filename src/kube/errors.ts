/** `metav1.Status.reason` of a failed call, or what went wrong before an answer came. */
export type KubeErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'Timeout'
  | 'ServerTimeout'
  | 'TooManyRequests'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Unknown'
  | 'Network'

/** A call to the API server that failed. `status` is the HTTP status, 0 when no answer came. */
export class KubeError extends Error {
  readonly code: KubeErrorCode
  readonly status: number
  /** `metav1.Status.details`, when the server sent it. */
  readonly details: StatusDetails | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    code: KubeErrorCode,
    status: number,
    message: string,
    more: { details?: StatusDetails | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'KubeError'
    this.code = code
    this.status = status
    this.details = more.details
    this.retryAfterMs = more.retryAfterMs
  }
}

/** A watch that said nothing for long: its connection may be dead, or nothing of its kind has changed since the API server started. */
export class SilentWatchError extends KubeError {
  constructor(idleMs: number) {
    super('Network', 0, `the watch was silent for ${idleMs / 1000}s`)
    this.name = 'SilentWatchError'
  }
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: { reason?: string; message?: string; field?: string }[]
  retryAfterSeconds?: number
}

/** Whether it is a `KubeError` with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly KubeErrorCode[]): boolean {
  return error instanceof KubeError && codes.includes(error.code)
}

export const isNotFound = (error: unknown): boolean => hasCode(error, 'NotFound')
export const isConflict = (error: unknown): boolean => hasCode(error, 'Conflict')

/** By rights, a policy or the object itself: the same write would be refused again. */
export const isRefusal = (error: unknown): boolean => hasCode(error, 'Forbidden', 'Invalid', 'BadRequest')

/** kube-apiserver asks for up to 32 s when it has too much to do. Who asks for more may be a proxy that knows nothing of us. */
const askedWaitMaxMs = 60_000

/** For how long whoever failed was asked to stay away, whatever has been said around it; 0 where nobody asked. */
export function askedWaitMs(error: unknown): number {
  if (error instanceof KubeError) return Math.min(error.retryAfterMs ?? 0, askedWaitMaxMs)
  if (error instanceof AggregateError) return Math.max(0, ...error.errors.map(askedWaitMs))
  return error instanceof Error ? askedWaitMs(error.cause) : 0
}
