import type { Instance as SDKInstance } from '@aws-sdk/client-ec2'
import { type CapacityType, placementGroupPartitionKey, type ReservationType } from '../keys.ts'
import { fromTagList, type Tags } from '../tags.ts'

/** An instance as EC2 tells it, or as a launch has just made it. */
export interface EC2Instance {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly launchedAt: number
  readonly state: string
  readonly imageID: string
  readonly instanceType: string
  readonly zone: string
  readonly zoneID: string | undefined
  readonly capacityType: CapacityType
  readonly reservation:
    | { readonly id: string; readonly type: ReservationType; readonly interruptible: boolean }
    | undefined
  readonly tenancy: string
  readonly securityGroupIDs: readonly string[]
  readonly subnetID: string
  readonly tags: Tags
  readonly efaCount: number
  readonly placementGroupID: string | undefined
  /** 0: none, or not known yet. */
  readonly partition: number
}

export function toInstance(instance: SDKInstance, reservedCapacityGate: boolean, now: number): EC2Instance {
  const lifecycle: string = instance.InstanceLifecycle ?? ''
  const reservationID = reservedCapacityGate ? reservationOf(instance) : undefined
  const placement = instance.Placement
  return {
    id: instance.InstanceId ?? '',
    launchedAt: instance.LaunchTime?.getTime() ?? now,
    state: instance.State?.Name ?? 'pending',
    imageID: instance.ImageId ?? '',
    instanceType: instance.InstanceType ?? '',
    zone: placement?.AvailabilityZone ?? '',
    zoneID: placement?.AvailabilityZoneId,
    capacityType: isSpot(instance) ? 'spot' : reservationID === undefined ? 'on-demand' : 'reserved',
    reservation:
      reservationID === undefined
        ? undefined
        : {
            id: reservationID,
            type: lifecycle === 'capacity-block' ? 'capacity-block' : 'default',
            interruptible: lifecycle === 'interruptible-capacity-reservation',
          },
    tenancy: placement?.Tenancy ?? 'default',
    securityGroupIDs: (instance.SecurityGroups ?? []).flatMap((group) => group.GroupId ?? []),
    subnetID: instance.SubnetId ?? '',
    tags: fromTagList(instance.Tags),
    efaCount: (instance.NetworkInterfaces ?? []).filter(
      ({ InterfaceType }) => InterfaceType === 'efa' || InterfaceType === 'efa-only',
    ).length,
    placementGroupID: placement?.GroupId,
    partition: placement?.PartitionNumber ?? 0,
  }
}

export function isTerminating(instance: EC2Instance): boolean {
  return instance.state === 'shutting-down' || instance.state === 'terminated'
}

/** The partition label's value: empty until EC2 has told it. */
export function partitionLabel(instance: EC2Instance): Record<string, string> {
  return { [placementGroupPartitionKey]: instance.partition === 0 ? '' : String(instance.partition) }
}

function isSpot(instance: SDKInstance): boolean {
  return instance.SpotInstanceRequestId !== undefined || instance.InstanceLifecycle === 'spot'
}

/** Only instances that were made to run in a reservation count as reserved, not those an open one happened to take in. */
function reservationOf(instance: SDKInstance): string | undefined {
  if (isSpot(instance)) return undefined
  const preference = instance.CapacityReservationSpecification?.CapacityReservationPreference
  return preference === 'capacity-reservations-only' ? instance.CapacityReservationId : undefined
}

const providerIDPattern = /^(.*):\/\/\/(.*)\/(.*)$/

/** Undefined for texts that are no provider ID of an instance. */
export function instanceIDOf(providerID: string | undefined): string | undefined {
  const id = providerIDPattern.exec(providerID ?? '')?.[3]
  return id === undefined || id === '' ? undefined : id
}

export function toProviderID(instance: Pick<EC2Instance, 'zone' | 'id'>): string {
  return `aws:///${instance.zone}/${instance.id}`
}
