import { toTimestamp } from '../../model/clock.ts'
import type { Account } from './account.ts'

export type Interruption = 'spot' | 'rebalance' | 'scheduledChange' | 'capacityReservation'

/** The EventBridge messages about instances that AWS sends to a queue. */
export function interruptionNotice(account: Account, kind: Interruption, instanceID: string): string {
  switch (kind) {
    case 'spot':
      return notice(account, 'aws.ec2', 'EC2 Spot Instance Interruption Warning', instanceID, {
        'instance-id': instanceID,
        'instance-action': 'terminate',
      })
    case 'rebalance':
      return notice(account, 'aws.ec2', 'EC2 Instance Rebalance Recommendation', instanceID, {
        'instance-id': instanceID,
      })
    case 'capacityReservation':
      return notice(account, 'aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', instanceID, {
        'instance-id': instanceID,
        'instance-action': 'terminate',
      })
    case 'scheduledChange':
      return notice(account, 'aws.health', 'AWS Health Event', instanceID, {
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        eventTypeCode: 'AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED',
        affectedEntities: [{ entityValue: instanceID }],
      })
  }
}

export function stateChangeNotice(account: Account, instanceID: string, state: string): string {
  return notice(account, 'aws.ec2', 'EC2 Instance State-change Notification', instanceID, {
    'instance-id': instanceID,
    state,
  })
}

function notice(account: Account, source: string, detailType: string, instanceID: string, detail: object): string {
  return JSON.stringify({
    version: '0',
    id: account.random.uuid(),
    'detail-type': detailType,
    source,
    account: account.id,
    time: toTimestamp(account.clock.now()),
    region: account.region.name,
    resources: [account.arn('ec2', `instance/${instanceID}`)],
    detail,
  })
}
