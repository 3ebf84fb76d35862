import { EC2Client as SDKEC2Client } from '@aws-sdk/client-ec2'
import { DescribeClusterCommand, type DescribeClusterRequest, EKSClient } from '@aws-sdk/client-eks'
import { GetProductsCommand, type GetProductsRequest, PricingClient } from '@aws-sdk/client-pricing'
import {
  DeleteMessageCommand,
  type DeleteMessageRequest,
  GetQueueUrlCommand,
  type GetQueueUrlRequest,
  ReceiveMessageCommand,
  type ReceiveMessageRequest,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { GetParameterCommand, type GetParameterRequest, SSMClient } from '@aws-sdk/client-ssm'
import { GetCallerIdentityCommand, type GetCallerIdentityRequest, STSClient } from '@aws-sdk/client-sts'
import type { Metrics } from '../../kube/metrics.ts'
import type { Clock } from '../../model/clock.ts'
import type { AWSClients, Call } from './clients.ts'
import { pricingRegion } from './pricing/pricing-provider.ts'
import { observeAttempts } from './sdk/attempt-observer.ts'
import { CallObserver } from './sdk/call-observer.ts'
import { createEC2Client } from './sdk/ec2-client.ts'
import { createIAMClient } from './sdk/iam-client.ts'
import { type Invoker, toCall } from './sdk/invoke.ts'
import { type AWSService, RateLimits } from './sdk/rate-limits.ts'
import { regionFromEnvironment, regionFromMetadata } from './sdk/region.ts'
import { clientConfig, type SDKOptions } from './sdk/sdk-config.ts'
import { createZonalShiftClient } from './sdk/zonal-shift-client.ts'

export interface SDKClientOptions extends SDKOptions {
  readonly clock: Clock
  readonly metrics: Metrics
  readonly enableZonalShift: boolean
}

/** A long poll takes twenty seconds by itself. */
const receiveTimeoutMs = 40_000

/**
 * The calls of `AWSClients` on the real AWS.
 * @throws RegionError, CABundleError
 */
export async function createSDKClients(options: SDKClientOptions): Promise<AWSClients> {
  const region =
    options.region ??
    regionFromEnvironment(options.env) ??
    (await configuredRegion()) ??
    (await regionFromMetadata(options.metadataEndpoint))
  const invoker: Invoker = {
    clock: options.clock,
    limits: new RateLimits(),
    observer: new CallObserver(options.metrics),
  }
  const ssm = new SSMClient(clientConfig('ssm', region, options))
  // The URL of a queue names the service's public host, also where requests are to take a private endpoint.
  const sqs = new SQSClient({ ...clientConfig('sqs', region, options), useQueueUrlAsEndpoint: false })
  const pricing = new PricingClient(clientConfig('pricing', pricingRegion(region), options))
  const eks = new EKSClient(clientConfig('eks', region, options))
  const sts = new STSClient(clientConfig('sts', region, options))
  observeAttempts(ssm, 'ssm', invoker)
  observeAttempts(sqs, 'sqs', invoker)
  observeAttempts(pricing, 'pricing', invoker)
  observeAttempts(eks, 'eks', invoker)
  observeAttempts(sts, 'sts', invoker)
  const call = <Input, Output extends object>(
    service: AWSService,
    action: string,
    send: (input: Input, options: { readonly abortSignal: AbortSignal }) => Promise<Output>,
  ): Call<Input, Output> =>
    toCall(invoker, { service, action, send: (input, { abortSignal }) => send(input, { abortSignal }) })
  return {
    region,
    ec2: createEC2Client(invoker, clientConfig('ec2', region, options)),
    iam: createIAMClient(invoker, clientConfig('iam', region, options)),
    ssm: {
      getParameter: call('ssm', 'GetParameter', (input: GetParameterRequest, sendOptions) =>
        ssm.send(new GetParameterCommand(input), sendOptions),
      ),
    },
    sqs: {
      getQueueUrl: call('sqs', 'GetQueueUrl', (input: GetQueueUrlRequest, sendOptions) =>
        sqs.send(new GetQueueUrlCommand(input), sendOptions),
      ),
      receiveMessage: toCall(invoker, {
        service: 'sqs',
        action: 'ReceiveMessage',
        timeoutMs: receiveTimeoutMs,
        send: (input: ReceiveMessageRequest, { abortSignal }) =>
          sqs.send(new ReceiveMessageCommand(input), { abortSignal }),
      }),
      deleteMessage: call('sqs', 'DeleteMessage', (input: DeleteMessageRequest, sendOptions) =>
        sqs.send(new DeleteMessageCommand(input), sendOptions),
      ),
    },
    pricing: {
      getProducts: call('pricing', 'GetProducts', (input: GetProductsRequest, sendOptions) =>
        pricing.send(new GetProductsCommand(input), sendOptions),
      ),
    },
    eks: {
      describeCluster: call('eks', 'DescribeCluster', (input: DescribeClusterRequest, sendOptions) =>
        eks.send(new DescribeClusterCommand(input), sendOptions),
      ),
    },
    sts: {
      getCallerIdentity: call('sts', 'GetCallerIdentity', (input: GetCallerIdentityRequest, sendOptions) =>
        sts.send(new GetCallerIdentityCommand(input), sendOptions),
      ),
    },
    ...(options.enableZonalShift ? { zonalShift: createZonalShiftClient(invoker, region, options) } : {}),
  }
}

/** What the SDK finds in the shared configuration. */
async function configuredRegion(): Promise<string | undefined> {
  try {
    return await new SDKEC2Client({}).config.region()
  } catch {
    return undefined
  }
}
