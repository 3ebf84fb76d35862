/**
 * A refusal as the SDK surfaces it: `name` is the service's code, `$fault` says whose mistake it was. IAM and SQS have a second
 * spelling in `Code`.
 */
export class AWSError extends Error {
  readonly Code: string
  readonly $fault: 'client' | 'server'
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string }
  readonly $service: string

  constructor(
    name: string,
    message: string,
    more: { service?: string; status?: number; code?: string; requestId?: string } = {},
  ) {
    super(message)
    const status = more.status ?? 400
    this.name = name
    this.Code = more.code ?? name
    this.$fault = status >= 500 ? 'server' : 'client'
    this.$metadata = { httpStatusCode: status, requestId: more.requestId ?? '00000000-0000-4000-8000-000000000000' }
    this.$service = more.service ?? 'EC2'
  }
}

export const notFound = {
  instance: (id: string) => new AWSError('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`),
  launchTemplateName: (name: string) =>
    new AWSError(
      'InvalidLaunchTemplateName.NotFoundException',
      `The specified launch template, with template name ${name}, does not exist.`,
    ),
  launchTemplateID: (id: string) =>
    new AWSError(
      'InvalidLaunchTemplateId.NotFound',
      `The specified launch template, with template ID ${id}, does not exist.`,
    ),
  image: (id: string) => new AWSError('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`),
  subnet: (id: string) => new AWSError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`),
  securityGroup: (id: string) => new AWSError('InvalidGroup.NotFound', `The security group '${id}' does not exist`),
  capacityReservation: (id: string) =>
    new AWSError('InvalidCapacityReservationId.NotFound', `The capacity reservation ID '${id}' does not exist`),
  placementGroup: (name: string) =>
    new AWSError('InvalidPlacementGroup.Unknown', `The placement group '${name}' is unknown.`),
}

export const dryRunOperation = () =>
  new AWSError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', { status: 412 })

export const unauthorized = (action: string, because = 'because no identity-based policy allows the action') =>
  new AWSError(
    'UnauthorizedOperation',
    `You are not authorized to perform this operation. User: arn:aws:sts::111122223333:assumed-role/controller/1 is not authorized to perform: ${action} ${because}`,
    { status: 403 },
  )

export const throttled = () => new AWSError('RequestLimitExceeded', 'Request limit exceeded.', { status: 503 })

export const internalError = () => new AWSError('InternalError', 'An internal error has occurred', { status: 500 })

export function invalidParameter(message: string): AWSError {
  return new AWSError('InvalidParameterValue', message)
}
