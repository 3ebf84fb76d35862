import type { AMIFamily } from '../ami/family.ts'
import type { ManagedKubelet } from '../kubelet/managed-kubelet.ts'
import type { ReservationType } from '../keys.ts'
import type { BlockDeviceMapping, NetworkInterfaceSpec } from '../wire.ts'

/** All that a NodeClass and the provider's settings decide about an instance type. */
export interface TypeSettings {
  readonly region: string
  readonly family: AMIFamily
  readonly kubelet: ManagedKubelet
  readonly expressions: 'evaluate' | 'ignore'
  readonly reservedENIs: number
  readonly vmMemoryOverheadPercent: number
  readonly blockDeviceMappings: readonly BlockDeviceMapping[] | undefined
  readonly networkInterfaces: readonly NetworkInterfaceSpec[] | undefined
  readonly raid0: boolean
  /** Zone ids of the class's subnets by zone name; an id may be unknown. */
  readonly zoneIDs: ReadonlyMap<string, string | undefined>
  readonly reservations: readonly ClassReservation[]
  readonly placementGroup: PlacementGroup | undefined
}

export interface ClassReservation {
  readonly id: string
  readonly instanceType: string
  readonly zone: string
  readonly type: ReservationType
  readonly interruptible: boolean
  readonly expiring: boolean
}

export interface PlacementGroup {
  readonly id: string
  readonly name: string
  readonly strategy: 'cluster' | 'partition' | 'spread'
  readonly partitionCount: number
}
