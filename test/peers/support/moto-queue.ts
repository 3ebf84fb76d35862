import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { credentials, type MotoAccount, region } from './moto-account.ts'

/** A queue in moto, from its sender's side. */
export interface MotoQueue {
  readonly name: string
  readonly arn: string
  send(body: string): Promise<void>
  /** Messages waiting, and in the hands of a receiver. */
  depth(): Promise<number>
  stop(): void
}

export async function createQueue(account: MotoAccount, name: string): Promise<MotoQueue> {
  const sqs = new SQSClient({ endpoint: account.endpoint, region, credentials })
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }))
  const attributes = async (...AttributeNames: ('QueueArn' | CountName)[]) =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ?? {}
  const { QueueArn = '' } = await attributes('QueueArn')
  return {
    name,
    arn: QueueArn,
    send: async (MessageBody) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    },
    depth: async () => {
      const counts = await attributes('ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible')
      return Object.values(counts).reduce((sum, count) => sum + Number(count), 0)
    },
    stop: () => sqs.destroy(),
  }
}

type CountName = 'ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible'
