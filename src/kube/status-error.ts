import { KubeError, type KubeErrorCode, type StatusDetails } from './errors.ts'

/** metav1.Status, as far as it is read; everything may be missing or wrong. */
interface WireStatus {
  readonly kind?: unknown
  readonly reason?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly details?: StatusDetails
}

const codes = new Set<string>([
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Expired',
  'Invalid',
  'Timeout',
  'ServerTimeout',
  'TooManyRequests',
  'MethodNotAllowed',
  'NotAcceptable',
  'UnsupportedMediaType',
  'RequestEntityTooLarge',
  'InternalError',
  'ServiceUnavailable',
] satisfies KubeErrorCode[])

/** What an HTTP status means when the body says nothing: a proxy answered, not the API server. */
const byHTTPStatus: ReadonlyMap<number, KubeErrorCode> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
])

/** A failed answer as an error: the Status in the body says more than the HTTP status, where there is one. */
export function toKubeError(httpStatus: number, body: string, retryAfter: string | undefined): KubeError {
  const status = parseStatus(body)
  const message = typeof status?.message === 'string' ? status.message : shortened(body) || `HTTP status ${httpStatus}`
  return new KubeError(codeOf(httpStatus, status), httpStatus, message, {
    details: status?.details,
    retryAfterMs: retryAfterMs(retryAfter, status?.details),
  })
}

/** The Status that an ERROR event of a watch carries. */
export function watchError(object: unknown): KubeError {
  const status: WireStatus = typeof object === 'object' && object !== null ? object : {}
  const httpStatus = typeof status.code === 'number' ? status.code : 500
  const message = typeof status.message === 'string' ? status.message : 'the watch failed'
  return new KubeError(codeOf(httpStatus, status), httpStatus, message, {
    details: status.details,
    retryAfterMs: retryAfterMs(undefined, status.details),
  })
}

function codeOf(httpStatus: number, status: WireStatus | undefined): KubeErrorCode {
  const reason = status?.reason
  if (typeof reason === 'string' && codes.has(reason)) return reason as KubeErrorCode
  return byHTTPStatus.get(httpStatus) ?? (httpStatus >= 500 ? 'InternalError' : 'Unknown')
}

function parseStatus(body: string): WireStatus | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed !== 'object' || parsed === null) return undefined
    const status: WireStatus = parsed
    return status.kind === 'Status' ? status : undefined
  } catch {
    return undefined
  }
}

function retryAfterMs(header: string | undefined, details: StatusDetails | undefined): number | undefined {
  // The header may also be a date, as a proxy has it; API servers send seconds.
  const asked = Number(header)
  const seconds = Number.isNaN(asked) ? details?.retryAfterSeconds : asked
  return seconds === undefined || !Number.isFinite(seconds) || seconds < 0 ? undefined : seconds * 1000
}

function shortened(body: string): string {
  return body.length > 300 ? `${body.slice(0, 300)}...` : body
}
