import type * as sqs from '@aws-sdk/client-sqs'
import type { SQSClient } from '../../cloud/aws/clients.ts'
import type { Account } from './account.ts'
import { AWSError } from './errors.ts'
import type { Handlers } from './service.ts'
import type { QueueRecord } from './state.ts'

/** Queues with visibility time-outs and long polls, which wake as soon as something arrives. */
export class Queues {
  readonly #account: Account
  readonly #waiting = new Set<() => void>()

  constructor(account: Account) {
    this.#account = account
  }

  create(name: string): void {
    if (this.#account.state.queues.some((queue) => queue.name === name)) return
    this.#account.state.queues.push({ name, messages: [] })
  }

  /** Puts a message into every queue, or into the named one. */
  send(body: string, queueName?: string): void {
    const { clock, random, state } = this.#account
    for (const queue of state.queues) {
      if (queueName !== undefined && queue.name !== queueName) continue
      queue.messages.push({ id: random.uuid(), body, sentAt: clock.now(), visibleAt: clock.now(), receives: 0 })
    }
    for (const wake of [...this.#waiting]) wake()
  }

  handlers(): Handlers<SQSClient> {
    return {
      getQueueUrl: (input) => ({ QueueUrl: this.#urlOf(this.#byName(input.QueueName ?? '').name) }),
      receiveMessage: async (input) => {
        const queue = this.#byURL(input.QueueUrl)
        const { clock } = this.#account
        const until = clock.now() + (input.WaitTimeSeconds ?? 0) * 1000
        for (;;) {
          const messages = this.#take(queue, input)
          if (messages.length > 0 || clock.now() >= until) return messages.length > 0 ? { Messages: messages } : {}
          await this.#nextArrival(queue, until - clock.now())
        }
      },
      deleteMessage: (input) => {
        const queue = this.#byURL(input.QueueUrl)
        queue.messages = queue.messages.filter(
          ({ receipt }) => receipt === undefined || receipt !== input.ReceiptHandle,
        )
        return {}
      },
    }
  }

  #take(queue: QueueRecord, input: sqs.ReceiveMessageRequest): sqs.Message[] {
    const { clock, random } = this.#account
    const now = clock.now()
    const visible = queue.messages.filter(({ visibleAt }) => visibleAt <= now)
    return visible.slice(0, input.MaxNumberOfMessages ?? 1).map((message) => {
      message.visibleAt = now + (input.VisibilityTimeout ?? 30) * 1000
      message.receipt = random.hex(32)
      message.receives += 1
      return {
        MessageId: message.id,
        ReceiptHandle: message.receipt,
        Body: message.body,
        Attributes: { SentTimestamp: String(message.sentAt), ApproximateReceiveCount: String(message.receives) },
      }
    })
  }

  /** Resolves when a message arrives, becomes visible again, or the time is over. */
  #nextArrival(queue: QueueRecord, withinMs: number): Promise<void> {
    const { clock } = this.#account
    const hidden = queue.messages.map(({ visibleAt }) => Math.max(1, visibleAt - clock.now()))
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        timer.cancel()
        resolve()
      }
      const timer = clock.schedule(Math.min(withinMs, ...hidden), wake)
      this.#waiting.add(wake)
    })
  }

  #urlOf(name: string): string {
    return `https://sqs.${this.#account.region.name}.amazonaws.com/${this.#account.id}/${name}`
  }

  #byName(name: string): QueueRecord {
    const found = this.#account.state.queues.find((queue) => queue.name === name)
    if (found !== undefined) return found
    throw new AWSError('QueueDoesNotExist', 'The specified queue does not exist.', {
      service: 'SQS',
      code: 'AWS.SimpleQueueService.NonExistentQueue',
    })
  }

  #byURL(url: string | undefined): QueueRecord {
    return this.#byName(url?.split('/').at(-1) ?? '')
  }
}
