import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { compareText } from '../../../model/order.ts'
import { oneOf as listed, type Requirement } from '../../../model/requirement.ts'
import { type Requirements, requirementsOf } from '../../../model/requirements.ts'
import { isWindows } from '../ami/family.ts'
import { networkBandwidthOverrides, networkBandwidthUnknown } from '../data/network-bandwidth.ts'
import {
  archKey,
  capacityTypeKey,
  instanceKeys,
  instanceTypeKey,
  nitroSandboxKey,
  osKey,
  placementGroupIDKey,
  placementGroupPartitionKey,
  regionKey,
  reservationIDKey,
  reservationInterruptibleKey,
  reservationTypeKey,
  tenancyKey,
  windowsBuildKey,
  zoneIDKey,
  zoneKey,
} from '../keys.ts'
import { vcpusOf } from './capacity.ts'
import { absent, oneOf, oneValue } from './shared-requirements.ts'
import type { TypeSettings } from './type-settings.ts'

const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' }
const namePattern = /^([a-z]+)(-[0-9]+tb)?([0-9]+).*\./

/** The labels that nodes of this type carry, each with the values it may take. */
export function typeRequirements(
  info: InstanceTypeInfo,
  settings: TypeSettings,
  offeredZones: ReadonlySet<string>,
): Requirements {
  const name = info.InstanceType ?? ''
  const arch = architectureOf(info)
  const [family, size] = splitName(name)
  const [, category, , generation] = namePattern.exec(name) ?? []
  const processor = info.ProcessorInfo
  const ghz = processor?.SustainedClockSpeedInGhz
  const ebs = info.EbsInfo
  const storage = info.InstanceStorageInfo
  return requirementsOf(
    oneValue(instanceTypeKey, name),
    valueOrAbsent(archKey, arch),
    isWindows(settings.family) ? oneOf(osKey, arch === 'amd64' ? ['windows'] : []) : oneValue(osKey, 'linux'),
    valueOrAbsent(windowsBuildKey, settings.family.windowsBuild),
    ...zoneRequirements(settings, offeredZones),
    oneValue(regionKey, settings.region),
    oneOf(capacityTypeKey, capacityTypes(info, settings)),
    oneValue(instanceKeys.cpu, String(vcpusOf(info))),
    valueOrAbsent(instanceKeys.cpuManufacturer, processor?.Manufacturer && toKebab(processor.Manufacturer)),
    valueOrAbsent(
      instanceKeys.clockSpeed,
      processor === undefined ? undefined : String(Math.round((ghz ?? 0) * 1_000)),
    ),
    oneValue(instanceKeys.memory, String(info.MemoryInfo?.SizeInMiB ?? 0)),
    valueOrAbsent(
      instanceKeys.ebsBandwidth,
      ebs?.EbsOptimizedSupport === 'default' ? text(ebs.EbsOptimizedInfo?.MaximumBandwidthInMbps) : undefined,
    ),
    valueOrAbsent(instanceKeys.networkBandwidth, text(networkMbps(info))),
    valueOrAbsent(instanceKeys.category, category),
    valueOrAbsent(instanceKeys.generation, generation),
    valueOrAbsent(instanceKeys.family, family),
    valueOrAbsent(instanceKeys.size, size),
    oneValue(instanceKeys.flex, String(family?.includes('-flex') ?? false)),
    valueOrAbsent(
      instanceKeys.localNVMe,
      storage?.NvmeSupport === undefined || storage.NvmeSupport === 'unsupported'
        ? undefined
        : text(storage.TotalSizeInGB),
    ),
    ...gpuRequirements(info),
    ...acceleratorRequirements(info),
    oneValue(instanceKeys.hypervisor, info.Hypervisor ?? ''),
    oneValue(instanceKeys.encryptionInTransit, String(info.NetworkInfo?.EncryptionInTransitSupported ?? false)),
    valueOrAbsent(nitroSandboxKey, info.NitroEnclavesSupport === 'supported' ? 'true' : undefined),
    oneOf(tenancyKey, ['default', 'dedicated']),
    ...reservationRequirements(name, settings),
    ...placementGroupRequirements(settings),
  )
}

function architectureOf(info: InstanceTypeInfo): string | undefined {
  return info.ProcessorInfo?.SupportedArchitectures?.map((name) => architectures[name]).find(
    (name) => name !== undefined,
  )
}

/** What a type can be launched as, apart from reservations. */
export function usageClasses(info: InstanceTypeInfo): ('on-demand' | 'spot')[] {
  return (info.SupportedUsageClasses ?? []).filter((name) => name === 'on-demand' || name === 'spot')
}

