import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { EC2NodeClassSpec } from '../../src/api/karpenter.ts'
import { familyOf } from '../../src/cloud/aws/ami/family.ts'
import { type ResolvedType, resolveInstanceType } from '../../src/cloud/aws/instance-types/resolve.ts'
import type { TypeSettings } from '../../src/cloud/aws/instance-types/type-settings.ts'
import { parseManagedKubelet } from '../../src/cloud/aws/kubelet/managed-kubelet.ts'
import { catalogue } from '../../src/embedded/aws/catalogue.ts'
import { toInstanceTypeInfo } from '../../src/embedded/aws/instance-type-info.ts'
import { allocatableOf } from '../../src/model/instance-type.ts'

export function infoOf(name: string): InstanceTypeInfo {
  const facts = catalogue().get(name)
  if (facts === undefined) throw new Error(`no facts of ${name}`)
  return toInstanceTypeInfo(facts)
}

/** Settings of a class with default AL2023. */
export function typeSettings(spec: Partial<EC2NodeClassSpec> = {}, more: Partial<TypeSettings> = {}): TypeSettings {
  const full = {
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    ...spec,
  }
  return {
    region: 'us-east-1',
    family: familyOf(full),
    kubelet: parseManagedKubelet(full.kubelet),
    expressions: 'evaluate',
    reservedENIs: 0,
    vmMemoryOverheadPercent: 0.075,
    blockDeviceMappings: full.blockDeviceMappings,
    networkInterfaces: full.networkInterfaces,
    raid0: full.instanceStorePolicy === 'RAID0',
    zoneIDs: new Map([['us-east-1a', 'use1-az1']]),
    reservations: [],
    placementGroup: undefined,
    ...more,
  }
}

export function resolved(name: string, settings: TypeSettings = typeSettings()): ResolvedType {
  return resolveInstanceType(infoOf(name), settings, new Set(['us-east-1a', 'us-east-1b']), undefined).type
}

export const amount = (type: ResolvedType, resource: string): string =>
  type.capacity.get(resource)?.toString() ?? 'absent'
export const allocatable = (type: ResolvedType, resource: string): string =>
  allocatableOf(type.capacity, type.overhead).get(resource)?.toString() ?? 'absent'
export const label = (type: ResolvedType, key: string): string =>
  [...(type.requirements.get(key)?.values ?? [])].join(',')
