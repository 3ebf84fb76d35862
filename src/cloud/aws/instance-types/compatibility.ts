import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { AMIFamilyName } from '../../../api/ami-family.ts'
import type { NetworkInterfaceSpec } from '../wire.ts'
import type { PlacementGroup } from './type-settings.ts'

/** What a class asks of a type beyond its labels. A type that cannot do it stays visible, without available offerings. */
export interface ClassDemands {
  readonly family: AMIFamilyName
  readonly networkInterfaces: readonly NetworkInterfaceSpec[]
  readonly nestedVirtualization: boolean
  readonly placementGroup: PlacementGroup | undefined
  readonly connectionTracking: boolean
}

export function meetsDemands(info: InstanceTypeInfo, demands: ClassDemands): boolean {
  if (demands.networkInterfaces.length > 0 && !hasInterfaces(info, demands.networkInterfaces)) return false
  // AL2023 needs a processor newer than the first Graviton.
  if (demands.family === 'AL2023' && info.InstanceType?.startsWith('a1.')) return false
  if (demands.nestedVirtualization && !info.ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization')) {
    return false
  }
  const group = demands.placementGroup
  if (group !== undefined && !info.PlacementGroupInfo?.SupportedStrategies?.includes(group.strategy)) return false
  return !demands.connectionTracking || info.Hypervisor === 'nitro'
}

function hasInterfaces(info: InstanceTypeInfo, interfaces: readonly NetworkInterfaceSpec[]): boolean {
  const network = info.NetworkInfo
  const cards = network?.NetworkCards ?? []
  if (network?.EnaSupport === undefined || network.EnaSupport === 'unsupported' || cards.length === 0) return false
  for (const wanted of interfaces) {
    const card = cards.find((it) => (it.NetworkCardIndex ?? 0) === wanted.networkCardIndex)
    if (card === undefined || wanted.deviceIndex >= (card.MaximumNetworkInterfaces ?? 0)) return false
  }
  const efaOnly = interfaces.filter((wanted) => wanted.interfaceType === 'efa-only').length
  return efaOnly <= (network.EfaInfo?.MaximumEfaInterfaces ?? 0)
}
