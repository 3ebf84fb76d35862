import { causeChainText } from './errors.ts'

/** Reason and message of a NodeClaim's `Launched` condition, and the tail of validation messages. */
export interface LaunchFailure {
  readonly reason: string
  readonly message: string
}

interface Rule extends LaunchFailure {
  matches(text: string): boolean
}

const has =
  (...parts: readonly string[]) =>
  (text: string): boolean =>
    parts.every((part) => text.includes(part))

const unauthorizedWith = (part: string) => (text: string) =>
  (text.includes('UnauthorizedOperation') || text.includes('AccessDenied') || text.includes('AuthFailure')) &&
  text.includes(part)

/** The first rule that matches the whole error text wins. */
const rules: readonly Rule[] = [
  {
    matches: has('AuthFailure.ServiceLinkedRoleCreationNotPermitted'),
    reason: 'SpotSLRCreationFailed',
    message: 'User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances',
  },
  {
    matches: unauthorizedWith('with an explicit deny in a permissions boundary'),
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation due to a permission boundary',
  },
  {
    matches: unauthorizedWith('with an explicit deny in a service control policy'),
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation due to a service control policy',
  },
  {
    matches: unauthorizedWith('Not authorized for images'),
    reason: 'AMIAuthorizationFailure',
    message: 'User is not authorized for AMI used in instance launch',
  },
  {
    matches: unauthorizedWith(''),
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation because no identity-based policy allows it',
  },
  {
    matches: has('InvalidParameter', 'belong to different networks'),
    reason: 'SecurityGroupSubnetVPCMismatch',
    message: 'Security groups and subnets must be in the same VPC.',
  },
  {
    matches: has('iamInstanceProfile.name is invalid'),
    reason: 'InstanceProfileNameInvalid',
    message: 'Instance profile name used from EC2NodeClass status does not exist',
  },
  {
    matches: has('InvalidLaunchTemplateId.NotFound'),
    reason: 'LaunchTemplateNotFound',
    message: "Launch template used for instance launch wasn't found",
  },
  {
    matches: has('User data is limited to'),
    reason: 'UserDataSizeLimitExceeded',
    message: 'Rendered user data exceeds the EC2 user data size limit',
  },
  {
    matches: has('InvalidAMIID.Malformed'),
    reason: 'InvalidAMIID',
    message: 'AMI used for instance launch is invalid',
  },
  {
    matches: has('InvalidAMIID.NotFound'),
    reason: 'AMINotFound',
    message: "AMI used for instance launch either does not exist or you don't have permissions to use it",
  },
  { matches: has('RequestLimitExceeded'), reason: 'RequestLimitExceeded', message: 'Request limit exceeded' },
  { matches: has('InternalError'), reason: 'InternalError', message: 'An internal error has occurred' },
  {
    matches: has('not eligible for Free Tier'),
    reason: 'FreeTierIneligible',
    message: 'The specified instance type is not eligible for Free Tier',
  },
  {
    matches: has('MaxFleetCountExceeded'),
    reason: 'FleetQuotaExceeded',
    message: 'A fleet launch was requested but this would exceed your fleet request quota',
  },
  {
    matches: has('PendingVerification'),
    reason: 'AccountPendingVerification',
    message:
      'An instance launch was requested but the request for launching resources in this region is still being verified',
  },
  {
    matches: has('MaxSpotInstanceCountExceeded'),
    reason: 'SpotQuotaExceeded',
    message: 'A spot instance launch was requested but this would exceed your spot instance quota',
  },
  {
    matches: has('VcpuLimitExceeded'),
    reason: 'VCPULimitExceeded',
    message: 'An instance was requested that would exceed your VCPU quota',
  },
  {
    matches: has('InsufficientFreeAddressesInSubnet'),
    reason: 'InsufficientFreeAddressesInSubnet',
    message: 'There are not enough free IP addresses to launch an instance in this subnet',
  },
]

const otherwise: LaunchFailure = { reason: 'LaunchFailed', message: 'Instance launch failed' }

export function toLaunchFailure(error: unknown): LaunchFailure {
  return toLaunchFailureText(typeof error === 'string' ? error : causeChainText(error))
}

function toLaunchFailureText(text: string): LaunchFailure {
  const { reason, message } = rules.find((rule) => rule.matches(text)) ?? otherwise
  return { reason, message }
}
