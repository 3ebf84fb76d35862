import type { Message } from '@aws-sdk/client-sqs'
import type { AWSMetrics } from '../../cloud/aws/metric-table.ts'
import type { SQSClient } from '../../cloud/aws/clients.ts'
import { done, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import type { Logger } from '../../kube/logger.ts'
import type { Clock } from '../../model/clock.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import type { InterruptionHandler } from './handler.ts'
import { accountOfQueue, isForeign, parseMessage } from './messages.ts'

export interface InterruptionQueueDeps {
  readonly sqs: SQSClient
  readonly clock: Clock
  readonly queueName: string
  readonly region: string
  readonly handler: InterruptionHandler
  readonly metrics: Pick<AWSMetrics, 'receivedMessages' | 'deletedMessages' | 'messageQueueDuration'>
}

/** SQS gives at most ten at once; long polling makes an empty queue cost three calls a minute. */
const messagesMax = 10
const pollSeconds = 20
/** A message that is not done with comes back after so long. */
const visibilitySeconds = 20

/** A spot machine goes two minutes after its warning: after an outage the queue is read while there is still time to drain. */
const retryMsMax = 10_000

/** While batches come full, so many polls run side by side: one at a time would be bound by SQS's round trips. */
const pollersMax = 16

/** Reads the interruption queue for as long as the process leads. */
export function interruptionController(deps: InterruptionQueueDeps): SingletonController {
  let queueURL: string | undefined
  let pollers = 1
  return {
    name: 'interruption',
    rateLimit: { baseMs: 5, maxMs: retryMsMax },
    async reconcile({ log, signal, stopping }) {
      queueURL ??= (await deps.sqs.getQueueUrl({ QueueName: deps.queueName }, { signal })).QueueUrl
      if (queueURL === undefined) throw new Error(`the queue ${deps.queueName} has no URL`)
      const url = queueURL
      const polls = Array.from({ length: pollers }, () => pollOnce(deps, url, log, stopping))
      // Also where one has failed, all are waited for: the next try would set as many more beside those that go on.
      const results = await Promise.allSettled(polls)
      if (stopping.aborted) return done
      const areFull = results.every((result) => result.status === 'fulfilled' && result.value === messagesMax)
      pollers = areFull ? Math.min(pollersMax, pollers * 2) : 1
      throwRejections(results)
      return requeueAfter(0)
    },
  }
}

/** The number of messages that came, handled or not. */
async function pollOnce(deps: InterruptionQueueDeps, url: string, log: Logger, stopping: AbortSignal): Promise<number> {
  const messages = await receive(deps, url, stopping).catch((error: unknown) => {
    if (stopping.aborted) return []
    throw error
  })
  const outcomes = await Promise.allSettled(messages.map((message) => handleMessage(deps, url, message, log)))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'failed handling interruption message')
  }
  return messages.length
}

async function receive({ sqs }: InterruptionQueueDeps, url: string, signal: AbortSignal): Promise<readonly Message[]> {
  const answer = await sqs.receiveMessage(
    {
      QueueUrl: url,
      MaxNumberOfMessages: messagesMax,
      VisibilityTimeout: visibilitySeconds,
      WaitTimeSeconds: pollSeconds,
      MessageSystemAttributeNames: ['SentTimestamp'],
      MessageAttributeNames: ['All'],
    },
    { signal },
  )
  return answer.Messages ?? []
}

async function handleMessage(deps: InterruptionQueueDeps, url: string, raw: Message, log: Logger): Promise<void> {
  const { handler, metrics, clock } = deps
  const parsed = parseMessage(raw.Body)
  if (parsed.kind === 'unparsable') {
    log.error({ err: parsed.error, 'message-id': raw.MessageId }, 'failed parsing interruption message')
    await deleteMessage(deps, url, raw)
    return
  }
  const { kind, instanceIDs, sentAt, origin } = parsed.message
  if (isForeign(origin, { account: accountOfQueue(url), region: deps.region })) {
    metrics.receivedMessages.increment({ message_type: 'no_op' })
    log.info(
      { ...origin, messageKind: kind, 'message-id': raw.MessageId },
      'ignoring interruption message from elsewhere',
    )
    await deleteMessage(deps, url, raw)
    return
  }
  metrics.receivedMessages.increment({ message_type: kind })
  const outcome = await handler.handle(kind, instanceIDs, log.child({ queue: deps.queueName, messageKind: kind }))
  if (outcome === 'again') return
  if (sentAt !== undefined) metrics.messageQueueDuration.observe({}, Math.max(0, clock.now() - sentAt) / 1_000)
  await deleteMessage(deps, url, raw)
}

async function deleteMessage({ sqs, metrics }: InterruptionQueueDeps, QueueUrl: string, raw: Message): Promise<void> {
  if (raw.ReceiptHandle === undefined) return
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: raw.ReceiptHandle })
  metrics.deletedMessages.increment()
}
