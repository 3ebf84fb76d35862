import { describe, expect, test } from 'vitest'
import type { EC2NodeClassSpec } from '../../../../../src/api/karpenter.ts'
import {
  createTemplateRequest,
  type TemplateInputs,
  templateName,
} from '../../../../../src/cloud/aws/launch-template/parameters.ts'

function inputsOf(spec: Partial<EC2NodeClassSpec> = {}, more: Partial<TemplateInputs> = {}): TemplateInputs {
  const full = {
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    ...spec,
  }
  return {
    spec: full,
    nodeClassName: 'default',
    region: 'us-east-1',
    clusterName: 'demo',
    clusterEndpoint: 'https://api.demo.example',
    clusterCIDR: '172.20.0.0/16',
    dnsIP: '172.20.0.10',
    ipFamily: 'IPv4',
    instanceProfile: 'profile',
    securityGroupIDs: ['sg-1'],
    tags: { team: 'core' },
    amiID: 'ami-1',
    userData: '#!/bin/sh',
    userDataKey: '',
    capacityType: 'on-demand',
    tenancy: 'default',
    efaCount: 0,
    plainFirstCard: false,
    enclaves: false,
    reservation: undefined,
    reservedCapacityGate: true,
    placementGroup: undefined,
    partition: undefined,
    ...more,
  }
}

function dataOf(spec: Partial<EC2NodeClassSpec> = {}, more: Partial<TemplateInputs> = {}) {
  return createTemplateRequest('karpenter.k8s.aws/1', inputsOf(spec, more)).LaunchTemplateData
}

describe('volumes', () => {
  test('carry all that the class says of them, sizes in GiB', () => {
    const ebs = {
      deleteOnTermination: true,
      encrypted: true,
      iops: 4_000,
      kmsKeyID: 'arn:aws:kms:us-east-1:111122223333:key/k',
      snapshotID: 'snap-1',
      throughput: 250,
      volumeInitializationRate: 100,
      volumeSize: '1Ti',
      volumeType: 'gp3',
    } as const
    expect(dataOf({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs }] })?.BlockDeviceMappings).toEqual([
      {
        DeviceName: '/dev/xvda',
        Ebs: {
          DeleteOnTermination: true,
          Encrypted: true,
          Iops: 4_000,
          KmsKeyId: 'arn:aws:kms:us-east-1:111122223333:key/k',
          SnapshotId: 'snap-1',
          Throughput: 250,
          VolumeInitializationRate: 100,
          VolumeSize: 1_024,
          VolumeType: 'gp3',
        },
      },
    ])
  })

  test('of a snapshot may be of its size', () => {
    const mapping = { deviceName: '/dev/xvdb', ebs: { snapshotID: 'snap-1' } }
    const { BlockDeviceMappings: devices } = dataOf({ blockDeviceMappings: [mapping] }) ?? {}
    expect(devices).toStrictEqual([{ DeviceName: '/dev/xvdb', Ebs: { SnapshotId: 'snap-1' } }])
  })

  test('say nothing of IOPS or throughput that are zero, and nothing but its name of a device without a volume', () => {
    const ebs = { iops: 0, throughput: 0, volumeSize: '20Gi' }
    const devices = [{ deviceName: '/dev/xvda', ebs }, { deviceName: '/dev/xvdb' }]
    expect(dataOf({ blockDeviceMappings: devices })?.BlockDeviceMappings).toEqual([
      { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20 } },
      { DeviceName: '/dev/xvdb' },
    ])
  })

  const gp3 = (DeviceName: string, VolumeSize: number) => ({
    DeviceName,
    Ebs: { Encrypted: true, VolumeSize, VolumeType: 'gp3' },
  })
  test.each([
    ['AL2', [gp3('/dev/xvda', 20)]],
    ['Bottlerocket', [gp3('/dev/xvda', 4), gp3('/dev/xvdb', 20)]],
    ['Windows2022', [gp3('/dev/sda1', 50)]],
    ['Custom', undefined],
  ] as const)('%s has its own when the class names none', (amiFamily, devices) => {
    const none = { amiFamily, amiSelectorTerms: [{ id: 'ami-1' }] }
    expect(dataOf(none)?.BlockDeviceMappings).toEqual(devices)
    const empty = { ...none, blockDeviceMappings: [] }
    expect(dataOf(empty)?.BlockDeviceMappings).toEqual(devices)
    expect(templateName(inputsOf(empty))).toBe(templateName(inputsOf(none)))
  })
})

