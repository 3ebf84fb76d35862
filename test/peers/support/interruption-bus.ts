import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterName, credentials, type MotoAccount, region } from './moto-account.ts'
import { createQueue, type MotoQueue } from './moto-queue.ts'

const rulesPath = join(import.meta.dirname, '..', '..', '..', 'manifests', 'iam', 'interruption-rules.json')

export interface AWSEvent {
  readonly source: 'aws.ec2' | 'aws.health'
  readonly type: string
  readonly detail: object
}

/** The shipped EventBridge rules and the queue they feed, in moto. */
export interface InterruptionBus {
  readonly queue: MotoQueue
  /** As AWS itself does it: to the default bus, whose rules decide what reaches the queue. */
  publish(event: AWSEvent): Promise<void>
}

export async function startInterruptionBus(account: MotoAccount): Promise<InterruptionBus> {
  const queue = await createQueue(account, `${clusterName}-interruptions`)
  const rules = JSON.parse((await readFile(rulesPath, 'utf8')).replaceAll('${CLUSTER_NAME}', clusterName)) as {
    Name: string
    EventPattern: object
  }[]
  for (const { Name, EventPattern } of rules) {
    await events(account, 'PutRule', { Name, EventPattern: JSON.stringify(EventPattern) })
    await events(account, 'PutTargets', { Rule: Name, Targets: [{ Id: 'queue', Arn: queue.arn }] })
  }
  return {
    queue,
    publish: async ({ source, type, detail }) => {
      const entry = { Source: source, DetailType: type, Detail: JSON.stringify(detail) }
      const answer = (await events(account, 'PutEvents', { Entries: [entry] })) as { FailedEntryCount?: number }
      if (answer.FailedEntryCount !== 0) throw new Error(`PutEvents: ${JSON.stringify(answer)}`)
    },
  }
}

/** EventBridge's JSON protocol; its SDK client is not among our dependencies, and moto checks no signature. */
async function events(account: MotoAccount, action: string, body: object): Promise<unknown> {
  const scope = `${credentials.accessKeyId}/20260101/${region}/events/aws4_request`
  const answer = await fetch(account.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSEvents.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`)
  const text = await answer.text()
  return text === '' ? {} : JSON.parse(text)
}
