import type { CreateFleetError } from '@aws-sdk/client-ec2'
import {
  insufficientFreeAddresses,
  isFleetTemplateMissing,
  isInstanceProfileMissing,
  isSpreadLimit,
  isUnfulfillable,
  spotRoleCreationRefused,
} from '../errors.ts'
import type { CapacityType } from '../keys.ts'

/** What one fleet error teaches about what can be had. */
export type FleetLesson =
  | { readonly kind: 'pool'; readonly instanceType: string; readonly zone: string; readonly code: string }
  | { readonly kind: 'spreadGroupFull'; readonly zone: string; readonly code: string }
  | { readonly kind: 'reservation'; readonly instanceType: string; readonly zone: string }
  | { readonly kind: 'spotRefused' }
  | { readonly kind: 'subnet'; readonly subnetID: string }
  | { readonly kind: 'profileMissing' }
  | { readonly kind: 'templateMissing' }

export function lessonsOf(
  error: CreateFleetError,
  capacityType: CapacityType,
  inPlacementGroup: boolean,
): FleetLesson[] {
  const { code, instanceType, zone, subnetID } = placeOf(error)
  if (isInstanceProfileMissing({ name: code, message: error.ErrorMessage })) return [{ kind: 'profileMissing' }]
  if (isFleetTemplateMissing(code)) return [{ kind: 'templateMissing' }]
  const lessons: FleetLesson[] = []
  if (code === insufficientFreeAddresses && subnetID !== undefined) lessons.push({ kind: 'subnet', subnetID })
  const spreadLimit = inPlacementGroup && isSpreadLimit(error.ErrorMessage)
  const unfulfillable = isUnfulfillable(code, error.ErrorMessage)
  if (capacityType === 'reserved') {
    if (unfulfillable && !spreadLimit && instanceType !== undefined && zone !== undefined) {
      lessons.push({ kind: 'reservation', instanceType, zone })
    }
    return lessons
  }
  if (code === spotRoleCreationRefused) lessons.push({ kind: 'spotRefused' })
  else if (unfulfillable && zone !== undefined) {
    if (spreadLimit) lessons.push({ kind: 'spreadGroupFull', zone, code })
    else if (instanceType !== undefined) lessons.push({ kind: 'pool', instanceType, zone, code })
  }
  return lessons
}

/** Whether trying elsewhere is all that can be done about the errors. */
export function isCapacityProblem(errors: readonly CreateFleetError[]): boolean {
  return errors.every(
    ({ ErrorCode, ErrorMessage }) => isUnfulfillable(ErrorCode, ErrorMessage) || ErrorCode === spotRoleCreationRefused,
  )
}

/** Each distinct `code: message` once, in order. */
export function fleetErrorTexts(errors: readonly CreateFleetError[]): string[] {
  return [...new Set(errors.map(({ ErrorCode, ErrorMessage }) => `${ErrorCode ?? ''}: ${ErrorMessage ?? ''}`))]
}

/** Error items need not say where they happened. */
export function placeOf(error: CreateFleetError): {
  readonly code: string
  readonly instanceType: string | undefined
  readonly zone: string | undefined
  readonly subnetID: string | undefined
} {
  const overrides = error.LaunchTemplateAndOverrides?.Overrides
  return {
    code: error.ErrorCode ?? '',
    instanceType: overrides?.InstanceType,
    zone: overrides?.AvailabilityZone,
    subnetID: overrides?.SubnetId,
  }
}
