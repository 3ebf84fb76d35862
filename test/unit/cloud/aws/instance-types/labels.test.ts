import { describe, expect, test } from 'vitest'
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { resolveInstanceType } from '../../../../../src/cloud/aws/instance-types/resolve.ts'
import { absent, requirementText } from '../../../../../src/model/requirement.ts'
import { infoOf, resolved, typeSettings } from '../../../../support/resolved-type.ts'

const prefix = 'karpenter.k8s.aws/instance-'
const optional = { EbsOptimizedSupport: 'supported', EbsOptimizedInfo: { MaximumBandwidthInMbps: 500 } } as const

/** Labels of machines, without the prefix; empty for the whole of those that a type does not have. */
const types: Record<string, Readonly<Record<string, string>>> = {
  'm5.large': {
    cpu: '2',
    'cpu-manufacturer': 'intel',
    'cpu-sustained-clock-speed-mhz': '3100',
    memory: '8192',
    'ebs-bandwidth': '4750',
    'network-bandwidth': '750',
    hypervisor: 'nitro',
    'encryption-in-transit-supported': 'false',
  },
  'c6g.large': { 'cpu-manufacturer': 'aws', 'cpu-sustained-clock-speed-mhz': '2500', memory: '4096' },
  'm6i.large': { 'network-bandwidth': '781', 'encryption-in-transit-supported': 'true' },
  'm6idn.32xlarge': { 'network-bandwidth': '200000', 'local-nvme': '7600' },
  'c4.large': { hypervisor: 'xen', 'ebs-bandwidth': '500' },
  'm5.metal': { hypervisor: '', 'ebs-bandwidth': '19000' },
  'g4ad.xlarge': {
    'gpu-name': 'radeon-pro-v520',
    'gpu-manufacturer': 'amd',
    'gpu-count': '1',
    'gpu-memory': '8192',
    'local-nvme': '150',
  },
  'inf1.xlarge': { 'accelerator-name': 'inferentia', 'accelerator-manufacturer': 'aws', 'accelerator-count': '1' },
  'inf2.24xlarge': { 'accelerator-name': 'inferentia2', 'accelerator-manufacturer': 'aws', 'accelerator-count': '6' },
  'trn1.2xlarge': { 'accelerator-name': 'trainium', 'accelerator-count': '1' },
}

test.each(Object.entries(types))('what is known of %s', (name, labels) => {
  const { requirements } = resolved(name)
  const texts = Object.keys(labels).map((key) => requirements.get(`${prefix}${key}`))
  expect(texts.map((it) => (it === undefined ? undefined : requirementText(it)))).toEqual(
    Object.entries(labels).map(([key, value]) => `${prefix}${key} In [${value}]`),
  )
})

test.each([
  ['m5.large', ['local-nvme', 'gpu-name', 'gpu-manufacturer', 'gpu-count', 'gpu-memory']],
  ['m5.large', ['accelerator-name', 'accelerator-manufacturer', 'accelerator-count']],
  ['t2.micro', ['ebs-bandwidth']],
  ['c4.large', ['network-bandwidth']],
  ['inf2.24xlarge', ['gpu-count']],
  ['g4ad.xlarge', ['accelerator-count']],
])('%s has no %j', (name, keys) => {
  const { requirements } = resolved(name)
  for (const key of keys) {
    const found = requirements.get(`${prefix}${key}`)
    expect(found === undefined ? undefined : requirementText(found)).toBe(`${prefix}${key} DoesNotExist`)
  }
})

test.each<[string, string, Partial<InstanceTypeInfo>, string]>([
  ['EBS bandwidth that must be asked for', 'm5.large', { EbsInfo: optional }, 'ebs-bandwidth'],
  ['network bandwidth without a number', 'm5.large', { NetworkInfo: { NetworkCards: [{}] } }, 'network-bandwidth'],
  ['network bandwidth of no card', 'm5.large', { NetworkInfo: {} }, 'network-bandwidth'],
  ['the kind of GPU where there are two kinds', 'g4ad.xlarge', { GpuInfo: { Gpus: [{ Count: 1 }, {}] } }, 'gpu-count'],
])('%s is no label', (_what, name, info, key) => {
  const { type } = resolveInstanceType({ ...infoOf(name), ...info }, typeSettings(), new Set(), undefined)
  expect(type.requirements.get(`${prefix}${key}`)).toEqual(absent(`${prefix}${key}`))
})

describe('what depends on the class', () => {
  const text = (name: string, key: string, settings = typeSettings()) => {
    const found = resolved(name, settings).requirements.get(key)
    return found === undefined ? undefined : requirementText(found)
  }

  test('zones are those that offer the type and have a subnet', () => {
    const zoneIDs = new Map([
      ['us-east-1b', 'use1-az2'],
      ['us-east-1f', 'use1-az5'],
    ])
    const settings = typeSettings({}, { zoneIDs })
    expect(text('m5.large', 'topology.kubernetes.io/zone', settings)).toBe(
      'topology.kubernetes.io/zone In [us-east-1b]',
    )
    expect(text('m5.large', 'topology.k8s.aws/zone-id', settings)).toBe('topology.k8s.aws/zone-id In [use1-az2]')
  })

  test('zone ids are left out where none is known', () => {
    const settings = typeSettings({}, { zoneIDs: new Map([['us-east-1a', undefined]]) })
    expect(text('m5.large', 'topology.k8s.aws/zone-id', settings)).toBeUndefined()
  })

  test('reserved is a capacity type of the types that a reservation is for', () => {
    const reservations = [
      {
        id: 'cr-1',
        instanceType: 'm5.large',
        zone: 'us-east-1a',
        type: 'default' as const,
        interruptible: false,
        expiring: false,
      },
    ]
    const settings = typeSettings({}, { reservations })
    const key = 'karpenter.sh/capacity-type'
    expect(text('m5.large', key, settings)).toBe(`${key} In [on-demand reserved spot]`)
    expect(text('m5.xlarge', key, settings)).toBe(`${key} In [on-demand spot]`)
    const id = 'karpenter.k8s.aws/capacity-reservation-id'
    expect(text('m5.large', id, settings)).toBe(`${id} In [cr-1]`)
    expect(text('m5.xlarge', id, settings)).toBe(`${id} DoesNotExist`)
  })

  test('what cannot be had as spot is on demand only', () => {
    const key = 'karpenter.sh/capacity-type'
    expect(text('u-6tb1.112xlarge', key)).toBe(`${key} In [on-demand]`)
  })

  test('nodes run Linux unless the class is of Windows', () => {
    const key = 'kubernetes.io/os'
    expect([text('m5.large', key), text('c6g.large', key)]).toEqual([`${key} In [linux]`, `${key} In [linux]`])
    expect(text('m5.large', 'node.kubernetes.io/windows-build')).toBe('node.kubernetes.io/windows-build DoesNotExist')
  })

  test('sandboxes need enclaves', () => {
    const key = 'karpenter.k8s.aws/nitro-sandbox'
    expect([text('c6g.large', key), text('m5.large', key)]).toEqual([`${key} In [true]`, `${key} DoesNotExist`])
  })
})
