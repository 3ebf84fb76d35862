import { devices } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { all, allocatedTo, ask, counters, draws, memory, own, share, shareable, tainted, ofTwoSlices } from './parts.ts'

/** Requests with `adminAccess`, and what they leave to others. */
export const administratorCases: Record<string, DeviceCase> = {
  'an administrator looks at all that are shared, one of them used up': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask({ ...all, adminAccess: true })],
    held: [allocatedTo('shared', share('10Gi'))],
  },
  'a share beside what an administrator looks at': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi'))],
    held: [allocatedTo('shared', { ...share('20Gi'), adminAccess: true })],
  },
  'a share, and an administrator looks at the rest': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi')), ask({ adminAccess: true, ...memory('20Gi') })],
    refused: true,
  },
  'an administrator looks at a share, and somebody takes the rest': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('20Gi') }), ask(memory('30Gi'))],
    refused: true,
  },
  'an administrator looks at a partition without room': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), ofTwoSlices)],
    claims: [ask({ count: 3, adminAccess: true })],
    refused: true,
  },
  'a device that is free beside what an administrator looks at': {
    slices: [own(devices(1))],
    claims: [ask({})],
    held: [allocatedTo('gpu-0', { adminAccess: true })],
  },
  'two looks of administrators at one device': {
    slices: [own(devices(1))],
    claims: [ask({ name: 'one', adminAccess: true }, { name: 'two', adminAccess: true })],
    refused: true,
  },
  'two devices for an administrator': {
    slices: [own(devices(1))],
    claims: [ask({ count: 2, adminAccess: true })],
    refused: true,
  },
  'an administrator looks at what others hold': {
    slices: [own(devices(1))],
    claims: [ask({ ...all, adminAccess: true })],
    held: [allocatedTo('gpu-0')],
  },
  'an administrator looks at what others of the pod get': {
    slices: [own(devices(1))],
    claims: [ask({}), ask({ adminAccess: true })],
  },
  'a device that an administrator of the pod looks at': {
    slices: [own(devices(1))],
    claims: [ask({ adminAccess: true }), ask({})],
    refused: true,
  },
  'an administrator looks at what the same claim gets': {
    slices: [own(devices(1))],
    claims: [ask({ name: 'one' }, { name: 'two', adminAccess: true })],
    refused: true,
  },
  'an administrator looks at a tainted device': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ adminAccess: true })],
    refused: true,
  },
  'an administrator looks at partitions that others hold': {
    slices: [counters('40Gi'), own(devices(2, draws('20Gi')), ofTwoSlices)],
    claims: [ask({ ...all, adminAccess: true })],
    held: [allocatedTo('gpu-0'), allocatedTo('gpu-1')],
    refused: true,
  },
  'an administrator looks at a share': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('20Gi') })],
    held: [allocatedTo('shared', share('40Gi'))],
    refused: true,
  },
  'an administrator looks for more than there is': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('50Gi') })],
    refused: true,
  },
}
