import { expect, test } from 'vitest'
import {
  type OfferedType,
  type OfferingInputs,
  reservedOfferingsOf,
} from '../../../../../src/cloud/aws/instance-types/offerings.ts'
import type { ClassReservation } from '../../../../../src/cloud/aws/instance-types/type-settings.ts'

const zone = 'us-east-1a'
const reservation: ClassReservation = {
  id: 'cr-1',
  instanceType: 'm5.large',
  zone,
  type: 'default',
  interruptible: false,
  expiring: false,
}

interface Difference {
  readonly type?: Partial<OfferedType>
  readonly reservation?: Partial<ClassReservation>
  readonly inputs?: Partial<OfferingInputs>
  readonly left?: number
}

function offeringsOf({ type, reservation: other, inputs, left = 1 }: Difference = {}) {
  return reservedOfferingsOf(
    { name: 'm5.large', zones: new Set([zone]), capacityTypes: ['on-demand'], meetsDemands: true, ...type },
    [{ ...reservation, ...other }],
    {
      allZones: [zone],
      zoneIDs: new Map([[zone, 'use1-az1']]),
      subnetIDs: new Map([[zone, ['subnet-1']]]),
      placementGroup: undefined,
      isShifted: () => false,
      isUnavailable: () => true,
      price: () => 0.1,
      overlayPrice: () => undefined,
      ...inputs,
    },
    () => left,
    new Map(),
  )
}

test('a reservation of the type can be had at next to no price, whatever lately ran out beside it', () => {
  expect(offeringsOf()).toEqual([expect.objectContaining({ available: true, price: 1e-8, reservationCapacity: 1 })])
  expect(offeringsOf({ inputs: { price: () => undefined } })).toEqual([
    expect.objectContaining({ available: true, price: 0 }),
  ])
})

test.each<[string, Difference]>([
  ['that is about to end', { reservation: { expiring: true } }],
  ['that is used up', { left: 0 }],
  ['in a zone where the type is not offered, or the class has no subnet', { type: { zones: new Set(['us-east-1b']) } }],
  ['in a zone that traffic was shifted away from', { inputs: { isShifted: (id) => id === 'use1-az1' } }],
  ['of a type that the class cannot use', { type: { meetsDemands: false } }],
])('a reservation %s is there, and cannot be had', (_what, difference) => {
  expect(offeringsOf(difference)).toEqual([expect.objectContaining({ available: false })])
})

test('a reservation of another type is none of this one', () => {
  expect(offeringsOf({ reservation: { instanceType: 'm5.xlarge' } })).toEqual([])
})
