import { describe, expect, test } from 'vitest'
import type { NodeOverlay, NodePool } from '../../../src/api/karpenter.ts'
import type { InstanceType } from '../../../src/model/instance-type.ts'
import { labelRequirements, requirementsOf } from '../../../src/model/requirements.ts'
import { toRequirement } from '../../../src/model/requirement.ts'
import { toResourceList, toResources } from '../../../src/model/resources.ts'
import {
  applyOverlays,
  changedPrice,
  evaluateOverlays,
  parsePriceChange,
} from '../../../src/scheduling/node-overlay.ts'
import { aPool } from '../../support/controller-builders.ts'

const capacityType = 'karpenter.sh/capacity-type'
const zone = 'topology.kubernetes.io/zone'
const typeName = 'node.kubernetes.io/instance-type'
const wellKnownLabels = new Set([capacityType, zone, typeName])
const aliases = new Map<string, string>()

function anInstanceType(name: string, price = 1): InstanceType {
  return {
    name,
    requirements: requirementsOf(
      toRequirement(typeName, 'In', [name]),
      toRequirement(capacityType, 'In', ['spot', 'on-demand']),
      toRequirement(zone, 'In', ['z1', 'z2']),
    ),
    capacity: toResources({ cpu: '2' }),
    overhead: { kubeReserved: new Map(), systemReserved: new Map(), evictionThreshold: new Map() },
    offerings: ['spot', 'on-demand'].flatMap((kind) =>
      ['z1', 'z2'].map((at) => ({
        requirements: labelRequirements({ [capacityType]: kind, [zone]: at }, aliases),
        price,
        available: kind === 'spot',
      })),
    ),
  }
}

function anOverlay(name: string, spec: Partial<NodeOverlay['spec']>): NodeOverlay {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { requirements: [], ...spec },
  }
}

const pool = aPool('default', {
  template: { ...aPool().spec.template, metadata: { labels: { team: 'a' } } },
}) as NodePool
const onType = (name: string) => [{ key: typeName, operator: 'In' as const, values: [name] }]

function evaluate(overlays: readonly NodeOverlay[], types = [anInstanceType('small'), anInstanceType('large', 4)]) {
  const { conflicting, updates } = evaluateOverlays({ overlays, pools: [{ pool, types }], aliases, wellKnownLabels })
  const applied = applyOverlays(types, updates.get('default') ?? new Map())
  return {
    conflicting: [...conflicting],
    applied,
    prices: (name: string) => applied.find((type) => type.name === name)?.offerings.map(({ price }) => price),
    capacity: (name: string) => toResourceList(applied.find((type) => type.name === name)?.capacity ?? new Map()),
  }
}

test('a price and a capacity of equal weight are no conflict, in whatever order', () => {
  for (const [first, second] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const { prices, capacity, conflicting } = evaluate([
      anOverlay(first, { price: '2' }),
      anOverlay(second, { capacity: { slots: '4' } }),
    ])
    expect(conflicting).toEqual([])
    expect([prices('small')?.[0], capacity('small')]).toEqual([2, { cpu: '2', slots: '4' }])
  }
})

test('with another price an offering is what it was in all else', () => {
  const before = anInstanceType('small')
  const { applied } = evaluate([anOverlay('a', { price: '2' })], [before])
  const rest = (type: InstanceType | undefined) =>
    type?.offerings.map(({ requirements, available }) => ({ requirements, available }))
  expect(rest(applied[0])).toEqual(rest(before))
})

