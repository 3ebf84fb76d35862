import { goQuoted } from '../../api/go-text.ts'
import { KubeError, type StatusDetails } from '../../kube/errors.ts'

/** What the messages of an API server name: `nodepools.karpenter.sh "x" not found`. */
export interface ResourceName {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

/** One problem with one field, in the words of an API server. */
export interface FieldError {
  readonly kind:
    | 'required'
    | 'invalid'
    | 'typeInvalid'
    | 'notSupported'
    | 'forbidden'
    | 'duplicate'
    | 'notFound'
    | 'tooMany'
    | 'tooLong'
  readonly field: string
  /** The text after `field: `, as a Status cause has it. */
  readonly message: string
}

const causeReasons: Record<FieldError['kind'], string> = {
  required: 'FieldValueRequired',
  invalid: 'FieldValueInvalid',
  typeInvalid: 'FieldValueTypeInvalid',
  notSupported: 'FieldValueNotSupported',
  forbidden: 'FieldValueForbidden',
  duplicate: 'FieldValueDuplicate',
  notFound: 'FieldValueNotFound',
  tooMany: 'FieldValueTooMany',
  tooLong: 'FieldValueTooLong',
}

export function qualifiedPlural({ group, plural }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`
}

function detailsOf({ group, plural }: ResourceName, name: string): StatusDetails {
  const named = name === '' ? {} : { name }
  const typed = plural === '' ? named : { ...named, kind: plural }
  return group === '' ? typed : { ...typed, group }
}

export function notFound(resource: ResourceName, name: string): KubeError {
  return new KubeError('NotFound', 404, `${qualifiedPlural(resource)} "${name}" not found`, {
    details: detailsOf(resource, name),
  })
}

export function alreadyExists(resource: ResourceName, name: string): KubeError {
  return new KubeError('AlreadyExists', 409, `${qualifiedPlural(resource)} "${name}" already exists`, {
    details: detailsOf(resource, name),
  })
}

export function conflict(resource: ResourceName, name: string, because: string): KubeError {
  const message = `Operation cannot be fulfilled on ${qualifiedPlural(resource)} "${name}": ${because}`
  return new KubeError('Conflict', 409, message, { details: detailsOf(resource, name) })
}

/** How a precondition on the uid fails inside the storage. */
export function uidMismatch(resource: ResourceName, key: string, wanted: string, actual: string): string {
  const path = resource.group === '' ? resource.plural : `${resource.group}/${resource.plural}`
  return `StorageError: invalid object, Code: 4, Key: /registry/${path}/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`
}

export const staleVersion =
  'the object has been modified; please apply your changes to the latest version and try again'

export function invalid(resource: ResourceName, name: string, errors: readonly FieldError[]): KubeError {
  const kind = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const details: StatusDetails = {
    ...detailsOf({ ...resource, plural: resource.kind }, name),
    causes: errors.map((error) => ({
      reason: causeReasons[error.kind],
      message: error.message,
      field: error.field,
    })),
  }
  return new KubeError('Invalid', 422, `${kind} "${name}" is invalid: ${joined}`, { details })
}

export function forbidden(
  resource: ResourceName,
  name: string,
  because: string,
  causes?: NonNullable<StatusDetails['causes']>,
): KubeError {
  const message = `${qualifiedPlural(resource)} "${name}" is forbidden: ${because}`
  const details = detailsOf(resource, name)
  return new KubeError('Forbidden', 403, message, { details: causes === undefined ? details : { ...details, causes } })
}

export function badRequest(message: string): KubeError {
  return new KubeError('BadRequest', 400, message)
}

export function expired(message: string): KubeError {
  return new KubeError('Expired', 410, message)
}

export function methodNotAllowed(): KubeError {
  return new KubeError('MethodNotAllowed', 405, 'the server does not allow this method on the requested resource', {
    details: {},
  })
}

/** Custom kinds have no merge keys. */
export function noStrategicMerge(): KubeError {
  const accepted = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map((type) => `application/${type}`)
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new KubeError('UnsupportedMediaType', 415, message)
}

/** For what a real cluster has and this one has not. */
export function notToBeHad(message: string): KubeError {
  return new KubeError('MethodNotAllowed', 405, message, { details: {} })
}

/** A body that is not in one of the formats that objects come in. */
export function unsupportedBody(): KubeError {
  const accepted = ['json', 'yaml', 'vnd.kubernetes.protobuf'].map((type) => `application/${type}`)
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new KubeError('UnsupportedMediaType', 415, message)
}

export function unsupportedPatch(): KubeError {
  return new KubeError('UnsupportedMediaType', 415, '415: Unsupported Media Type', { details: {} })
}

export function unknownResource(): KubeError {
  return new KubeError('NotFound', 404, 'the server could not find the requested resource', { details: {} })
}

export function tooManyRequests(
  message: string,
  more: { retryAfterSeconds?: number; causes?: StatusDetails['causes'] },
): KubeError {
  const details: StatusDetails = {}
  if (more.causes !== undefined) details.causes = more.causes
  if (more.retryAfterSeconds !== undefined) details.retryAfterSeconds = more.retryAfterSeconds
  const retryAfterMs = more.retryAfterSeconds === undefined ? undefined : more.retryAfterSeconds * 1000
  return new KubeError('TooManyRequests', 429, message, { details, retryAfterMs })
}

/** As Go prints it in an error. */
function printed(value: unknown): string {
  return typeof value === 'string' ? goQuoted(value) : (JSON.stringify(value) ?? 'null')
}

export const field = {
  required: (path: string, detail = ''): FieldError => ({
    kind: 'required',
    field: path,
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }),
  invalid: (path: string, value: unknown, detail: string): FieldError => ({
    kind: 'invalid',
    field: path,
    message: `Invalid value: ${printed(value)}: ${detail}`,
  }),
  notSupported: (path: string, value: unknown, supported: readonly string[]): FieldError => ({
    kind: 'notSupported',
    field: path,
    message: `Unsupported value: ${printed(value)}: supported values: ${supported.map(printed).join(', ')}`,
  }),
  forbidden: (path: string, detail: string): FieldError => ({
    kind: 'forbidden',
    field: path,
    message: `Forbidden: ${detail}`,
  }),
  tooLong: (path: string, bytesMax: number): FieldError => ({
    kind: 'tooLong',
    field: path,
    message: `Too long: may not be more than ${bytesMax} bytes`,
  }),
  duplicate: (path: string, value: unknown, detail = ''): FieldError => ({
    kind: 'duplicate',
    field: path,
    message: `Duplicate value: ${printed(value)}${detail === '' ? '' : `: ${detail}`}`,
  }),
  notFound: (path: string, value: unknown): FieldError => ({
    kind: 'notFound',
    field: path,
    message: `Not found: ${printed(value)}`,
  }),
}
