import type * as ec2 from '@aws-sdk/client-ec2'
import type * as eks from '@aws-sdk/client-eks'
import type * as iam from '@aws-sdk/client-iam'
import type * as pricing from '@aws-sdk/client-pricing'
import type * as sqs from '@aws-sdk/client-sqs'
import type * as ssm from '@aws-sdk/client-ssm'
import type * as sts from '@aws-sdk/client-sts'

/**
 * The calls this project makes, typed by the SDK's own inputs and outputs. One method is one request, so paging is visible to the
 * simulation and to metrics. Behind them stand the SDK clients in production and the simulated AWS in the embedded cluster; both
 * reject with errors whose `name` is the service's code (`InsufficientInstanceCapacity`, `NoSuchEntityException` …).
 */
export interface AWSClients {
  readonly region: string
  readonly ec2: EC2Client
  readonly ssm: SSMClient
  readonly iam: IAMClient
  readonly sqs: SQSClient
  readonly pricing: PricingClient
  readonly eks: EKSClient
  readonly sts: STSClient
  /** Absent unless zonal shift is enabled. */
  readonly zonalShift?: ZonalShiftClient
}

export interface AWSCallOptions {
  readonly signal?: AbortSignal
  /** For dry runs, whose refusals must be seen at once. */
  readonly retry?: 'never'
}

export type Call<Input, Output> = (input: Input, options?: AWSCallOptions) => Promise<Output>

export interface EC2Client {
  describeInstanceTypes: Call<ec2.DescribeInstanceTypesRequest, ec2.DescribeInstanceTypesResult>
  describeInstanceTypeOfferings: Call<ec2.DescribeInstanceTypeOfferingsRequest, ec2.DescribeInstanceTypeOfferingsResult>
  describeSubnets: Call<ec2.DescribeSubnetsRequest, ec2.DescribeSubnetsResult>
  describeSecurityGroups: Call<ec2.DescribeSecurityGroupsRequest, ec2.DescribeSecurityGroupsResult>
  describeImages: Call<ec2.DescribeImagesRequest, ec2.DescribeImagesResult>
  describeSpotPriceHistory: Call<ec2.DescribeSpotPriceHistoryRequest, ec2.DescribeSpotPriceHistoryResult>
  describeCapacityReservations: Call<ec2.DescribeCapacityReservationsRequest, ec2.DescribeCapacityReservationsResult>
  describePlacementGroups: Call<ec2.DescribePlacementGroupsRequest, ec2.DescribePlacementGroupsResult>
  describeLaunchTemplates: Call<ec2.DescribeLaunchTemplatesRequest, ec2.DescribeLaunchTemplatesResult>
  createLaunchTemplate: Call<ec2.CreateLaunchTemplateRequest, ec2.CreateLaunchTemplateResult>
  deleteLaunchTemplate: Call<ec2.DeleteLaunchTemplateRequest, ec2.DeleteLaunchTemplateResult>
  createFleet: Call<ec2.CreateFleetRequest, ec2.CreateFleetResult>
  /** Dry runs only. */
  runInstances: Call<ec2.RunInstancesRequest, ec2.Reservation>
  describeInstances: Call<ec2.DescribeInstancesRequest, ec2.DescribeInstancesResult>
  describeInstanceStatus: Call<ec2.DescribeInstanceStatusRequest, ec2.DescribeInstanceStatusResult>
  terminateInstances: Call<ec2.TerminateInstancesRequest, ec2.TerminateInstancesResult>
  createTags: Call<ec2.CreateTagsRequest, object>
}

export interface SSMClient {
  getParameter: Call<ssm.GetParameterRequest, ssm.GetParameterResult>
}

export interface IAMClient {
  getInstanceProfile: Call<iam.GetInstanceProfileRequest, iam.GetInstanceProfileResponse>
  createInstanceProfile: Call<iam.CreateInstanceProfileRequest, iam.CreateInstanceProfileResponse>
  deleteInstanceProfile: Call<iam.DeleteInstanceProfileRequest, object>
  addRoleToInstanceProfile: Call<iam.AddRoleToInstanceProfileRequest, object>
  removeRoleFromInstanceProfile: Call<iam.RemoveRoleFromInstanceProfileRequest, object>
  listInstanceProfiles: Call<iam.ListInstanceProfilesRequest, iam.ListInstanceProfilesResponse>
}

export interface SQSClient {
  getQueueUrl: Call<sqs.GetQueueUrlRequest, sqs.GetQueueUrlResult>
  receiveMessage: Call<sqs.ReceiveMessageRequest, sqs.ReceiveMessageResult>
  deleteMessage: Call<sqs.DeleteMessageRequest, object>
}

export interface PricingClient {
  getProducts: Call<pricing.GetProductsRequest, pricing.GetProductsResponse>
}

export interface EKSClient {
  describeCluster: Call<eks.DescribeClusterRequest, eks.DescribeClusterResponse>
}

export interface STSClient {
  getCallerIdentity: Call<sts.GetCallerIdentityRequest, sts.GetCallerIdentityResponse>
}

/** ARC zonal shift, in the shape of its GetManagedResource. */
export interface ZonalShiftClient {
  getManagedResource: Call<{ resourceIdentifier: string }, ManagedResource>
}

export interface ManagedResource {
  readonly zonalShifts: readonly {
    readonly awayFrom: string
    readonly expiryTime: Date
    readonly appliedStatus: string
  }[]
  /** Those that AWS has begun by itself, and ends by itself. */
  readonly autoshifts?: readonly { readonly awayFrom: string; readonly appliedStatus: string }[]
}