describe('prices', () => {
  const changes: Record<string, { price: number; change: Partial<NodeOverlay['spec']>; want: number }> = {
    'a price replaces': { price: 1, change: { price: '0.25' }, want: 0.25 },
    'an amount is added': { price: 1, change: { priceAdjustment: '+0.5' }, want: 1.5 },
    'an amount is taken off': { price: 1, change: { priceAdjustment: '-0.25' }, want: 0.75 },
    'a share is added': { price: 2, change: { priceAdjustment: '+50%' }, want: 3 },
    'a share is taken off': { price: 2, change: { priceAdjustment: '-100%' }, want: 0 },
    'parts of a cent count': { price: 0.25, change: { priceAdjustment: '+0.0625' }, want: 0.3125 },
    'parts of a percent count': { price: 8, change: { priceAdjustment: '-12.5%' }, want: 7 },
    'nothing changes nothing': { price: 0.33, change: { priceAdjustment: '+0%' }, want: 0.33 },
    'no price falls below zero': { price: 1, change: { priceAdjustment: '-5' }, want: 0 },
  }
  test.each(Object.entries(changes))('%s', (_name, { price, change, want }) => {
    const parsed = parsePriceChange({ requirements: [], ...change })
    expect(parsed === undefined ? undefined : changedPrice(price, parsed)).toBe(want)
  })

  test('naming a type changes all its offerings, available or not', () => {
    const { prices } = evaluate([anOverlay('o', { requirements: onType('small'), price: '0.5' })])
    expect(prices('small')).toEqual([0.5, 0.5, 0.5, 0.5])
    expect(prices('large')).toEqual([4, 4, 4, 4])
  })

  test('naming a capacity type changes the offerings of it', () => {
    const requirements = [{ key: capacityType, operator: 'In' as const, values: ['spot'] }]
    expect(evaluate([anOverlay('o', { requirements, priceAdjustment: '+100%' })]).prices('small')).toEqual([2, 2, 1, 1])
  })

  test('a type that an overlay changes is no longer known to have devices', () => {
    const deviceTemplates = [{ driver: 'gpu.example.com', devices: [{ name: 'gpu-0' }] }]
    const types = ['small', 'large'].map((name) => ({ ...anInstanceType(name), deviceTemplates }))
    const { applied } = evaluate([anOverlay('o', { requirements: onType('small'), price: '0.5' })], types)
    expect(applied.map((type) => type.deviceTemplates)).toEqual([undefined, deviceTemplates])
  })

  test('the heavier overlay counts, and nothing is stacked', () => {
    const { prices, conflicting } = evaluate([
      anOverlay('light', { price: '9', weight: 10 }),
      anOverlay('heavy', { requirements: onType('small'), priceAdjustment: '+10%', weight: 20 }),
    ])
    expect(prices('small')).toEqual([1.1, 1.1, 1.1, 1.1])
    expect(prices('large')).toEqual([9, 9, 9, 9])
    expect(conflicting).toEqual([])
  })

  test('case 154: of two with the same weight on the same offerings the later name holds, the other is refused', () => {
    const { prices, conflicting } = evaluate([anOverlay('a', { price: '1.5' }), anOverlay('b', { price: '2.5' })])
    expect(conflicting).toEqual(['a'])
    expect(prices('small')).toEqual([2.5, 2.5, 2.5, 2.5])
  })

  test('an overlay that is refused somewhere changes nothing anywhere', () => {
    const { prices, conflicting } = evaluate([
      anOverlay('a', { price: '1.5' }),
      anOverlay('b', { requirements: onType('small'), price: '2.5' }),
    ])
    expect(conflicting).toEqual(['a'])
    expect(prices('large')).toEqual([4, 4, 4, 4])
  })

  test('one shared offering is a conflict, and those that come after it hold', () => {
    const spot = [{ key: capacityType, operator: 'In' as const, values: ['spot'] }]
    const { conflicting, prices } = evaluate([
      anOverlay('c', { requirements: [...spot, ...onType('small')], price: '3' }),
      anOverlay('b', { requirements: onType('small'), price: '2' }),
      anOverlay('a', { requirements: onType('large'), price: '1' }),
    ])
    expect(conflicting).toEqual(['b'])
    expect(prices('small')).toEqual([3, 3, 1, 1])
    expect(prices('large')).toEqual([1, 1, 1, 1])
  })

  test('below one that counts, two of the same weight are a conflict all the same', () => {
    const heavy = anOverlay('heavy', { price: '3', capacity: { slots: '1' }, weight: 20 })
    const lighter = (spec: Partial<NodeOverlay['spec']>) =>
      ['a', 'b'].map((name) => anOverlay(name, { ...spec, weight: 10 }))
    expect(evaluate([heavy, ...lighter({ price: '2' })]).conflicting).toEqual(['a'])
    expect(evaluate([heavy, ...lighter({ capacity: { slots: '2' } })]).conflicting).toEqual(['a'])
  })

  test('without a weight an overlay weighs nothing: less than one of weight 1', () => {
    const { conflicting, prices } = evaluate([
      anOverlay('z', { price: '2' }),
      anOverlay('a', { price: '1', weight: 1 }),
    ])
    expect(conflicting).toEqual([])
    expect(prices('small')).toEqual([1, 1, 1, 1])
  })

  test('amounts that an offering overrides are dropped with its price', () => {
    const [offering, ...others] = anInstanceType('small').offerings
    if (offering === undefined) throw new Error('no offering')
    const types = [
      {
        ...anInstanceType('small'),
        offerings: [{ ...offering, capacityOverride: toResources({ slots: '1' }) }, ...others],
      },
    ]
    const changed = evaluate([anOverlay('o', { price: '1' })], types).applied[0]?.offerings[0]
    expect(changed?.capacityOverride).toBeUndefined()
    expect(changed?.priceOverlaid).toBe(true)
  })
})

