import { describe, expect, test } from 'vitest'
import { accountOfQueue, isForeign, parseMessage } from '../../../../src/controllers/interruption/messages.ts'
import { aNotice } from '../../../support/interruption-world.ts'

const health = (detail: object) => aNotice('AWS Health Event', detail, { source: 'aws.health' })

describe('what a message says', () => {
  const kinds: Record<string, [body: object, kind: string, ids: string[]]> = {
    'an instance that has stopped': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'stopped' }),
      'instance_stopped',
      ['i-1'],
    ],
    'an instance that has ended': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'terminated' }),
      'instance_terminated',
      ['i-1'],
    ],
    'an instance that stops': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'Stopping' }),
      'instance_stopped',
      ['i-1'],
    ],
    'an instance that ends': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'shutting-down' }),
      'instance_terminated',
      ['i-1'],
    ],
    'a reservation that is interrupted': [
      aNotice('EC2 Capacity Reservation Instance Interruption Warning', {
        'instance-id': 'i-1',
        'instance-action': 'terminate',
      }),
      'capacity_reservation_interrupted',
      ['i-1'],
    ],
    'another source': [
      aNotice('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }, { source: 'mine' }),
      'no_op',
      [],
    ],
    'another version': [
      aNotice('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }, { version: '1' }),
      'no_op',
      [],
    ],
    'a detail without an instance': [aNotice('EC2 Spot Instance Interruption Warning', {}), 'spot_interrupted', []],
    'a health event that is over': [
      health({
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        statusCode: 'closed',
        affectedEntities: [{ entityValue: 'i-1' }],
      }),
      'no_op',
      [],
    ],
    'a health event that goes on for some': [
      health({
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        statusCode: 'open',
        affectedEntities: [
          { entityValue: 'i-1', status: 'RESOLVED' },
          { entityValue: 'i-2', status: 'PENDING' },
          { entityValue: 'i-3' },
        ],
      }),
      'scheduled_change',
      ['i-2', 'i-3'],
    ],
    'a health event of another service': [
      health({ service: 'RDS', eventTypeCategory: 'scheduledChange', affectedEntities: [{ entityValue: 'i-1' }] }),
      'no_op',
      [],
    ],
    'no detail at all': [
      aNotice('EC2 Spot Instance Interruption Warning', {}, { detail: null }),
      'spot_interrupted',
      [],
    ],
    'an instance that is no text': [
      aNotice('EC2 Spot Instance Interruption Warning', { 'instance-id': ['i-1'] }),
      'spot_interrupted',
      [],
    ],
    'a state that is no text': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 16 }),
      'no_op',
      [],
    ],
    'a health event that names nothing': [
      health({ service: 'EC2', eventTypeCategory: 'scheduledChange' }),
      'scheduled_change',
      [],
    ],
    'a health event of which one entity is none': [
      health({
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        affectedEntities: [null, 'i-1', { entityValue: 'i-2' }],
      }),
      'scheduled_change',
      ['i-2'],
    ],
    'a time that is a number': [
      aNotice('EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-1' }, { time: 1_767_225_600 }),
      'rebalance_recommendation',
      ['i-1'],
    ],
    'names from the prototype': [
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'constructor' }),
      'no_op',
      [],
    ],
  }
  test.each(Object.entries(kinds))('%s', (_name, [body, kind, instanceIDs]) => {
    expect(parseMessage(JSON.stringify(body))).toMatchObject({ kind: 'message', message: { kind, instanceIDs } })
  })

  test('an empty body is nothing', () => {
    expect(parseMessage('')).toMatchObject({ message: { kind: 'no_op' } })
    expect(parseMessage(undefined)).toMatchObject({ message: { kind: 'no_op' } })
  })

  test('the account of a queue is read from its URL, behind any endpoint; a URL of another shape tells none', () => {
    expect(accountOfQueue('https://sqs.eu-west-1.amazonaws.com/111122223333/nodes')).toBe('111122223333')
    expect(accountOfQueue('https://vpce-1.sqs.cn-north-1.vpce.amazonaws.com.cn/111122223333/nodes')).toBe(
      '111122223333',
    )
    expect(accountOfQueue('http://localhost:5000/queue/nodes')).toBeUndefined()
    expect(isForeign({ account: '999999999999', region: undefined }, { account: undefined, region: 'us-east-1' })).toBe(
      false,
    )
  })
})
