import type { EC2NodeClass } from '../../../api/karpenter.ts'
import { familyOf } from '../ami/family.ts'
import { toClassReservation } from '../capacity-reservation/reservations.ts'
import { type ManagedKubelet, parseManagedKubelet } from '../kubelet/managed-kubelet.ts'
import type { AWSGates, AWSSettings } from '../settings.ts'
import { specOf } from '../wire.ts'
import type { ClassDemands } from './compatibility.ts'
import type { PlacementGroup, TypeSettings } from './type-settings.ts'

export interface ClassContext {
  readonly region: string
  readonly settings: Pick<AWSSettings, 'reservedENIs' | 'vmMemoryOverheadPercent'>
  readonly gates: AWSGates
  readonly now: number
  readonly placementGroup: PlacementGroup | undefined
}

/** @throws KubeletDecodeError */
export function typeSettingsOf(nodeClass: EC2NodeClass, context: ClassContext): TypeSettings {
  const spec = specOf(nodeClass)
  return {
    region: context.region,
    family: familyOf(spec),
    kubelet: kubeletOf(nodeClass),
    expressions: context.gates.nodeClassCEL ? 'evaluate' : 'ignore',
    reservedENIs: context.settings.reservedENIs,
    vmMemoryOverheadPercent: context.settings.vmMemoryOverheadPercent,
    blockDeviceMappings: spec.blockDeviceMappings,
    networkInterfaces: spec.networkInterfaces,
    raid0: spec.instanceStorePolicy === 'RAID0',
    zoneIDs: new Map((nodeClass.status?.subnets ?? []).map((subnet) => [subnet.zone, subnet.zoneID])),
    reservations: context.gates.reservedCapacity
      ? (nodeClass.status?.capacityReservations ?? []).map((status) => toClassReservation(status, context.now))
      : [],
    placementGroup: context.placementGroup,
  }
}

/** @throws KubeletDecodeError */
export function kubeletOf(nodeClass: EC2NodeClass): ManagedKubelet {
  return parseManagedKubelet(specOf(nodeClass).kubelet)
}

export function demandsOf(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined): ClassDemands {
  const spec = specOf(nodeClass)
  const tracking = spec.connectionTracking
  return {
    family: familyOf(spec).name,
    networkInterfaces: spec.networkInterfaces ?? [],
    nestedVirtualization: spec.cpuOptions?.nestedVirtualization === 'enabled',
    placementGroup,
    connectionTracking:
      tracking?.tcpEstablishedTimeout !== undefined ||
      tracking?.udpStreamTimeout !== undefined ||
      tracking?.udpTimeout !== undefined,
  }
}
