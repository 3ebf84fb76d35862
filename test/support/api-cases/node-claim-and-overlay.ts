import { type ApiCase, type Change, casesOf, updatesOf } from './case.ts'

const requires = (requirement: object): Change => ({ requirements: [requirement] })

export const nodeClaimCases: readonly ApiCase[] = [
  ...casesOf('NodeClaim', [
    [67, 'the smallest claim', {}],
    [68, 'a claim may require its pool', requires({ key: 'karpenter.sh/nodepool', operator: 'In', values: ['p'] })],
    [69, 'a taint without effect', { taints: [{ key: 'a' }] }, 'Required value'],
  ]),
  ...updatesOf('NodeClaim', [
    [70, 'a claim gets a grace period', {}, { terminationGracePeriod: '1h' }, 'spec is immutable'],
    [71, 'a claim gets a label', {}, { 'metadata.labels': { a: 'b' } }],
  ]),
]

export const nodeOverlayCases: readonly ApiCase[] = casesOf('NodeOverlay', [
  [72, 'a price', { price: '0.432' }],
  [73, 'a price without its zero', { price: '.5' }, 'should match'],
  [74, 'a price raised by a share', { priceAdjustment: '+10%' }],
  [75, 'a price lowered by an amount', { priceAdjustment: '-43' }],
  [76, 'an adjustment without sign', { priceAdjustment: '10%' }, 'should match'],
  [77, 'an adjustment below nothing', { priceAdjustment: '-100.5%' }, 'should match'],
  [
    78,
    'a price and an adjustment',
    { price: '1', priceAdjustment: '+1' },
    "cannot set both 'price' and 'priceAdjustment'",
  ],
  [79, 'a capacity of a device', { capacity: { 'smarter-devices/fuse': 1 } }],
  [80, 'a capacity of CPU', { capacity: { cpu: 1 } }, 'invalid resource restricted'],
  [
    81,
    'NotIn with no value in the list',
    requires({ key: 'a', operator: 'NotIn', values: [] }),
    "requirements with operator 'NotIn' must have a value defined",
  ],
  [82, 'an overlay may select a pool', requires({ key: 'karpenter.sh/nodepool', operator: 'In', values: ['p'] })],
  [
    83,
    'an overlay may not select a capacity reservation',
    requires({ key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'Exists' }),
    'label domain "karpenter.k8s.aws" is restricted',
  ],
  [84, 'a weight above its bound', { weight: 10_001 }, 'less than or equal to 10000'],
])
