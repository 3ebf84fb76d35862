import { expect, test } from 'vitest'
import { cheapestFirst, cheapestPrice, worstLaunchPrice } from '../../../src/model/offering-price.ts'
import { toRequirement } from '../../../src/model/requirement.ts'
import { noRequirements, requirementsOf } from '../../../src/model/requirements.ts'
import { aType, type OfferingOptions } from '../../support/disruption-builders.ts'
import { wellKnownLabels } from '../../support/disruption-decisions.ts'

const capacityTypes = (...values: string[]) => requirementsOf(toRequirement('karpenter.sh/capacity-type', 'In', values))
const inZone = (zone: string) => requirementsOf(toRequirement('topology.kubernetes.io/zone', 'In', [zone]))

const onDemand = { price: 0.9 }
const spot = [
  { price: 0.4, capacityType: 'spot' },
  { price: 1.1, capacityType: 'spot', zone: 'z2' },
]
const reserved = { price: 0.001, capacityType: 'reserved', zone: 'z3' }
const sold = (offerings: readonly OfferingOptions[]) => offerings.map((offering) => ({ ...offering, available: false }))

const cases: Record<
  string,
  [offerings: readonly OfferingOptions[], requirements: typeof noRequirements, worst: number]
> = {
  'reserved capacity is launched first, wherever it is': [[onDemand, ...spot, reserved], noRequirements, 0.001],
  'then spot, at its dearest': [[onDemand, ...spot, ...sold([reserved])], noRequirements, 1.1],
  'then on-demand': [[onDemand, ...sold(spot)], noRequirements, 0.9],
  'what the requirements leave out does not count': [[onDemand, ...spot, reserved], capacityTypes('on-demand'), 0.9],
  'nor do other zones': [[onDemand, ...spot, reserved], inZone('z1'), 0.4],
  'where nothing can be had there is no price': [sold([onDemand, ...spot]), noRequirements, Number.POSITIVE_INFINITY],
}
test.each(Object.entries(cases))('a launch may cost at worst: %s', (_name, [offerings, requirements, worst]) => {
  expect(worstLaunchPrice(aType('t', ...offerings), requirements, wellKnownLabels)).toBe(worst)
})

test('types are ordered by the cheapest offering that can be had, those without one last, equals by name', () => {
  const types = [
    aType('sold-out', { price: 0.1, available: false }),
    aType('b', { price: 0.5 }),
    aType('a', { price: 0.5 }),
    aType('cheap', { price: 2 }, { price: 0.2, capacityType: 'spot' }),
  ]
  expect(cheapestFirst(types, noRequirements, wellKnownLabels).map(({ name }) => name)).toEqual([
    'cheap',
    'a',
    'b',
    'sold-out',
  ])
  expect(types.map((type) => cheapestPrice(type, noRequirements, wellKnownLabels))).toEqual([
    Number.POSITIVE_INFINITY,
    0.5,
    0.5,
    0.2,
  ])
})
