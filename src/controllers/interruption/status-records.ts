import type { InstanceStatus, InstanceStatusEvent } from '@aws-sdk/client-ec2'
import type { InterruptionKind } from './messages.ts'

export type StatusCategory = 'InstanceStatus' | 'SystemStatus' | 'EventStatus'

export interface UnhealthyInstance {
  readonly id: string
  readonly categories: readonly StatusCategory[]
}

export const kindOfCategory: Readonly<Record<StatusCategory, InterruptionKind>> = {
  InstanceStatus: 'instance_status',
  SystemStatus: 'system_status',
  EventStatus: 'event_status',
}

/** EC2's checks recover by themselves now and then; what fails so long does not. */
const failedForMs = 120_000

/**
 * Which of EC2's checks an instance fails for good. Checks of attached volumes are not ours to act on. `begun` says where on the clock of
 * `now` the moment lies at which a check, told apart by the key, began to fail.
 */
export function toUnhealthy(
  status: InstanceStatus,
  now: number,
  begun: (key: string, moment: number) => number,
): UnhealthyInstance | undefined {
  const id = status.InstanceId
  if (id === undefined) return undefined
  const failed = (category: StatusCategory, details: InstanceStatus['InstanceStatus']): boolean =>
    (details?.Details ?? []).some(
      ({ Name = '', Status, ImpairedSince }) =>
        Status === 'failed' &&
        ImpairedSince !== undefined &&
        now - begun(`${id}/${category}/${Name}`, ImpairedSince.getTime()) >= failedForMs,
    )
  const categories: StatusCategory[] = [
    ...(failed('InstanceStatus', status.InstanceStatus) ? (['InstanceStatus'] as const) : []),
    ...(failed('SystemStatus', status.SystemStatus) ? (['SystemStatus'] as const) : []),
    ...((status.Events ?? []).some(isAhead) ? (['EventStatus'] as const) : []),
  ]
  return categories.length === 0 ? undefined : { id, categories }
}

/** EC2 goes on describing an event for up to a week after it is over; only its description says so. */
function isAhead({ Description = '' }: InstanceStatusEvent): boolean {
  return !/^\[(?:completed|cancell?ed)\]/i.test(Description)
}
