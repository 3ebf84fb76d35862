import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { createSDKClients } from '../../../src/cloud/aws/index.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { awsPortContract } from '../../contracts/aws-port.ts'
import {
  aliasParameter,
  clusterName,
  credentials,
  nodeRole,
  region,
  releases,
  startMotoAccount,
} from '../support/moto-account.ts'
import { describeWithPeers } from '../support/peers.ts'

const kubernetesVersion = '1.33'

await describeWithPeers('the contract of the AWS port', ['moto'], () => {
  awsPortContract('moto, by the SDK over HTTP', async () => {
    const account = await startMotoAccount(kubernetesVersion)
    // The default chain looks here first.
    process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId
    process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey
    const { endpoint } = account
    const clients = await createSDKClients({
      clock: systemClock(),
      metrics: createPrometheusMetrics({ processMetrics: false }),
      enableZonalShift: false,
      version: 'test',
      region,
      endpoints: { ec2: endpoint, iam: endpoint, ssm: endpoint, sqs: endpoint, eks: endpoint, sts: endpoint },
    })
    const sqs = new SQSClient({ endpoint, region, credentials })
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'contract' }))
    return {
      clients,
      discovery: { Key: 'karpenter.sh/discovery', Value: clusterName },
      clusterName,
      kubernetesVersion,
      image: {
        id: releases.v20260101,
        name: `amazon-eks-node-al2023-x86_64-standard-${kubernetesVersion}-v20260101`,
        parameter: aliasParameter(kubernetesVersion, 'v20260101'),
      },
      role: nodeRole,
      queue: {
        name: 'contract',
        send: async (MessageBody) => {
          await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
        },
      },
      // moto's instances are in their next state at once.
      pause: async () => undefined,
      stop: async () => {
        sqs.destroy()
        await account.stop()
      },
    }
  })
})
