import type * as ec2 from '@aws-sdk/client-ec2'
import type { DeviceFacts, TypeFacts } from './catalogue.ts'

/** Families whose virtual instances can run virtual machines of their own. */
const nestedVirtualizationFamilies = /^[cmr]8i[a-z]*(-flex)?$/

const infos = new Map<string, ec2.InstanceTypeInfo>()

/** One item of DescribeInstanceTypes' answer. */
export function toInstanceTypeInfo(facts: TypeFacts): ec2.InstanceTypeInfo {
  const known = infos.get(facts.name)
  if (known !== undefined) return known
  const info: ec2.InstanceTypeInfo = {
    InstanceType: facts.name as ec2._InstanceType,
    CurrentGeneration: facts.currentGeneration,
    FreeTierEligible: facts.freeTier === true,
    SupportedUsageClasses: facts.usageClasses as ec2.UsageClassType[],
    SupportedRootDeviceTypes: facts.rootDevices as ec2.RootDeviceType[],
    SupportedVirtualizationTypes: facts.virtualization as ec2.VirtualizationType[],
    BareMetal: facts.bareMetal === true,
    ...(facts.hypervisor === undefined ? {} : { Hypervisor: facts.hypervisor as ec2.InstanceTypeHypervisor }),
    ProcessorInfo: processorInfo(facts),
    VCpuInfo: {
      DefaultVCpus: facts.vcpu,
      DefaultCores: facts.cores,
      DefaultThreadsPerCore: facts.threadsPerCore,
    },
    MemoryInfo: { SizeInMiB: facts.memoryMiB },
    InstanceStorageSupported: facts.local !== undefined,
    EbsInfo: ebsInfo(facts),
    NetworkInfo: networkInfo(facts),
    PlacementGroupInfo: { SupportedStrategies: (facts.placement ?? []) as ec2.PlacementGroupStrategy[] },
    HibernationSupported: facts.hibernation === true,
    BurstablePerformanceSupported: facts.burstable === true,
    DedicatedHostsSupported: facts.dedicatedHosts === true,
    AutoRecoverySupported: facts.autoRecovery === true,
    SupportedBootModes: facts.bootModes as ec2.BootModeType[],
    NitroEnclavesSupport: facts.enclaves === true ? 'supported' : 'unsupported',
    NitroTpmSupport: facts.nitroTpm === true ? 'supported' : 'unsupported',
    ...storageInfo(facts),
    ...acceleratorInfo(facts),
  }
  infos.set(facts.name, info)
  return info
}

function processorInfo(facts: TypeFacts): ec2.ProcessorInfo {
  const family = facts.name.split('.')[0] ?? ''
  const nested = facts.bareMetal !== true && nestedVirtualizationFamilies.test(family)
  return {
    SupportedArchitectures: facts.arch as ec2.ArchitectureType[],
    ...(facts.clockGHz === undefined ? {} : { SustainedClockSpeedInGhz: facts.clockGHz }),
    ...(facts.cpuManufacturer === undefined ? {} : { Manufacturer: facts.cpuManufacturer }),
    ...(nested ? { SupportedFeatures: ['nested-virtualization' as ec2.SupportedAdditionalProcessorFeature] } : {}),
  }
}

function ebsInfo({ ebs }: TypeFacts): ec2.EbsInfo {
  const optimized: ec2.EbsOptimizedInfo = {
    ...(ebs.baseMbps === undefined
      ? {}
      : { BaselineBandwidthInMbps: ebs.baseMbps, BaselineThroughputInMBps: ebs.baseMbps / 8 }),
    ...(ebs.baseIops === undefined ? {} : { BaselineIops: ebs.baseIops }),
    ...(ebs.maxMbps === undefined
      ? {}
      : { MaximumBandwidthInMbps: ebs.maxMbps, MaximumThroughputInMBps: ebs.maxMbps / 8 }),
    ...(ebs.maxIops === undefined ? {} : { MaximumIops: ebs.maxIops }),
  }
  return {
    EbsOptimizedSupport: (ebs.optimized ?? 'unsupported') as ec2.EbsOptimizedSupport,
    EncryptionSupport: 'supported',
    NvmeSupport: (ebs.nvme ?? 'unsupported') as ec2.EbsNvmeSupport,
    ...(Object.keys(optimized).length === 0 ? {} : { EbsOptimizedInfo: optimized }),
    ...(ebs.maxAttachments === undefined ? {} : { MaximumEbsAttachments: ebs.maxAttachments }),
    ...(ebs.attachmentLimit === undefined
      ? {}
      : { AttachmentLimitType: ebs.attachmentLimit as ec2.AttachmentLimitType }),
  }
}

