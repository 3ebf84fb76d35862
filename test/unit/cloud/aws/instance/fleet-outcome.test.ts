import { describe, expect, test } from 'vitest'
import {
  fleetErrorTexts,
  type FleetLesson,
  isCapacityProblem,
  lessonsOf,
} from '../../../../../src/cloud/aws/instance/fleet-outcome.ts'
import type { CapacityType } from '../../../../../src/cloud/aws/keys.ts'
import { fleetError } from '../../../../support/launch-world.ts'

const unfulfillable = [
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
]
const slr = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted'
const full = 'You have reached the limit of instances in this spread placement group'

describe('what one error teaches', () => {
  const learnt = (code: string, capacityType: CapacityType, more: { group?: boolean; message?: string } = {}) =>
    lessonsOf(fleetError(code, 'm5.large', 'z1', 'subnet-1', more.message), capacityType, more.group ?? false)
  const pool = (code: string): FleetLesson => ({ kind: 'pool', instanceType: 'm5.large', zone: 'z1', code })
  const subnet: FleetLesson = { kind: 'subnet', subnetID: 'subnet-1' }
  const reservation: FleetLesson = { kind: 'reservation', instanceType: 'm5.large', zone: 'z1' }

  test.each(unfulfillable)('%s: the pool has nothing, or the reservation', (code) => {
    const before = code === 'InsufficientFreeAddressesInSubnet' ? [subnet] : []
    expect(learnt(code, 'on-demand')).toEqual([...before, pool(code)])
    expect(learnt(code, 'spot')).toEqual([...before, pool(code)])
    expect(learnt(code, 'reserved')).toEqual([...before, reservation])
  })

  test.each(['RequestLimitExceeded', 'UnauthorizedOperation', 'InternalError', ''])('%j: nothing', (code) => {
    for (const capacityType of ['on-demand', 'spot', 'reserved'] as const) {
      expect(learnt(code, capacityType)).toEqual([])
      expect(learnt(code, capacityType, { group: true, message: full })).toEqual([])
    }
  })

  test('a type that the zone does not have, as spot in many Local Zones, is one of which the pool has nothing', () => {
    const code = 'InvalidFleetConfiguration'
    const message = 'Your requested instance type (m5.large) is not supported in your requested Availability Zone (z1).'
    expect(learnt(code, 'spot', { message })).toEqual([pool(code)])
    expect(learnt(code, 'reserved', { message })).toEqual([reservation])
    expect(learnt(code, 'spot', { message: 'duplicate instance pools' })).toEqual([])
    expect(isCapacityProblem([fleetError(code, 'm5.large', 'z1', 'subnet-1', message)])).toBe(true)
    expect(isCapacityProblem([fleetError(code)])).toBe(false)
  })

  test('without the role spot is refused, whatever else was asked for', () => {
    expect(learnt(slr, 'spot')).toEqual([{ kind: 'spotRefused' }])
    expect(learnt(slr, 'on-demand')).toEqual([{ kind: 'spotRefused' }])
    expect(learnt(slr, 'reserved')).toEqual([])
  })

  test('a profile that is not there is no matter of any pool', () => {
    const message = 'Value (p) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name'
    expect(learnt('InvalidParameterValue', 'on-demand', { message })).toEqual([{ kind: 'profileMissing' }])
    expect(learnt('InvalidParameterValue', 'on-demand')).toEqual([])
  })

  test('a full spread group is full for all types, of which its reservation knows nothing', () => {
    const code = 'UnfulfillableCapacity'
    const inGroup = { group: true, message: full }
    expect(learnt(code, 'on-demand', inGroup)).toEqual([{ kind: 'spreadGroupFull', zone: 'z1', code }])
    expect(learnt(code, 'reserved', inGroup)).toEqual([])
    expect(learnt(code, 'on-demand', { message: full })).toEqual([pool(code)])
    expect(learnt(code, 'on-demand', { group: true })).toEqual([pool(code)])
    expect(learnt(code, 'reserved', { group: true })).toEqual([reservation])
  })

  test('an error that does not say where it happened teaches only what needs no place', () => {
    const nowhere = (code: string, type?: string, zone?: string) =>
      lessonsOf(fleetError(code, type, zone), 'spot', false)
    expect(nowhere('InsufficientInstanceCapacity')).toEqual([])
    expect(nowhere('InsufficientInstanceCapacity', 'm5.large')).toEqual([])
    expect(nowhere('InsufficientFreeAddressesInSubnet', 'm5.large', 'z1')).toEqual([
      pool('InsufficientFreeAddressesInSubnet'),
    ])
    expect(lessonsOf(fleetError('UnfulfillableCapacity', 'm5.large'), 'reserved', false)).toEqual([])
    expect(nowhere(slr)).toEqual([{ kind: 'spotRefused' }])
  })
})

test('trying elsewhere helps only when every error is about capacity, or about spot', () => {
  const all = [...unfulfillable, slr].map((code) => fleetError(code))
  expect(isCapacityProblem(all)).toBe(true)
  expect(isCapacityProblem([...all, fleetError('RequestLimitExceeded')])).toBe(false)
})

test('equal errors are told once', () => {
  const errors = [fleetError('A', 'm5.large', 'z1', 's', 'x'), fleetError('A', 'm5.xlarge', 'z2', 's', 'x'), {}]
  expect(fleetErrorTexts(errors)).toEqual(['A: x', ': '])
})