/** Mbps as published; undefined where AWS only has words for it. */
function networkMbps(info: InstanceTypeInfo): number | undefined {
  const name = info.InstanceType ?? ''
  const override = networkBandwidthOverrides.get(name)
  if (override !== undefined) return override
  if (networkBandwidthUnknown.has(name)) return undefined
  const cards = info.NetworkInfo?.NetworkCards ?? []
  if (cards.length === 0 || cards.some((card) => card.BaselineBandwidthInGbps === undefined)) return undefined
  // Rounding away what floats add keeps 0.3 Gbps from becoming 299 Mbps.
  const mbps = cards.reduce((sum, card) => sum + (card.BaselineBandwidthInGbps ?? 0) * 1_000, 0)
  return Math.floor(Math.round(mbps * 1e6) / 1e6)
}

function splitName(name: string): [family: string | undefined, size: string | undefined] {
  const parts = name.split('.')
  return parts.length === 2 ? [parts[0], parts[1]] : [undefined, undefined]
}

function capacityTypes(info: InstanceTypeInfo, settings: TypeSettings): string[] {
  const reserved = settings.reservations.some((it) => it.instanceType === info.InstanceType)
  return [...usageClasses(info), ...(reserved ? ['reserved'] : [])]
}

function zoneRequirements(settings: TypeSettings, offeredZones: ReadonlySet<string>): Requirement[] {
  const zones = [...settings.zoneIDs.keys()].filter((zone) => offeredZones.has(zone)).toSorted(compareText)
  const ids = zones.map((zone) => settings.zoneIDs.get(zone)).filter((id) => id !== undefined && id !== '')
  const requirements = [oneOf(zoneKey, zones)]
  if (ids.length > 0)
    requirements.push(
      oneOf(
        zoneIDKey,
        ids.filter((id) => id !== undefined),
      ),
    )
  return requirements
}

function gpuRequirements(info: InstanceTypeInfo): Requirement[] {
  const gpus = info.GpuInfo?.Gpus ?? []
  const only = gpus.length === 1 ? gpus[0] : undefined
  return [
    valueOrAbsent(instanceKeys.gpuName, only?.Name && toKebab(only.Name)),
    valueOrAbsent(instanceKeys.gpuManufacturer, only?.Manufacturer && toKebab(only.Manufacturer)),
    valueOrAbsent(instanceKeys.gpuCount, only && String(only.Count ?? 0)),
    valueOrAbsent(instanceKeys.gpuMemory, only && String(only.MemoryInfo?.SizeInMiB ?? 0)),
  ]
}

function acceleratorRequirements(info: InstanceTypeInfo): Requirement[] {
  const { acceleratorName, acceleratorManufacturer, acceleratorCount } = instanceKeys
  const devices = info.NeuronInfo?.NeuronDevices ?? []
  const device = devices.length === 1 ? devices[0] : undefined
  if (device !== undefined) {
    return [
      valueOrAbsent(acceleratorName, device.Name && toKebab(device.Name)),
      oneValue(acceleratorManufacturer, 'aws'),
      oneValue(acceleratorCount, String(device.Count ?? 0)),
    ]
  }
  const accelerators = info.NeuronInfo === undefined ? (info.InferenceAcceleratorInfo?.Accelerators ?? []) : []
  const accelerator = accelerators.length === 1 ? accelerators[0] : undefined
  return [
    valueOrAbsent(acceleratorName, accelerator?.Name && toKebab(accelerator.Name)),
    valueOrAbsent(acceleratorManufacturer, accelerator?.Manufacturer && toKebab(accelerator.Manufacturer)),
    valueOrAbsent(acceleratorCount, accelerator && String(accelerator.Count ?? 0)),
  ]
}

function reservationRequirements(name: string, settings: TypeSettings): Requirement[] {
  const mine = settings.reservations.filter((reservation) => reservation.instanceType === name)
  if (mine.length === 0) {
    return [absent(reservationIDKey), absent(reservationTypeKey), absent(reservationInterruptibleKey)]
  }
  return [
    listed(
      reservationIDKey,
      mine.map((it) => it.id),
    ),
    listed(
      reservationTypeKey,
      mine.map((it) => it.type),
    ),
    listed(
      reservationInterruptibleKey,
      mine.map((it) => String(it.interruptible)),
    ),
  ]
}

function placementGroupRequirements(settings: TypeSettings): Requirement[] {
  const group = settings.placementGroup
  if (group === undefined) return []
  const requirements = [listed(placementGroupIDKey, [group.id])]
  if (group.strategy === 'partition' && group.partitionCount > 0) {
    requirements.push(listed(placementGroupPartitionKey, partitionNames(group.partitionCount)))
  }
  return requirements
}

export function partitionNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

function valueOrAbsent(key: string, value: string | undefined): Requirement {
  return value === undefined || value === '' ? absent(key) : oneValue(key, value)
}

function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}

function toKebab(value: string): string {
  return value.toLowerCase().replaceAll(' ', '-')
}
