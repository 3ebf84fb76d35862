import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { parseQuantity, Quantity } from '../../../model/quantity.ts'
import type { Resources } from '../../../model/resources.ts'
import { isWindows } from '../ami/family.ts'
import { hasNetworkLimits, podENILimit } from '../data/pod-eni.ts'
import { resourceNames } from '../keys.ts'
import type { ResolvedKubelet } from '../kubelet/resolve.ts'
import { addressesPerInterface, podsByENI } from './eni.ts'
import type { TypeSettings } from './type-settings.ts'

const mebibyte = 1024 * 1024
/** Pods of a node whose family does not count network interfaces: the kubelet's own default. */
const defaultMaxPods = 110
/** What Graviton machines keep of the advertised memory before the share below is taken. */
const arm64ReservedMiB = 64

/** Every resource is named, also those the type has none of. */
export function capacityOf(info: InstanceTypeInfo, settings: TypeSettings, kubelet: ResolvedKubelet): Resources {
  const gpus = (manufacturer: string): Quantity =>
    Quantity.of(
      (info.GpuInfo?.Gpus ?? [])
        .filter((gpu) => gpu.Manufacturer === manufacturer)
        .reduce((sum, gpu) => sum + (gpu.Count ?? 0), 0),
    )
  const neuron = info.NeuronInfo?.NeuronDevices ?? []
  const capacity = new Map<string, Quantity>([
    ['cpu', Quantity.of(vcpusOf(info))],
    ['memory', Quantity.ofBytes(estimatedMemoryMiB(info, settings) * mebibyte)],
    ['ephemeral-storage', ephemeralStorage(info, settings)],
    ['pods', Quantity.of(podsOf(info, settings, kubelet.maxPods))],
    [resourceNames.podENI, Quantity.of(podENILimit(podENIFacts(info)))],
    [resourceNames.nvidiaGPU, gpus('NVIDIA')],
    [resourceNames.amdGPU, gpus('AMD')],
    [resourceNames.gaudi, gpus('Habana')],
    [resourceNames.neuron, Quantity.of(neuron.reduce((sum, device) => sum + (device.Count ?? 0), 0))],
    [resourceNames.neuronCore, Quantity.of((neuron[0]?.Count ?? 0) * (neuron[0]?.CoreInfo?.Count ?? 0))],
    [resourceNames.efa, Quantity.of(efaInterfaces(info, settings))],
  ])
  if (isWindows(settings.family) && !isArm64(info)) {
    const addresses = hasNetworkLimits(info.InstanceType ?? '') ? addressesPerInterface(info) - 1 : 0
    capacity.set(resourceNames.privateIPv4, Quantity.of(Math.max(0, addresses)))
  }
  return capacity
}

export function vcpusOf(info: InstanceTypeInfo): number {
  return info.VCpuInfo?.DefaultVCpus ?? 0
}

function isArm64(info: InstanceTypeInfo): boolean {
  return info.ProcessorInfo?.SupportedArchitectures?.[0] === 'arm64'
}

/** Pods when the class does not set maxPods. */
export function defaultPods(info: InstanceTypeInfo, settings: TypeSettings): number {
  return settings.family.podsLimitedByENI
    ? podsByENI(info, settings.reservedENIs, settings.networkInterfaces)
    : defaultMaxPods
}

/** `maxPods` as resolved for the type; undefined when the class sets none. */
export function podsOf(info: InstanceTypeInfo, settings: TypeSettings, maxPods: number | undefined): number {
  const pods = maxPods ?? defaultPods(info, settings)
  const perCore = settings.kubelet.podsPerCore ?? 0
  return perCore > 0 && settings.family.honoursPodsPerCore ? Math.min(perCore * vcpusOf(info), pods) : pods
}

function estimatedMemoryMiB(info: InstanceTypeInfo, settings: TypeSettings): number {
  const total = (info.MemoryInfo?.SizeInMiB ?? 0) - (isArm64(info) ? arm64ReservedMiB : 0)
  return total - Math.ceil((total * mebibyte * settings.vmMemoryOverheadPercent) / mebibyte)
}

function ephemeralStorage(info: InstanceTypeInfo, settings: TypeSettings): Quantity {
  const { family, blockDeviceMappings: mappings } = settings
  const local = info.InstanceStorageInfo?.TotalSizeInGB
  if (settings.raid0 && local !== undefined) return parseQuantity(`${local}G`)
  const fallback = parseQuantity(family.defaultEphemeralStorage)
  if (mappings === undefined || mappings.length === 0) return fallback
  const root = mappings.find((mapping) => mapping.rootVolume === true)?.ebs?.volumeSize
  if (root !== undefined) return parseQuantity(root)
  const size =
    family.name === 'Custom'
      ? mappings.at(-1)?.ebs?.volumeSize
      : mappings.find((mapping) => mapping.deviceName === family.ephemeralDevice)?.ebs?.volumeSize
  return size === undefined ? fallback : parseQuantity(size)
}

function efaInterfaces(info: InstanceTypeInfo, settings: TypeSettings): number {
  const interfaces = settings.networkInterfaces ?? []
  if (interfaces.length > 0) return interfaces.filter((it) => it.interfaceType === 'efa-only').length
  return info.NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0
}

function podENIFacts(info: InstanceTypeInfo): Parameters<typeof podENILimit>[0] {
  return {
    name: info.InstanceType ?? '',
    hypervisor: info.Hypervisor,
    networkInterfacesMax: info.NetworkInfo?.MaximumNetworkInterfaces ?? 0,
  }
}
