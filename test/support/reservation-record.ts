import type { ReservationRecord } from '../../src/embedded/aws/state.ts'

/** A capacity reservation of the simulated account: targeted, and active for ever. */
export function aReservation(fields: Partial<ReservationRecord> & Pick<ReservationRecord, 'id'>): ReservationRecord {
  return {
    instanceType: 'm5.large',
    zone: 'us-east-1a',
    zoneID: 'use1-az1',
    ownerID: '123456789012',
    total: 5,
    matchCriteria: 'targeted',
    type: 'default',
    interruptible: false,
    state: 'active',
    startAt: 0,
    tags: {},
    ...fields,
  }
}