describe('which types', () => {
  test.each([
    ['a template label', 'team', 'a', true],
    ['another value of it', 'team', 'b', false],
    ['the pool', 'karpenter.sh/nodepool', 'default', true],
    ['another pool', 'karpenter.sh/nodepool', 'other', false],
    ['a label that nobody defines', 'unknown', 'x', false],
  ])('%s', (_name, key, value, selected) => {
    const requirements = [{ key, operator: 'In' as const, values: [value] }]
    const types = [anInstanceType('small')]
    const overlays = [anOverlay('o', { requirements, price: '7' })]
    const { updates } = evaluateOverlays({ overlays, pools: [{ pool, types }], aliases, wellKnownLabels })
    expect(updates.get('default')?.has('small')).toBe(selected)
  })
})

describe('capacity', () => {
  test('case 154: it belongs to the whole type, and replaces what the type has', () => {
    const { capacity, applied } = evaluate([
      anOverlay('o', { requirements: onType('small'), capacity: { slots: '4', cpu: '3' } }),
    ])
    expect(capacity('small')).toEqual({ cpu: '3', slots: '4' })
    expect(applied.map(({ capacityOverlaid }) => capacityOverlaid)).toEqual([true, undefined])
    expect(capacity('large')).toEqual({ cpu: '2' })
  })

  test('per resource the heavier overlay counts, others are merged', () => {
    const { capacity } = evaluate([
      anOverlay('light', { capacity: { slots: '1', tiles: '2' }, weight: 1 }),
      anOverlay('heavy', { capacity: { slots: '8' }, weight: 2 }),
    ])
    expect(capacity('small')).toEqual({ cpu: '2', slots: '8', tiles: '2' })
  })

  test('the same weight is a conflict only where a resource is shared', () => {
    const a = anOverlay('a', { capacity: { slots: '1' } })
    expect(evaluate([a, anOverlay('b', { capacity: { tiles: '1' } })]).conflicting).toEqual([])
    expect(evaluate([a, anOverlay('b', { capacity: { slots: '2' } })]).conflicting).toEqual(['a'])
    const both = anOverlay('a', { capacity: { slots: '1', tiles: '1' } })
    expect(evaluate([both, anOverlay('b', { capacity: { slots: '2' } })]).conflicting).toEqual(['a'])
  })
})
