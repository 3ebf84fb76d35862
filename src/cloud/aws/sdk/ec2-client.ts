import * as sdk from '@aws-sdk/client-ec2'
import type { Call, EC2Client } from '../clients.ts'
import { type Invoker, toCall } from './invoke.ts'
import type { ClientConfig } from './sdk-config.ts'

export function createEC2Client(invoker: Invoker, config: ClientConfig): EC2Client {
  const retrying = new sdk.EC2Client(config)
  // Dry runs answer with a refusal that must be seen at once.
  const once = new sdk.EC2Client({ ...config, maxAttempts: 1 })
  const call = <Input, Output extends object>(
    action: string,
    send: (client: sdk.EC2Client, input: Input, options: { abortSignal: AbortSignal }) => Promise<Output>,
  ): Call<Input, Output> =>
    toCall(invoker, {
      service: 'ec2',
      action,
      send: (input: Input, { abortSignal, retry }) => send(retry === 'never' ? once : retrying, input, { abortSignal }),
    })
  return {
    describeInstanceTypes: call('DescribeInstanceTypes', (client, input: sdk.DescribeInstanceTypesRequest, options) =>
      client.send(new sdk.DescribeInstanceTypesCommand(input), options),
    ),
    describeInstanceTypeOfferings: call(
      'DescribeInstanceTypeOfferings',
      (client, input: sdk.DescribeInstanceTypeOfferingsRequest, options) =>
        client.send(new sdk.DescribeInstanceTypeOfferingsCommand(input), options),
    ),
    describeSubnets: call('DescribeSubnets', (client, input: sdk.DescribeSubnetsRequest, options) =>
      client.send(new sdk.DescribeSubnetsCommand(input), options),
    ),
    describeSecurityGroups: call(
      'DescribeSecurityGroups',
      (client, input: sdk.DescribeSecurityGroupsRequest, options) =>
        client.send(new sdk.DescribeSecurityGroupsCommand(input), options),
    ),
    describeImages: call('DescribeImages', (client, input: sdk.DescribeImagesRequest, options) =>
      client.send(new sdk.DescribeImagesCommand(input), options),
    ),
    describeSpotPriceHistory: call(
      'DescribeSpotPriceHistory',
      (client, input: sdk.DescribeSpotPriceHistoryRequest, options) =>
        client.send(new sdk.DescribeSpotPriceHistoryCommand(input), options),
    ),
    describeCapacityReservations: call(
      'DescribeCapacityReservations',
      (client, input: sdk.DescribeCapacityReservationsRequest, options) =>
        client.send(new sdk.DescribeCapacityReservationsCommand(input), options),
    ),
    describePlacementGroups: call(
      'DescribePlacementGroups',
      (client, input: sdk.DescribePlacementGroupsRequest, options) =>
        client.send(new sdk.DescribePlacementGroupsCommand(input), options),
    ),
    describeLaunchTemplates: call(
      'DescribeLaunchTemplates',
      (client, input: sdk.DescribeLaunchTemplatesRequest, options) =>
        client.send(new sdk.DescribeLaunchTemplatesCommand(input), options),
    ),
    createLaunchTemplate: call('CreateLaunchTemplate', (client, input: sdk.CreateLaunchTemplateRequest, options) =>
      client.send(new sdk.CreateLaunchTemplateCommand(input), options),
    ),
    deleteLaunchTemplate: call('DeleteLaunchTemplate', (client, input: sdk.DeleteLaunchTemplateRequest, options) =>
      client.send(new sdk.DeleteLaunchTemplateCommand(input), options),
    ),
    createFleet: call('CreateFleet', (client, input: sdk.CreateFleetRequest, options) =>
      client.send(new sdk.CreateFleetCommand(input), options),
    ),
    runInstances: call('RunInstances', (client, input: sdk.RunInstancesRequest, options) =>
      client.send(new sdk.RunInstancesCommand(input), options),
    ),
    describeInstances: call('DescribeInstances', (client, input: sdk.DescribeInstancesRequest, options) =>
      client.send(new sdk.DescribeInstancesCommand(input), options),
    ),
    describeInstanceStatus: call(
      'DescribeInstanceStatus',
      (client, input: sdk.DescribeInstanceStatusRequest, options) =>
        client.send(new sdk.DescribeInstanceStatusCommand(input), options),
    ),
    terminateInstances: call('TerminateInstances', (client, input: sdk.TerminateInstancesRequest, options) =>
      client.send(new sdk.TerminateInstancesCommand(input), options),
    ),
    createTags: call('CreateTags', (client, input: sdk.CreateTagsRequest, options) =>
      client.send(new sdk.CreateTagsCommand(input), options),
    ),
  }
}
