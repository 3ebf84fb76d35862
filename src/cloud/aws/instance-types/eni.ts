import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { NetworkInterfaceSpec } from '../wire.ts'

/** Most interfaces of the card that pods' addresses come from. */
export function defaultCardInterfaces(info: InstanceTypeInfo): number {
  const network = info.NetworkInfo
  const index = network?.DefaultNetworkCardIndex ?? 0
  const card = network?.NetworkCards?.find((candidate) => (candidate.NetworkCardIndex ?? 0) === index)
  return card?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces ?? 0
}

export function addressesPerInterface(info: InstanceTypeInfo): number {
  return info.NetworkInfo?.Ipv4AddressesPerInterface ?? 0
}

/**
 * Pods that get an address: each usable interface gives all but its own, and two pods of the host network come on top. Prefix
 * delegation is never assumed.
 */
export function podsByENI(
  info: InstanceTypeInfo,
  reservedENIs: number,
  interfaces: readonly NetworkInterfaceSpec[] | undefined,
): number {
  const efaOnly = (interfaces ?? []).filter((it) => it.interfaceType === 'efa-only' && it.networkCardIndex === 0).length
  const usable = defaultCardInterfaces(info) - reservedENIs - efaOnly
  return usable <= 0 ? 0 : usable * (addressesPerInterface(info) - 1) + 2
}
