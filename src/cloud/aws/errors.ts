import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { messageOf } from '../../api/error-text.ts'
import { UserDataTooLargeError } from './userdata/inputs.ts'

/**
 * What AWS's error codes mean to us. For EC2 the service code is the error's `name`; query and JSON services give a longer name
 * and the plain code in `Code`, so both are looked at.
 */

const notFoundCodes = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'NoSuchEntity',
  'NoSuchEntityException',
  'ParameterNotFound',
])

const unfulfillableCodes = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
])

const credentialCodes = new Set([
  'AuthFailure',
  'ExpiredToken',
  'InvalidClientTokenId',
  'RequestExpired',
  'SignatureDoesNotMatch',
])

export const spotRoleCreationRefused = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted'
export const insufficientFreeAddresses = 'InsufficientFreeAddressesInSubnet'

/** Errors that say nothing by their names. */
const nameless = new Set(['Error', 'AggregateError'])

interface AWSErrorShape {
  readonly name?: unknown
  readonly Code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly $fault?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown }
  readonly $response?: { readonly statusCode?: unknown }
}

export function isNotFound(error: unknown): boolean {
  return codesOf(error).some((code) => notFoundCodes.has(code))
}

/** No instance can have such an id. */
export function isInstanceIDMalformed(error: unknown): boolean {
  return hasCode(error, 'InvalidInstanceID.Malformed')
}

export function isLaunchTemplateNotFound(error: unknown): boolean {
  return hasCode(error, 'InvalidLaunchTemplateName.NotFoundException')
}

/** A fleet that does not start names the template by its id, which EC2 looked up by the name that it was given. */
export function isFleetTemplateMissing(code: string): boolean {
  return code === 'InvalidLaunchTemplateId.NotFound' || code === 'InvalidLaunchTemplateName.NotFoundException'
}

export function isLaunchTemplateTaken(error: unknown): boolean {
  return hasCode(error, 'InvalidLaunchTemplateName.AlreadyExistsException')
}

/** What EC2 answers to who asks for a placement group by a name or id that it does not know. */
export function isPlacementGroupUnknown(error: unknown): boolean {
  return hasCode(error, 'InvalidPlacementGroup.Unknown')
}

/** What EC2 answers to a dry run that would have worked. */
export function isDryRunSuccess(error: unknown): boolean {
  return hasCode(error, 'DryRunOperation')
}

export function isUnauthorized(error: unknown): boolean {
  return hasCode(error, 'UnauthorizedOperation')
}

/** SSM's answer to who lacks a permission. Credentials that are expired or unknown, or STS itself, are refused with other codes. */
export function isAccessDenied(error: unknown): boolean {
  return hasCode(error, 'AccessDeniedException')
}

export function isRateLimited(error: unknown): boolean {
  return hasCode(error, 'RequestLimitExceeded')
}

/** The service's own failure, including answers without a body, which surface as a deserialisation error. */
export function isServerFault(error: unknown): boolean {
  const shape = shapeOf(error)
  const status = shape?.$metadata?.httpStatusCode ?? shape?.$response?.statusCode
  return shape?.$fault === 'server' || (typeof status === 'number' && status >= 500)
}

/** Throttling, a failure of the service itself, a network that did not carry the request: what says nothing about the thing asked for. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const known = error as Parameters<typeof isThrottlingError>[0]
  return isThrottlingError(known) || isTransientError(known) || isServerError(known)
}

/** Nobody has looked at what was asked for: no answer came, or whoever asks is not known just now. */
export function isUnheard(error: unknown): boolean {
  return shapeOf(error)?.$fault === undefined || codesOf(error).some((code) => credentialCodes.has(code))
}

/** For what the request says or who sends it: sent again unchanged it fares no better. */
export function isRefused(error: unknown): boolean {
  const shape = shapeOf(error)
  return shape?.$fault === 'client' ? !isPassing(error) : shape?.cause !== undefined && isRefused(shape.cause)
}

export function isInstanceProfileMissing(error: unknown): boolean {
  return hasCode(error, 'InvalidParameterValue') && causeChainText(error).includes('Invalid IAM Instance Profile name')
}

/** The image is gone, was never ours to use, or is not ready. */
export function isImageMissing(error: unknown): boolean {
  return hasCode(error, 'InvalidAMIID.NotFound', 'InvalidAMIID.Unavailable')
}

export function isUserDataTooLarge(error: unknown): boolean {
  return (
    error instanceof UserDataTooLargeError ||
    (hasCode(error, 'InvalidUserData.Malformed') && causeChainText(error).includes('User data is limited to'))
  )
}

/** IAM says "The role with name x cannot be found"; other implementations write "Role x not found". */
export function isRoleMissing(error: unknown): boolean {
  return hasCode(error, 'NoSuchEntity', 'NoSuchEntityException') && /role/i.test(causeChainText(error))
}

/** EC2 has two codes for a type that a zone does not have, as spot in many Local Zones: one of them stands for mistakes in a request, too. */
export function isUnfulfillable(code: string | undefined, message = ''): boolean {
  if (code === 'InvalidFleetConfiguration')
    return message.includes('is not supported in your requested Availability Zone')
  return code !== undefined && unfulfillableCodes.has(code)
}

export function isSpreadLimit(message: string | undefined): boolean {
  return message?.includes('limit of instances in this spread placement group') ?? false
}

function hasCode(error: unknown, ...wanted: readonly string[]): boolean {
  return codesOf(error).some((code) => wanted.includes(code))
}

/** `Code: message`, and the same of every cause. */
export function causeChainText(error: unknown): string {
  const parts: string[] = []
  let current: unknown = error
  for (let depth = 0; depth < 5 && current !== undefined && current !== null; depth += 1) {
    const shape = shapeOf(current)
    if (shape === undefined) {
      parts.push(String(current))
      break
    }
    const code = textOf(shape.Code) ?? textOf(shape.name)
    const message = current instanceof Error ? messageOf(current) : (textOf(shape.message) ?? '')
    parts.push(code === undefined || nameless.has(code) ? message : `${code}: ${message}`)
    current = shape.cause
  }
  return parts.join(', ')
}

function codesOf(error: unknown): string[] {
  const shape = shapeOf(error)
  return [textOf(shape?.name), textOf(shape?.Code)].filter((code) => code !== undefined)
}

function shapeOf(error: unknown): AWSErrorShape | undefined {
  return typeof error === 'object' && error !== null ? error : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
