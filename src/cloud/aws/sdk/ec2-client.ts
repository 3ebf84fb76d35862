import * as sdk from '@aws-sdk/client-ec2'
import type { Call, EC2Client } from '../clients.ts'
import { observeAttempts } from './attempt-observer.ts'
import { type Invoker, toCall } from './invoke.ts'
import { type ClientConfig, requestTimeoutMs } from './sdk-config.ts'

type CommandClass<Input extends sdk.ServiceInputTypes, Output extends sdk.ServiceOutputTypes> = new (
  input: Input,
) => Parameters<typeof sdk.EC2Client.prototype.send<Input, Output>>[0]

/** A fleet that is given up EC2 still makes, and its claims are launched a second time. It ends before the five minutes that a launch has. */
const fleetTimeoutMs = requestTimeoutMs

export function createEC2Client(invoker: Invoker, config: ClientConfig): EC2Client {
  const service = 'ec2'
  const retrying = new sdk.EC2Client(config)
  // Dry runs answer with a refusal that must be seen at once.
  const once = new sdk.EC2Client({ ...config, maxAttempts: 1 })
  for (const client of [retrying, once]) observeAttempts(client, service, invoker)
  const call = <Input extends sdk.ServiceInputTypes, Output extends sdk.ServiceOutputTypes>(
    action: string,
    Command: CommandClass<Input, Output>,
    more: { readonly timeoutMs?: number } = {},
  ): Call<Input, Output> =>
    toCall(invoker, {
      service,
      action,
      ...more,
      send: (input, { abortSignal, retry }) =>
        (retry === 'never' ? once : retrying).send(new Command(input), { abortSignal }),
    })
  return {
    describeInstanceTypes: call('DescribeInstanceTypes', sdk.DescribeInstanceTypesCommand),
    describeInstanceTypeOfferings: call('DescribeInstanceTypeOfferings', sdk.DescribeInstanceTypeOfferingsCommand),
    describeSubnets: call('DescribeSubnets', sdk.DescribeSubnetsCommand),
    describeSecurityGroups: call('DescribeSecurityGroups', sdk.DescribeSecurityGroupsCommand),
    describeImages: call('DescribeImages', sdk.DescribeImagesCommand),
    describeSpotPriceHistory: call('DescribeSpotPriceHistory', sdk.DescribeSpotPriceHistoryCommand),
    describeCapacityReservations: call('DescribeCapacityReservations', sdk.DescribeCapacityReservationsCommand),
    describePlacementGroups: call('DescribePlacementGroups', sdk.DescribePlacementGroupsCommand),
    describeLaunchTemplates: call('DescribeLaunchTemplates', sdk.DescribeLaunchTemplatesCommand),
    createLaunchTemplate: call('CreateLaunchTemplate', sdk.CreateLaunchTemplateCommand),
    deleteLaunchTemplate: call('DeleteLaunchTemplate', sdk.DeleteLaunchTemplateCommand),
    createFleet: call('CreateFleet', sdk.CreateFleetCommand, { timeoutMs: fleetTimeoutMs }),
    runInstances: call('RunInstances', sdk.RunInstancesCommand),
    describeInstances: call('DescribeInstances', sdk.DescribeInstancesCommand),
    describeInstanceStatus: call('DescribeInstanceStatus', sdk.DescribeInstanceStatusCommand),
    terminateInstances: call('TerminateInstances', sdk.TerminateInstancesCommand),
    createTags: call('CreateTags', sdk.CreateTagsCommand),
  }
}
