import { messageOf } from '../../api/error-text.ts'
import { isRecord, textOf } from '../../api/json.ts'

/** What an EventBridge message on the queue says. */
interface InterruptionMessage {
  readonly kind: MessageKind
  readonly instanceIDs: readonly string[]
  /** Milliseconds since the epoch; undefined when the message has no readable time. */
  readonly sentAt: number | undefined
  readonly origin: Origin
}

/** Where a message comes from. What it does not say is undefined: forwarders may leave it out. */
export interface Origin {
  readonly account: string | undefined
  readonly region: string | undefined
}

type MessageKind =
  | 'spot_interrupted'
  | 'rebalance_recommendation'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'scheduled_change'
  | 'capacity_reservation_interrupted'
  | 'no_op'

/** Kinds that the polling of instance status adds. */
export type InterruptionKind = MessageKind | 'instance_status' | 'system_status' | 'event_status'

export type ParsedMessage =
  | { readonly kind: 'message'; readonly message: InterruptionMessage }
  | { readonly kind: 'unparsable'; readonly error: string }

type DetailParser = (detail: Detail) => Pick<InterruptionMessage, 'kind' | 'instanceIDs'>
type Detail = Readonly<Record<string, unknown>>

const stateKinds: Readonly<Record<string, MessageKind>> = {
  stopping: 'instance_stopped',
  stopped: 'instance_stopped',
  'shutting-down': 'instance_terminated',
  terminated: 'instance_terminated',
}

const oneInstance =
  (kind: MessageKind): DetailParser =>
  (detail) => ({ kind, instanceIDs: idsIn(detail['instance-id']) })

/** By version, source and detail-type; what is not here is for others and is dropped. */
const parsers: Readonly<Record<string, DetailParser>> = {
  '0/aws.ec2/EC2 Spot Instance Interruption Warning': oneInstance('spot_interrupted'),
  '0/aws.ec2/EC2 Instance Rebalance Recommendation': oneInstance('rebalance_recommendation'),
  '0/aws.ec2/EC2 Instance State-change Notification': (detail) => {
    const state = typeof detail['state'] === 'string' ? detail['state'].toLowerCase() : ''
    const kind = Object.hasOwn(stateKinds, state) ? stateKinds[state] : undefined
    return kind === undefined ? noOp : { kind, instanceIDs: idsIn(detail['instance-id']) }
  },
  '0/aws.ec2/EC2 Capacity Reservation Instance Interruption Warning': oneInstance('capacity_reservation_interrupted'),
  '0/aws.health/AWS Health Event': (detail) => {
    if (detail['service'] !== 'EC2' || detail['eventTypeCategory'] !== 'scheduledChange') return noOp
    // Health tells of an event once more when it is over, also of one that was called off.
    if (detail['statusCode'] === 'closed') return noOp
    const entities: unknown = detail['affectedEntities']
    const ids = Array.isArray(entities)
      ? entities.flatMap((entity: unknown) =>
          // The event is told once more when it is over for one of them, and goes on for others.
          isRecord(entity) && entity['status'] !== 'RESOLVED' ? idsIn(entity['entityValue']) : [],
        )
      : []
    return { kind: 'scheduled_change', instanceIDs: ids }
  },
}

const noOp = { kind: 'no_op', instanceIDs: [] } as const
const unsaid: Origin = { account: undefined, region: undefined }

/** Instances are named by the detail alone, never by the envelope's resources. */
export function parseMessage(body: string | undefined): ParsedMessage {
  if (body === undefined || body === '')
    return { kind: 'message', message: { ...noOp, sentAt: undefined, origin: unsaid } }
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch (error) {
    return { kind: 'unparsable', error: messageOf(error) }
  }
  if (!isRecord(parsed)) return { kind: 'unparsable', error: 'the message is not an object' }
  const sentAt = typeof parsed['time'] === 'string' ? Date.parse(parsed['time']) : Number.NaN
  const key = `${textOf(parsed['version'])}/${textOf(parsed['source'])}/${textOf(parsed['detail-type'])}`
  const parser = Object.hasOwn(parsers, key) ? parsers[key] : undefined
  const detail = isRecord(parsed['detail']) ? parsed['detail'] : {}
  return {
    kind: 'message',
    message: {
      ...(parser?.(detail) ?? noOp),
      sentAt: Number.isNaN(sentAt) ? undefined : sentAt,
      origin: { account: stringIn(parsed['account']), region: stringIn(parsed['region']) },
    },
  }
}

/** Whether it is of another account or another region than that of the queue: instances there are none of ours. */
export function isForeign(origin: Origin, home: Origin): boolean {
  return differ(origin.account, home.account) || differ(origin.region, home.region)
}

/** SQS names a queue's account in the last but one part of its URL, behind whatever endpoint. */
export function accountOfQueue(url: string): string | undefined {
  return /\/(\d{12})\/[^/]+$/.exec(url)?.[1]
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}

function stringIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function idsIn(value: unknown): string[] {
  const id = stringIn(value)
  return id === undefined ? [] : [id]
}
