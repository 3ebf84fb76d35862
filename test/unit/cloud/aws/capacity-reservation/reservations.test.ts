import type { CapacityReservation } from '@aws-sdk/client-ec2'
import { describe, expect, test } from 'vitest'
import {
  reservationQueries,
  type ReservationTerm,
  toClassReservation,
  toStatusReservation,
} from '../../../../../src/cloud/aws/capacity-reservation/reservations.ts'

describe('what EC2 is asked for', () => {
  const active = { Name: 'state', Values: ['active'] }
  const cases: Record<string, [term: ReservationTerm, want: readonly object[]]> = {
    'an id, whatever else the term says': [
      { id: 'cr-1', ownerID: '111122223333', tags: { team: 'core' } },
      [{ ids: ['cr-1'], filters: [active] }],
    ],
    'tags of an owner, all of them': [
      { ownerID: '111122223333', tags: { team: 'core', env: '*' } },
      [
        {
          ids: [],
          filters: [
            { Name: 'owner-id', Values: ['111122223333'] },
            { Name: 'tag-key', Values: ['env'] },
            { Name: 'tag:team', Values: ['core'] },
            active,
          ],
        },
      ],
    ],
    'criteria alone': [
      { instanceMatchCriteria: 'open' },
      [{ ids: [], filters: [{ Name: 'instance-match-criteria', Values: ['open'] }, active] }],
    ],
    'nothing for an owner alone: all that somebody shares is not meant': [{ ownerID: '111122223333' }, []],
  }
  test.each(Object.entries(cases))('%s', (_name, [term, want]) => {
    expect(reservationQueries([term]).map(({ ids, filters }) => ({ ids, filters }))).toEqual(want)
  })
})

describe('what the status says of one', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const minutes = (count: number) => new Date(now + count * 60_000)
  const told: CapacityReservation = {
    CapacityReservationId: 'cr-1',
    InstanceType: 'm5.large',
    AvailabilityZone: 'us-east-1a',
    OwnerId: '111122223333',
    InstanceMatchCriteria: 'targeted',
  }
  const cases: Record<string, [more: CapacityReservation, want: object | undefined]> = {
    'no end and no kind: a default one': [
      {},
      {
        id: 'cr-1',
        instanceType: 'm5.large',
        availabilityZone: 'us-east-1a',
        ownerID: '111122223333',
        instanceMatchCriteria: 'targeted',
        interruptible: false,
        reservationType: 'default',
        state: 'active',
      },
    ],
    'open, interruptible, with an end': [
      { InstanceMatchCriteria: 'open', Interruptible: true, EndDate: minutes(1) },
      { instanceMatchCriteria: 'open', interruptible: true, endTime: '2026-01-01T00:01:00Z', state: 'active' },
    ],
    'a block that ends in more than forty minutes': [
      { ReservationType: 'capacity-block', EndDate: minutes(40.1) },
      { reservationType: 'capacity-block', state: 'active' },
    ],
    'a block that ends in forty minutes': [
      { ReservationType: 'capacity-block', EndDate: minutes(40) },
      { reservationType: 'capacity-block', state: 'expiring' },
    ],
    'criteria that nobody knows': [{ InstanceMatchCriteria: 'nearby' as never }, undefined],
    'a kind that nobody knows': [{ ReservationType: 'future' as never }, undefined],
  }
  test.each(Object.entries(cases))('%s', (_name, [more, want]) => {
    const status = toStatusReservation({ ...told, ...more }, now)
    if (want === undefined) expect(status).toBeUndefined()
    else expect(status).toMatchObject(want)
    if (more.EndDate === undefined) expect(status ?? {}).not.toHaveProperty('endTime')
  })
})

describe('what a launch makes of one that the status tells of', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const status = {
    id: 'cr-1',
    instanceType: 'm5.large',
    availabilityZone: 'us-east-1a',
    ownerID: '111122223333',
    instanceMatchCriteria: 'targeted',
    state: 'active',
  } as const
  const block = { ...status, reservationType: 'capacity-block', endTime: '2026-01-01T00:40:00Z' } as const

  test('a default one that lasts and is not interrupted, where nothing is said of that', () => {
    expect(toClassReservation(status, now)).toEqual({
      id: 'cr-1',
      instanceType: 'm5.large',
      zone: 'us-east-1a',
      type: 'default',
      interruptible: false,
      expiring: false,
    })
  })
  test('a block takes no more launches forty minutes before its end, whatever the status still says', () => {
    expect(toClassReservation(block, now - 1)).toMatchObject({ type: 'capacity-block', expiring: false })
    expect(toClassReservation(block, now)).toMatchObject({ expiring: true })
    expect(toClassReservation({ ...block, endTime: '2026-01-02T00:00:00Z', state: 'expiring' }, now)).toMatchObject({
      expiring: true,
    })
  })
})
