import { describe, expect, test } from 'vitest'
import { type FilterInputs, filterTypes } from '../../../../../src/cloud/aws/instance/filters.ts'
import type { InstanceType, Offering } from '../../../../../src/model/instance-type.ts'
import { oneOf, oneValue, type Requirement, toRequirement } from '../../../../../src/model/requirement.ts'
import { requirementsOf } from '../../../../../src/model/requirements.ts'
import { toResources } from '../../../../../src/model/resources.ts'

const capacityType = 'karpenter.sh/capacity-type'
const zone = 'topology.kubernetes.io/zone'

type Kind = 'default' | 'capacity-block' | 'interruptible'

function offered(as: string, price: number, more: Partial<Offering> = {}, at = 'z1'): Offering {
  const requirements = requirementsOf(oneValue(capacityType, as), oneValue(zone, at))
  return { requirements, price, available: true, ...more }
}

function reserved(id: string, kind: Kind, price: number, left = 1, at = 'z1'): Offering {
  const requirements = requirementsOf(
    oneValue(capacityType, 'reserved'),
    oneValue(zone, at),
    oneValue('karpenter.k8s.aws/capacity-reservation-id', id),
    oneValue('karpenter.k8s.aws/capacity-reservation-type', kind === 'capacity-block' ? kind : 'default'),
    oneValue('karpenter.k8s.aws/capacity-reservation-interruptible', String(kind === 'interruptible')),
  )
  return { requirements, price, available: left > 0, reservationCapacity: left }
}

function aType(name: string, offerings: readonly Offering[], more: Partial<InstanceType> = {}): InstanceType {
  return {
    name,
    requirements: requirementsOf(
      oneValue('node.kubernetes.io/instance-type', name),
      oneOf(zone, ['z1', 'z2']),
      oneOf(capacityType, ['spot', 'on-demand', 'reserved']),
    ),
    capacity: toResources({ cpu: '4', memory: '8Gi' }),
    overhead: { kubeReserved: toResources({ cpu: '100m' }), systemReserved: new Map(), evictionThreshold: new Map() },
    offerings,
    ...more,
  }
}

/** Types that a launch asks for, each with its offerings as `capacity type@price`. */
function kept(types: readonly InstanceType[], asked: { requests?: Record<string, string>; of?: Requirement[] } = {}) {
  const inputs: FilterInputs = {
    types,
    requirements: requirementsOf(...(asked.of ?? [])),
    requests: toResources(asked.requests ?? {}),
    minValuesPolicy: 'Strict',
  }
  const result = filterTypes(inputs)
  if (result.kind !== 'types') return result.kind
  return Object.fromEntries(
    result.types.map(({ name, offerings }) => [
      name,
      offerings.map(({ requirements, price }) => `${[...(requirements.get(capacityType)?.values ?? [])][0]}@${price}`),
    ]),
  )
}

describe('room', () => {
  const small = aType('small', [offered('on-demand', 1)], { capacity: toResources({ cpu: '2' }) })
  const large = aType('large', [offered('on-demand', 2)])

  test('what is requested must fit into what is left for pods', () => {
    expect(kept([small, large], { requests: { cpu: '1900m' } })).toHaveProperty('small')
    expect(kept([small, large], { requests: { cpu: '1901m' } })).toEqual({ large: ['on-demand@2'] })
    expect(kept([small, large], { requests: { cpu: '3901m' } })).toBe('none')
    expect(kept([small], { requests: { 'nvidia.com/gpu': '1' } })).toBe('none')
  })

  test('an offering with amounts of its own counts with those, where it can be had', () => {
    const slots = { capacityOverride: toResources({ slots: '4' }) }
    const asking = { requests: { cpu: '3', slots: '4' } }
    const slotted = (more: Partial<Offering>) =>
      aType('slotted', [offered('on-demand', 1, {}, 'z1'), offered('on-demand', 1, { ...slots, ...more }, 'z2')])
    expect(kept([slotted({})], asking)).toHaveProperty('slotted')
    expect(kept([slotted({ available: false })], asking)).toBe('none')
    expect(kept([slotted({})], { ...asking, of: [oneValue(zone, 'z1')] })).toBe('none')
    expect(kept([slotted({})], { requests: { slots: '5' } })).toBe('none')
  })

  test('an offering with an overhead of its own has less room', () => {
    const overheadOverride = toResources({ cpu: '2' })
    const held = aType('held', [offered('on-demand', 1, { overheadOverride })])
    expect(kept([held], { requests: { cpu: '2' } })).toHaveProperty('held')
    expect(kept([held], { requests: { cpu: '2001m' } })).toBe('none')
    const both = aType('both', [offered('on-demand', 1), offered('on-demand', 1, { overheadOverride }, 'z2')])
    expect(kept([both], { requests: { cpu: '3' } })).toHaveProperty('both')
    const kubeReserved = toResources({ cpu: '100m', memory: '1Gi' })
    const rest = aType('rest', held.offerings, { overhead: { ...held.overhead, kubeReserved } })
    expect(kept([rest], { requests: { memory: '7Gi' } })).toHaveProperty('rest')
    expect(kept([rest], { requests: { memory: '7169Mi' } })).toBe('none')
  })

  test('a type without an offering that suits is left out', () => {
    const elsewhere = aType('elsewhere', [offered('on-demand', 1, {}, 'z2')])
    const gone = aType('gone', [offered('on-demand', 1, { available: false })])
    expect(kept([elsewhere, gone, large], { of: [oneValue(zone, 'z1')] })).toEqual({ large: ['on-demand@2'] })
  })
})