function networkInfo({ net }: TypeFacts): ec2.NetworkInfo {
  const cards = net.cards.flatMap((card) => Array.from({ length: card.count }, () => card))
  return {
    NetworkPerformance: net.performance ?? '',
    MaximumNetworkInterfaces: net.maxEnis,
    MaximumNetworkCards: cards.length,
    DefaultNetworkCardIndex: net.defaultCard ?? 0,
    NetworkCards: cards.map((card, index) => ({
      NetworkCardIndex: index,
      NetworkPerformance: net.performance ?? '',
      MaximumNetworkInterfaces: card.enis,
      ...(card.baseGbps === undefined ? {} : { BaselineBandwidthInGbps: card.baseGbps }),
      ...(card.peakGbps === undefined ? {} : { PeakBandwidthInGbps: card.peakGbps }),
    })),
    Ipv4AddressesPerInterface: net.ipv4PerEni,
    Ipv6AddressesPerInterface: net.ipv6PerEni ?? 0,
    Ipv6Supported: (net.ipv6PerEni ?? 0) > 0,
    EnaSupport: (net.ena ?? 'unsupported') as ec2.EnaSupport,
    EfaSupported: net.efaMax !== undefined,
    ...(net.efaMax === undefined ? {} : { EfaInfo: { MaximumEfaInterfaces: net.efaMax } }),
    EncryptionInTransitSupported: net.encryptionInTransit === true,
  }
}

function storageInfo({ local }: TypeFacts): Partial<ec2.InstanceTypeInfo> {
  if (local === undefined) return {}
  return {
    InstanceStorageInfo: {
      TotalSizeInGB: local.totalGB,
      Disks: (local.disks ?? []).map(({ count, sizeGB, type }) => ({
        Count: count,
        SizeInGB: sizeGB,
        Type: type as ec2.DiskType,
      })),
      NvmeSupport: (local.nvme ?? 'unsupported') as ec2.EphemeralNvmeSupport,
      EncryptionSupport: local.nvme === 'required' ? 'required' : 'unsupported',
    },
  }
}

function acceleratorInfo(facts: TypeFacts): Partial<ec2.InstanceTypeInfo> {
  const { gpus, neuron, inference, fpgas, media } = facts
  const total = (devices: readonly DeviceFacts[]) =>
    devices.reduce((sum, device) => sum + device.count * (device.memoryMiB ?? 0), 0)
  return {
    ...(gpus === undefined
      ? {}
      : {
          GpuInfo: {
            Gpus: gpus.map((gpu) => ({
              ...toDevice(gpu),
              ...(gpu.partition === undefined ? {} : { GpuPartitionSize: gpu.partition }),
              ...(gpu.logicalCount === undefined ? {} : { LogicalGpuCount: gpu.logicalCount }),
            })),
            TotalGpuMemoryInMiB: total(gpus),
          },
        }),
    ...(neuron === undefined
      ? {}
      : {
          NeuronInfo: {
            NeuronDevices: neuron.map(({ name, count, coresEach, coreVersion, memoryMiB }) => ({
              Name: name,
              Count: count,
              CoreInfo: { Count: coresEach, Version: coreVersion },
              MemoryInfo: { SizeInMiB: memoryMiB ?? 0 },
            })),
            TotalNeuronDeviceMemoryInMiB: total(neuron),
          },
        }),
    ...(inference === undefined ? {} : { InferenceAcceleratorInfo: { Accelerators: inference.map(toDevice) } }),
    ...(fpgas === undefined ? {} : { FpgaInfo: { Fpgas: fpgas.map(toDevice), TotalFpgaMemoryInMiB: total(fpgas) } }),
    ...(media === undefined ? {} : { MediaAcceleratorInfo: { Accelerators: media.map(toDevice) } }),
  }
}

function toDevice({ name, manufacturer, count, memoryMiB }: DeviceFacts) {
  return {
    Name: name,
    Manufacturer: manufacturer ?? '',
    Count: count,
    MemoryInfo: { SizeInMiB: memoryMiB ?? 0 },
  }
}
