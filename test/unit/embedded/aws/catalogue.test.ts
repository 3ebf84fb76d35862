import { expect, test } from 'vitest'
import { catalogue, onDemandPrice, regionFacts } from '../../../../src/embedded/aws/catalogue.ts'
import { toInstanceTypeInfo } from '../../../../src/embedded/aws/instance-type-info.ts'

function info(name: string) {
  const facts = catalogue().get(name)
  if (facts === undefined) throw new Error(`no type ${name}`)
  return toInstanceTypeInfo(facts)
}

test('the catalogue has more than 600 priced types in every region', () => {
  expect(catalogue().size).toBeGreaterThan(1_300)
  for (const name of ['us-east-1', 'us-east-2', 'us-west-2', 'eu-west-1', 'eu-central-1', 'ap-southeast-2']) {
    const region = regionFacts(name)
    const priced = [...catalogue().values()].filter(
      (facts) => onDemandPrice(facts, region) !== undefined && (facts.zones[name] ?? '') !== '',
    )
    expect(priced.length, name).toBeGreaterThan(600)
  }
})

test('m5.large is described as EC2 describes it', () => {
  expect(info('m5.large')).toMatchObject({
    InstanceType: 'm5.large',
    Hypervisor: 'nitro',
    BareMetal: false,
    SupportedUsageClasses: ['on-demand', 'spot'],
    VCpuInfo: { DefaultVCpus: 2 },
    MemoryInfo: { SizeInMiB: 8192 },
    ProcessorInfo: { SupportedArchitectures: ['x86_64'], SustainedClockSpeedInGhz: 3.1, Manufacturer: 'Intel' },
    EbsInfo: { EbsOptimizedSupport: 'default', EbsOptimizedInfo: { MaximumBandwidthInMbps: 4750 } },
    NetworkInfo: { Ipv4AddressesPerInterface: 10, MaximumNetworkInterfaces: 3, EnaSupport: 'required' },
    InstanceStorageSupported: false,
  })
})

test('several network cards, EFA, GPUs and local disks are told apart', () => {
  const p4d = info('p4d.24xlarge')
  expect(p4d.NetworkInfo?.NetworkCards).toHaveLength(4)
  expect(p4d.NetworkInfo?.EfaInfo?.MaximumEfaInterfaces).toBe(4)
  expect(p4d.GpuInfo?.Gpus?.[0]).toMatchObject({ Name: 'A100', Manufacturer: 'NVIDIA', Count: 8 })
  expect(p4d.InstanceStorageInfo).toMatchObject({ TotalSizeInGB: 8000, NvmeSupport: 'required' })
})

test.each([
  ['trn1.2xlarge', { Name: 'Trainium', Count: 1, CoreInfo: { Count: 2 } }],
  ['inf2.xlarge', { Name: 'Inferentia2', Count: 1, CoreInfo: { Count: 2 } }],
])('%s has its Neuron devices', (name, device) => {
  expect(info(name).NeuronInfo?.NeuronDevices?.[0]).toMatchObject(device)
})

test('bare metal has no hypervisor, and a part of a GPU counts as none', () => {
  expect(info('c5.metal')).toMatchObject({ BareMetal: true })
  expect(info('c5.metal').Hypervisor).toBeUndefined()
  expect(info('g6f.large').GpuInfo?.Gpus?.[0]).toMatchObject({ Count: 0, LogicalGpuCount: 1, GpuPartitionSize: 0.125 })
})