describe('reservations', () => {
  const plain = aType('plain', [offered('spot', 1)])

  test.each([
    ['default', 'capacity-block', 'default'],
    ['default', 'interruptible', 'default'],
    ['capacity-block', 'interruptible', 'capacity-block'],
  ] as const)('of equal prices %s comes before %s', (a, b, want) => {
    const types = [aType('b', [reserved('cr-b', b, 0.1)]), aType('a', [reserved('cr-a', a, 0.1)])]
    expect(kept(types)).toEqual({ [want === a ? 'a' : 'b']: ['reserved@0.1'] })
  })

  test('the kind of the cheapest is used, and of other kinds nothing, nor anything else', () => {
    const mixed = aType('mixed', [reserved('cr-1', 'default', 0.2), reserved('cr-2', 'interruptible', 0.1, 1, 'z2')])
    expect(kept([mixed, aType('dear', [reserved('cr-3', 'default', 0.3)]), plain])).toEqual({ mixed: ['reserved@0.1'] })
  })

  test('of capacity blocks one is used, the cheapest, whatever the order', () => {
    const dear = aType('dear', [reserved('cb-1', 'capacity-block', 0.3)])
    const cheap = aType('cheap', [reserved('cb-2', 'capacity-block', 0.1), reserved('cb-3', 'capacity-block', 0.2)])
    for (const types of [
      [dear, cheap],
      [cheap, dear],
    ]) {
      expect(kept(types)).toEqual({ cheap: ['reserved@0.1'] })
    }
  })

  test('of a type and zone the reservation with most left, whatever the order', () => {
    const few = reserved('few', 'default', 0.1, 2)
    const many = reserved('many', 'default', 0.2, 7)
    const other = reserved('other', 'default', 0.3, 1, 'z2')
    for (const offerings of [
      [few, many, other],
      [many, few, other],
    ]) {
      expect(kept([aType('a', offerings)])).toEqual({ a: ['reserved@0.2', 'reserved@0.3'] })
    }
  })

  test('without one that is left, spot and on-demand remain', () => {
    expect(kept([aType('a', [reserved('cr-1', 'default', 0.1, 0), offered('on-demand', 2)]), plain])).toHaveProperty(
      'plain',
    )
  })

  test('a claim that does not take reserved capacity gets none of it', () => {
    const both = aType('both', [reserved('cr-1', 'capacity-block', 0.1), offered('on-demand', 2)])
    const types = [both, aType('other', [offered('on-demand', 3)])]
    expect(Object.keys(kept(types, { of: [oneOf(capacityType, ['on-demand', 'spot'])] }))).toEqual(['both', 'other'])
  })
})

describe('spot beside on-demand', () => {
  const onDemand = aType('on-demand', [offered('on-demand', 2)])

  test('is asked for up to the cheapest on-demand price, inclusive', () => {
    const types = [onDemand, aType('equal', [offered('spot', 2)]), aType('dear', [offered('spot', 2.01)])]
    expect(kept(types)).toEqual({ equal: ['spot@2'], 'on-demand': ['on-demand@2'] })
  })

  test('leaves dearer on-demand as it is, for when the cheapest cannot be had', () => {
    const types = [onDemand, aType('dearer', [offered('on-demand', 3)]), aType('spot', [offered('spot', 2.5)])]
    expect(kept(types)).toEqual({ 'on-demand': ['on-demand@2'], dearer: ['on-demand@3'] })
  })

  test('an on-demand price that cannot be had counts for nothing, but keeps its type', () => {
    const gone = offered('on-demand', 1, { available: false })
    const types = [onDemand, aType('a', [offered('spot', 1.5), gone]), aType('b', [offered('spot', 9), gone])]
    expect(kept(types)).toEqual({ a: ['spot@1.5', 'on-demand@1'], 'on-demand': ['on-demand@2'], b: ['on-demand@1'] })
  })

  test('is asked for at any price under minValues, or where only spot is taken', () => {
    const types = [onDemand, aType('dear', [offered('spot', 9)])]
    const minValues = toRequirement('node.kubernetes.io/instance-type', 'Exists', [], 1)
    expect(kept(types, { of: [minValues] })).toHaveProperty('dear')
    expect(kept(types, { of: [oneValue(capacityType, 'spot')] })).toEqual({ dear: ['spot@9'] })
  })
})

describe('machines for special work', () => {
  const plain = aType('plain', [offered('on-demand', 9)])
  const special = [
    ...['nvidia.com/gpu', 'amd.com/gpu', 'habana.ai/gaudi', 'aws.amazon.com/neuron', 'aws.amazon.com/neuroncore'].map(
      (resource) =>
        aType(resource, [offered('on-demand', 1)], { capacity: toResources({ cpu: '4', [resource]: '1' }) }),
    ),
    aType('m5.metal-24xl', [offered('on-demand', 1)], {
      requirements: requirementsOf(oneValue('karpenter.k8s.aws/instance-size', 'metal-24xl')),
    }),
  ]

  test.each(special.map((type) => [type.name, type] as const))(
    '%s is for those who can use nothing else',
    (_, type) => {
      expect(Object.keys(kept([type, plain]))).toEqual(['plain'])
      expect(Object.keys(kept([type]))).toEqual([type.name])
    },
  )

  test('a device that a type has none of does not make it special', () => {
    const none = aType('none', [offered('on-demand', 1)], {
      capacity: toResources({ cpu: '4', 'nvidia.com/gpu': '0' }),
    })
    expect(Object.keys(kept([none, plain]))).toEqual(['none', 'plain'])
  })
})
