import { describe, expect, test } from 'vitest'
import { ec2NodeClassHash } from '../../../../src/api/hash/index.ts'
import { canonicalQuantityText } from '../../../../src/api/hash/volume-size.ts'
import type { BlockDeviceMapping, EC2NodeClassSpec } from '../../../../src/api/karpenter.ts'
import { publishedClass } from '../../../support/published-class.ts'

const { device, second, tags, options, spec: base } = publishedClass
const firstDisk = (mapping: BlockDeviceMapping): Partial<EC2NodeClassSpec> => ({
  blockDeviceMappings: [{ deviceName: 'map-device-1', ebs: device, ...mapping }, second],
})
const { role: _role, ...withoutRole } = base

const published: Record<string, [EC2NodeClassSpec, string]> = {
  'the base': [base, '11148166120438674859'],
  'tags the other way round': [
    { ...base, tags: { 'keyTag-2': 'valueTag-2', 'keyTag-1': 'valueTag-1' } },
    '11148166120438674859',
  ],
  'disks the other way round': [
    { ...base, blockDeviceMappings: [second, { deviceName: 'map-device-1', ebs: device }] },
    '11148166120438674859',
  ],
  'selector terms do not count': [
    { ...base, amiSelectorTerms: [{ id: 'ami-1' }], subnetSelectorTerms: [{ id: 'subnet-1' }] },
    '11148166120438674859',
  ],
  'another user data': [{ ...base, userData: 'userdata-test-2' }, '11774429238106843388'],
  'another context': [{ ...base, context: 'context-2' }, '2279761750428738028'],
  'another tag': [{ ...base, tags: { ...tags, 'keyTag-test-3': 'valueTag-test-3' } }, '9327338697296909506'],
  'detailed monitoring': [{ ...base, detailedMonitoring: true }, '1936848126751988570'],
  'instance store as RAID0': [{ ...base, instanceStorePolicy: 'RAID0' }, '16697988646989909967'],
  'metadata endpoint': [{ ...base, metadataOptions: { ...options, httpEndpoint: 'enabled' } }, '14969742554812447671'],
  'metadata hop limit': [
    { ...base, metadataOptions: { ...options, httpPutResponseHopLimit: 10 } },
    '14046948658064232764',
  ],
  'device name': [{ ...base, ...firstDisk({ deviceName: 'map-device-test-3' }) }, '8979166653850509463'],
  'root volume': [{ ...base, ...firstDisk({ rootVolume: true }) }, '8875796205856543692'],
  'disk iops': [{ ...base, ...firstDisk({ ebs: { ...device, iops: 10 } }) }, '11651419893470054855'],
  'disk size': [{ ...base, ...firstDisk({ ebs: { ...device, volumeSize: '10G' } }) }, '10372902467896351912'],
  'connection tracking': [{ ...base, connectionTracking: { tcpEstablishedTimeout: 300 } }, '1619669030802245540'],
  'cpu options': [{ ...base, cpuOptions: { nestedVirtualization: 'enabled' } }, '6157846767212910604'],
  'instance profile instead of role': [
    { ...withoutRole, instanceProfile: 'test-instance-profile' },
    '10323991363677716244',
  ],
}

describe('version 6, with a CA bundle', () => {
  test.each(Object.entries(published))('%s', (_name, [spec, want]) => {
    expect(ec2NodeClassHash({ spec }, 'test-ca-bundle')).toBe(want)
  })
})

const plain: EC2NodeClassSpec = {
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  role: 'KarpenterNodeRole-demo',
  metadataOptions: {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
}

const derived: Record<string, [Partial<EC2NodeClassSpec>, string]> = {
  'a plain class': [{}, '477699353285763520'],
  'kubelet maxPods': [{ kubelet: { maxPods: 110 } }, '15797341907823663569'],
  'an empty kubelet counts as none': [{ kubelet: {} }, '477699353285763520'],
  'several kubelet fields, in any order': [
    {
      kubelet: {
        maxPods: 110,
        kubeReserved: { memory: '100Mi', cpu: '200m' },
        evictionHard: { 'memory.available': '5%' },
        clusterDNS: ['10.0.0.10'],
      },
    },
    '699086934149562824',
  ],
  'a disk': [
    {
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          ebs: { deleteOnTermination: true, encrypted: true, volumeSize: '20Gi', volumeType: 'gp3' },
        },
      ],
    },
    '15363568329427443916',
  ],
  'an empty list of disks': [{ blockDeviceMappings: [] }, '5249176736034076471'],
  'a tag': [{ tags: { team: 'a' } }, '10237206626914921520'],
  'a placement group': [{ placementGroupSelector: { name: 'my-pg' } }, '6456524766684694796'],
  'a network interface': [
    { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] },
    '15278205383786815611',
  ],
  'empty cpu options': [{ cpuOptions: {} }, '11256600643609083235'],
  'empty user data': [{ userData: '' }, '6539987873048899525'],
  'all connection tracking timeouts': [
    { connectionTracking: { tcpEstablishedTimeout: 3600, udpStreamTimeout: 180, udpTimeout: 30 } },
    '16125238432882539780',
  ],
}

describe('version 6, without a CA bundle', () => {
  test.each(Object.entries(derived))('%s', (_name, [change, want]) => {
    expect(ec2NodeClassHash({ spec: { ...plain, ...change } }, '')).toBe(want)
  })

  test('a CA bundle changes it', () => {
    expect(ec2NodeClassHash({ spec: plain }, 'Y2EtYnVuZGxl')).toBe('9839650171894094741')
  })
})

test('version 5, as release 1.14.1 writes it', () => {
  expect(ec2NodeClassHash({ spec: base }, 'test-ca-bundle', 'v5')).toBe('2608468723537941485')
})

test('sizes are hashed as Go prints them', () => {
  expect(['1024Gi', '1000G', '20Gi', '1500Gi', 'Ti'].map(canonicalQuantityText)).toEqual([
    '1Ti',
    '1T',
    '20Gi',
    '1500Gi',
    'Ti',
  ])
})
