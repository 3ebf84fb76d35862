import { expect, test } from 'vitest'
import {
  type OfferingInputs,
  offeringsOf,
  reservedOfferingsOf,
} from '../../../../../src/cloud/aws/instance-types/offerings.ts'
import type { PlacementGroup } from '../../../../../src/cloud/aws/instance-types/type-settings.ts'
import type { Offering } from '../../../../../src/model/instance-type.ts'

const zones = ['us-east-1a', 'us-east-1b']
const type = {
  name: 'm5.large',
  zones: new Set(zones),
  capacityTypes: ['on-demand', 'spot'] as const,
  meetsDemands: true,
}
const inputs: OfferingInputs = {
  allZones: zones,
  zoneIDs: new Map([
    ['us-east-1a', 'use1-az1'],
    ['us-east-1b', 'use1-az2'],
  ]),
  subnetIDs: new Map(zones.map((zone) => [zone, [`subnet-${zone}`]])),
  placementGroup: undefined,
  isShifted: () => false,
  isUnavailable: () => false,
  price: (_type, capacityType) => (capacityType === 'spot' ? 0.03 : 0.1),
  overlayPrice: () => undefined,
}
const group: PlacementGroup = { id: 'pg-1', name: 'together', strategy: 'partition', partitionCount: 2 }

const valueOf = ({ requirements }: Offering, key: string) => [...(requirements.get(key)?.values ?? [])].join()
const text = (offering: Offering) =>
  [
    'karpenter.sh/capacity-type',
    'topology.kubernetes.io/zone',
    'topology.k8s.aws/zone-id',
    'karpenter.k8s.aws/placement-group-partition',
  ]
    .map((key) => valueOf(offering, key))
    .filter((value) => value !== '')
    .join(' ')
const offered = (more: Partial<OfferingInputs> = {}) => offeringsOf(type, { ...inputs, ...more }, new Map())
const available = (more: Partial<OfferingInputs>) => offered(more).flatMap((it) => (it.available ? [text(it)] : []))

test('an offering tells its zone by name and id, and nothing of a reservation', () => {
  expect(offered().map(text)).toEqual([
    'on-demand us-east-1a use1-az1',
    'spot us-east-1a use1-az1',
    'on-demand us-east-1b use1-az2',
    'spot us-east-1b use1-az2',
  ])
  const [{ requirements } = { requirements: new Map() }] = offered()
  expect(
    [...requirements.keys()].filter((key) => key.startsWith('karpenter.k8s.aws/capacity-reservation')),
  ).toHaveLength(3)
})

test.each([[undefined], ['']])('of a zone whose id is %j only the name is told', (id) => {
  const zoneIDs = new Map([['us-east-1a', id]])
  expect(
    offered({ zoneIDs, allZones: ['us-east-1a'] }).map((it) => it.requirements.has('topology.k8s.aws/zone-id')),
  ).toEqual([false, false])
})

test('a zone whose id the class does not know is not taken for one that traffic was shifted away from', () => {
  const shifted = { isShifted: (id: string) => id === 'use1-az1' }
  expect(available(shifted)).toEqual(['on-demand us-east-1b use1-az2', 'spot us-east-1b use1-az2'])
  expect(available({ ...shifted, zoneIDs: new Map() })).toHaveLength(4)
})

test('what has no price cannot be had, unless an overlay gives it one, which counts for nothing else', () => {
  const price: OfferingInputs['price'] = (_type, capacityType) => (capacityType === 'spot' ? undefined : 0.1)
  const prices = (more: Partial<OfferingInputs>) =>
    offered({ price, allZones: ['us-east-1a'], ...more }).map((it) => [it.price, it.available])
  expect(prices({})).toEqual([
    [0.1, true],
    [0, false],
  ])
  expect(prices({ overlayPrice: () => 0.05 })).toEqual([
    [0.1, true],
    [0.05, true],
  ])
})

test('each partition of a placement group has its own offerings, which may have run out by itself', () => {
  const isUnavailable: OfferingInputs['isUnavailable'] = ({ zone, capacityType }, subnets, scope) => {
    expect(subnets).toEqual([`subnet-${zone}`])
    expect(scope?.groupID).toBe('pg-1')
    return zone === 'us-east-1a' && capacityType === 'spot' && scope?.partition === '2'
  }
  expect(offered({ placementGroup: group }).map(text)).toHaveLength(8)
  expect(available({ placementGroup: group, isUnavailable })).toEqual([
    'on-demand us-east-1a use1-az1 1',
    'on-demand us-east-1a use1-az1 2',
    'spot us-east-1a use1-az1 1',
    'on-demand us-east-1b use1-az2 1',
    'on-demand us-east-1b use1-az2 2',
    'spot us-east-1b use1-az2 1',
    'spot us-east-1b use1-az2 2',
  ])
  const reservation = {
    id: 'cr-1',
    instanceType: 'm5.large',
    zone: 'us-east-1b',
    type: 'default',
    interruptible: false,
    expiring: false,
  } as const
  const reserved = reservedOfferingsOf(type, [reservation], { ...inputs, placementGroup: group }, () => 1, new Map())
  expect(reserved.map(text)).toEqual(['reserved us-east-1b use1-az2 1', 'reserved us-east-1b use1-az2 2'])
})

test.each([
  ['of which EC2 tells no partitions', { ...group, partitionCount: 0 }],
  ['that spreads', { ...group, strategy: 'spread', partitionCount: 0 }],
  ['that keeps together', { ...group, strategy: 'cluster', partitionCount: 7 }],
] as const)('a placement group %s has one offering for each pool', (_what, placementGroup) => {
  expect(offered({ placementGroup }).map(text)).toEqual(offered().map(text))
})