describe('metadata options', () => {
  const options = { httpEndpoint: 'enabled', httpProtocolIPv6: 'enabled', httpTokens: 'optional' } as const

  test('are those of the class; tags are never among them', () => {
    expect(dataOf({ metadataOptions: { ...options, httpPutResponseHopLimit: 3 } })?.MetadataOptions).toEqual({
      HttpEndpoint: 'enabled',
      HttpProtocolIpv6: 'enabled',
      HttpPutResponseHopLimit: 3,
      HttpTokens: 'optional',
      InstanceMetadataTags: 'disabled',
    })
  })

  test.each([
    'us-iso-east-1',
    'us-iso-west-1',
    'us-isob-east-1',
    'us-isob-west-1',
    'us-isof-south-1',
    'us-isof-east-1',
  ])('say nothing of IPv6 in %s', (region) => {
    expect(dataOf({ metadataOptions: options }, { region })?.MetadataOptions).not.toHaveProperty('HttpProtocolIpv6')
  })

  test.each([
    ['172.20.0.10', 'disabled'],
    ['fd00::a', 'enabled'],
  ])('of a class without any follow the cluster: DNS at %s, IPv6 %s', (dnsIP, protocol) => {
    expect(dataOf({}, { dnsIP })?.MetadataOptions).toEqual({
      HttpEndpoint: 'disabled',
      HttpProtocolIpv6: protocol,
      HttpPutResponseHopLimit: 2,
      HttpTokens: 'required',
      InstanceMetadataTags: 'disabled',
    })
  })
})

describe('reservations', () => {
  const reserved = (more: object): Partial<TemplateInputs> => ({
    capacityType: 'reserved',
    reservation: { id: 'cr-1', type: 'default', interruptible: false, ...more },
  })
  const only = {
    CapacityReservationPreference: 'capacity-reservations-only',
    CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
  }
  test.each([
    ['none', {}, { CapacityReservationPreference: 'none' }, undefined],
    ['a default one', reserved({}), only, undefined],
    ['a capacity block', reserved({ type: 'capacity-block' }), only, { MarketType: 'capacity-block' }],
    [
      'an interruptible one',
      reserved({ interruptible: true }),
      only,
      { MarketType: 'interruptible-capacity-reservation' },
    ],
    ['one while the gate is off', { ...reserved({}), reservedCapacityGate: false }, undefined, undefined],
  ])('%s', (_name, more, specification, market) => {
    const data = dataOf({}, more)
    expect([data?.CapacityReservationSpecification, data?.InstanceMarketOptions]).toEqual([specification, market])
  })
})

test('nested virtualization, enclaves and detailed monitoring are asked for', () => {
  const data = dataOf({ cpuOptions: { nestedVirtualization: 'enabled' }, detailedMonitoring: true }, { enclaves: true })
  expect(data?.CpuOptions).toEqual({ NestedVirtualization: 'enabled' })
  expect(data?.EnclaveOptions).toEqual({ Enabled: true })
  expect(data?.Monitoring).toEqual({ Enabled: true })
})

test.each([undefined, 1, 2])('of a partition group partition %s is asked for', (partition) => {
  const placementGroup = { id: 'pg-1', name: 'racks', strategy: 'partition', partitionCount: 3 } as const
  expect(dataOf({}, { placementGroup, partition })?.Placement).toEqual({
    Tenancy: 'default',
    GroupId: 'pg-1',
    ...(partition === undefined ? {} : { PartitionNumber: partition }),
  })
})

test('only a spot request is tagged as one', () => {
  const tagged = (capacityType: 'spot' | 'on-demand') =>
    dataOf({}, { capacityType })?.TagSpecifications?.map(({ ResourceType }) => ResourceType)
  expect(tagged('spot')).toEqual(['network-interface', 'spot-instances-request'])
  expect(tagged('on-demand')).toEqual(['network-interface'])
})

test.each([
  [{ tcpEstablishedTimeout: 60 }, { TcpEstablishedTimeout: 60 }],
  [{ udpStreamTimeout: 90 }, { UdpStreamTimeout: 90 }],
  [{ udpTimeout: 45 }, { UdpTimeout: 45 }],
  [
    { tcpEstablishedTimeout: 60, udpStreamTimeout: 90, udpTimeout: 45 },
    { TcpEstablishedTimeout: 60, UdpStreamTimeout: 90, UdpTimeout: 45 },
  ],
  [{}, undefined],
])('connections are tracked as in %j', (connectionTracking, want) => {
  const [first] = dataOf({ connectionTracking })?.NetworkInterfaces ?? []
  expect(first?.ConnectionTrackingSpecification).toEqual(want)
})
