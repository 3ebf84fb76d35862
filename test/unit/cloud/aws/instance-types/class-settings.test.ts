import { expect, test } from 'vitest'
import { aNodeClass, anAWSWorld, type AWSWorldOptions } from '../../../../support/aws-world.ts'

type Spec = Parameters<typeof aNodeClass>[0]

/** What a type has for a class with these settings. */
async function capacityOf(name: string, spec: Spec = {}, options: AWSWorldOptions = {}) {
  const world = await anAWSWorld({ types: [name], ...options })
  const type = world.cloud.instanceTypes.get(aNodeClass(spec), name)
  return (resource: string) => type?.capacity.get(resource)?.toString()
}

test.each<[string, Spec, string]>([
  ['nothing', {}, '20Gi'],
  ['to join the disks of the instance', { instanceStorePolicy: 'RAID0' }, '7600G'],
  [
    'a disk of its own',
    { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '40Gi', volumeType: 'gp3' } }] },
    '40Gi',
  ],
  ['a family that keeps pods elsewhere', { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }, '20Gi'],
  ['Windows', { amiSelectorTerms: [{ alias: 'windows2022@latest' }] }, '50Gi'],
])('of a class that asks for %s pods have the right disk', async (_what, spec, storage) => {
  expect((await capacityOf('m6idn.32xlarge', spec))('ephemeral-storage')).toBe(storage)
})

test.each<[string, Spec, AWSWorldOptions, string]>([
  ['nothing', {}, {}, '29'],
  ['interfaces that are kept free', {}, { settings: { reservedENIs: 1 } }, '20'],
  ['a number', { kubelet: { maxPods: 12 } }, {}, '12'],
  ['an expression', { kubelet: { maxPods: 'max_pods - 9' } }, { gates: { nodeClassCEL: true } }, '20'],
  ['an expression without the gate', { kubelet: { maxPods: 'max_pods - 9' } }, {}, '29'],
])('with %s a node takes as many pods as that leaves', async (_what, spec, options, pods) => {
  expect((await capacityOf('m5.large', spec, options))('pods')).toBe(pods)
})

test('memory is less by the share that the hypervisor keeps', async () => {
  const memory = async (vmMemoryOverheadPercent: number) =>
    (await capacityOf('m5.large', {}, { settings: { vmMemoryOverheadPercent } }))('memory')
  expect([await memory(0), await memory(0.075), await memory(0.5)]).toEqual(['8Gi', '7577Mi', '4Gi'])
})

test('reservations count with their gate alone', async () => {
  const capacityReservations = [
    {
      id: 'cr-1',
      instanceType: 'm5.large',
      availabilityZone: 'us-east-1a',
      instanceMatchCriteria: 'targeted' as const,
      ownerID: '123456789012',
      state: 'active' as const,
    },
  ]
  for (const reservedCapacity of [true, false]) {
    const world = await anAWSWorld({ types: ['m5.large'], gates: { reservedCapacity } })
    const type = world.cloud.instanceTypes.get(aNodeClass({}, { status: { capacityReservations } }), 'm5.large')
    expect(type?.requirements.get('karpenter.sh/capacity-type')?.values.has('reserved')).toBe(reservedCapacity)
    expect(type?.offerings.some((it) => it.reservationCapacity !== undefined)).toBe(reservedCapacity)
  }
})
