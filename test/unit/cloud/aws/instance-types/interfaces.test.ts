import { expect, test } from 'vitest'
import { meetsDemands, type ClassDemands } from '../../../../../src/cloud/aws/instance-types/compatibility.ts'
import { podsByENI } from '../../../../../src/cloud/aws/instance-types/eni.ts'
import { amount, infoOf, resolved, typeSettings } from '../../../../support/resolved-type.ts'

test('case 46: pods take addresses of the default card only', () => {
  const type = resolved('m6idn.32xlarge')
  expect([amount(type, 'pods'), amount(type, 'vpc.amazonaws.com/efa')]).toEqual(['394', '2'])
})

const interfaces = [
  { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' as const },
  { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' as const },
]
test('case 47: an EFA-only interface on the first card takes one interface from pods', () => {
  const type = resolved('m5.xlarge', typeSettings({ networkInterfaces: interfaces }))
  expect([amount(type, 'pods'), amount(type, 'vpc.amazonaws.com/efa')]).toEqual([String(3 * 14 + 2), '1'])
})

test('interfaces of the class that are not for EFA alone take none from pods, nor do those on other cards', () => {
  const plain = (deviceIndex: number) => ({ networkCardIndex: 0, deviceIndex, interfaceType: 'interface' as const })
  const more = [plain(0), plain(1), { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' as const }]
  const type = resolved('m5.xlarge', typeSettings({ networkInterfaces: more }))
  expect([amount(type, 'pods'), amount(type, 'vpc.amazonaws.com/efa')]).toEqual([String(4 * 14 + 2), '1'])
})

test('pods take addresses of the default card, whichever that is', () => {
  const card = (NetworkCardIndex: number, MaximumNetworkInterfaces: number) => ({
    NetworkCardIndex,
    MaximumNetworkInterfaces,
  })
  const network = { Ipv4AddressesPerInterface: 10, NetworkCards: [card(0, 2), card(1, 4)] }
  const pods = (more: object) => podsByENI({ NetworkInfo: { ...network, ...more } }, 0, undefined)
  expect(pods({ DefaultNetworkCardIndex: 1 })).toBe(4 * 9 + 2)
  expect(pods({ DefaultNetworkCardIndex: 0 })).toBe(2 * 9 + 2)
  expect(pods({})).toBe(2 * 9 + 2)
})

const none: ClassDemands = {
  family: 'AL2',
  networkInterfaces: [],
  nestedVirtualization: false,
  placementGroup: undefined,
  connectionTracking: false,
}
const group = { id: 'pg-1', name: 'g', strategy: 'cluster' as const, partitionCount: 0 }
const demands: Record<string, [type: string, demands: Partial<ClassDemands>, met: boolean]> = {
  'case 47: a type without EFA cannot have EFA-only interfaces': [
    'm5.xlarge',
    { networkInterfaces: interfaces },
    false,
  ],
  'case 47: one with EFA can': ['m6idn.32xlarge', { networkInterfaces: interfaces }, true],
  'a card that is not there': [
    'm6idn.32xlarge',
    { networkInterfaces: [{ networkCardIndex: 9, deviceIndex: 0, interfaceType: 'interface' }] },
    false,
  ],
  'case 53: AL2023 does not run on a1': ['a1.large', { family: 'AL2023' }, false],
  'case 53: Bottlerocket does': ['a1.large', { family: 'Bottlerocket' }, true],
  'case 53: connection tracking needs nitro, not xen': ['c4.large', { connectionTracking: true }, false],
  'case 53: nor metal': ['m5.metal', { connectionTracking: true }, false],
  'xen serves a class that asks for nothing special': ['c4.large', {}, true],
  'so does metal': ['m5.metal', {}, true],
  'AL2023 runs on what is newer than a1': ['m6g.large', { family: 'AL2023' }, true],
  'connection tracking on nitro': ['m5.large', { connectionTracking: true }, true],
  'nested virtualization': ['m5.large', { nestedVirtualization: true }, false],
  'nested virtualization where supported': ['m8i.large', { nestedVirtualization: true }, true],
  'a cluster group of burstable types': ['t3.large', { placementGroup: group }, false],
  'a cluster group': ['m5.large', { placementGroup: group }, true],
}
test.each(Object.entries(demands))('%s', (_name, [type, more, met]) => {
  expect(meetsDemands(infoOf(type), { ...none, ...more })).toBe(met)
})

const efaOnly = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    networkCardIndex: index,
    deviceIndex: 1,
    interfaceType: 'efa-only' as const,
  }))
test.each([
  ['the last device of the card', [{ networkCardIndex: 0, deviceIndex: 7, interfaceType: 'interface' as const }], true],
  ['one device more', [{ networkCardIndex: 0, deviceIndex: 8, interfaceType: 'interface' as const }], false],
  ['as many EFA-only interfaces as it has', efaOnly(2), true],
  ['one more on a card that it has', [...efaOnly(2), { ...efaOnly(1)[0], deviceIndex: 2 }], false],
])('m6idn.32xlarge with %s: %s', (_name, networkInterfaces, met) => {
  const wanted = networkInterfaces as ClassDemands['networkInterfaces']
  expect(meetsDemands(infoOf('m6idn.32xlarge'), { ...none, networkInterfaces: wanted })).toBe(met)
})

test.each(['unsupported', undefined] as const)('interfaces need ENA, which may be %s', (EnaSupport) => {
  const info = infoOf('m5.large')
  const { EnaSupport: _support, ...network } = info.NetworkInfo ?? {}
  const without = { ...info, NetworkInfo: { ...network, ...(EnaSupport === undefined ? {} : { EnaSupport }) } }
  const wanted = { ...none, networkInterfaces: interfaces.slice(0, 1) }
  expect([meetsDemands(info, wanted), meetsDemands(without, wanted)]).toEqual([true, false])
  expect(meetsDemands(without, none)).toBe(true)
})
