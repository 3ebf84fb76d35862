import { devices } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { allocatedTo, ask, counters, draws, having, memory, own, share, shareable, ofTwoSlices } from './parts.ts'

/** Devices that several may have, and partitions of one that draw on counters. */
export const shareCases: Record<string, DeviceCase> = {
  'two shares of a device for one request': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ count: 2, ...memory('20Gi') })],
    refused: true,
  },
  'three shares of two halves': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ count: 3, ...memory('20Gi') })],
    refused: true,
  },
  'a share for each of two requests': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ name: 'one', ...memory('20Gi') }, { name: 'two', ...memory('20Gi') })],
  },
  'a share for each of two claims': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('20Gi')), ask(memory('20Gi'))],
  },
  'a share of what is left': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('21Gi'))],
    held: [allocatedTo('shared', share('20Gi'))],
    refused: true,
  },
  'a share of a device that one has to itself': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('1Gi'))],
    held: [allocatedTo('shared')],
    refused: true,
  },
  'two shares of a partition': {
    slices: [counters('40Gi'), own([shareable('40Gi', draws('40Gi'))], ofTwoSlices)],
    claims: [ask(memory('10Gi')), ask(memory('10Gi'))],
  },
  'a share of a partition that others share': {
    slices: [counters('40Gi'), own([shareable('40Gi', draws('40Gi'))], ofTwoSlices)],
    claims: [ask(memory('10Gi'))],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'a partition beside a shared one': {
    slices: [
      counters('40Gi'),
      own([shareable('20Gi', draws('20Gi')), { name: 'whole', ...draws('40Gi') }], ofTwoSlices),
    ],
    claims: [ask(having('!device.allowMultipleAllocations'))],
    held: [allocatedTo('shared', share('20Gi'))],
    refused: true,
  },
  'a partition beside two shares of another': {
    slices: [
      counters('60Gi'),
      own([shareable('20Gi', draws('20Gi')), { name: 'whole', ...draws('40Gi') }], ofTwoSlices),
    ],
    claims: [ask(having('!device.allowMultipleAllocations'))],
    held: ['d6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5d', 'd6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5e'].map((shareID) =>
      allocatedTo('shared', { shareID, consumedCapacity: { memory: '10Gi' } }),
    ),
  },
  'shares of other sizes than those that are held': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi'))],
    held: [allocatedTo('shared', share('30Gi'))],
    refused: true,
  },
  'a share when all is held': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('1Gi'))],
    held: [allocatedTo('shared', share('40Gi'))],
    refused: true,
  },
  'more partitions than the counters allow': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), ofTwoSlices)],
    claims: [ask({ count: 3 })],
    refused: true,
  },
  'a partition beside one that is held': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), ofTwoSlices)],
    claims: [ask({ count: 2 })],
    held: [allocatedTo('gpu-0')],
    refused: true,
  },
  'a share that leaves another device whole': {
    slices: [own([{ ...shareable('40Gi'), name: 'fresh' }, shareable('40Gi')])],
    claims: [ask({ name: 'one', ...memory('10Gi') }, { name: 'two', ...memory('40Gi') })],
    held: [allocatedTo('shared', share('30Gi'))],
  },
  'less than the least': {
    slices: [
      own([
        shareable('16Gi', {
          capacity: { memory: { value: '16Gi', requestPolicy: { default: '8Gi', validRange: { min: '8Gi' } } } },
        }),
      ]),
    ],
    claims: [ask(memory('1Gi')), ask(memory('1Gi')), ask(memory('1Gi'))],
    refused: true,
  },
  'as much as a step': {
    slices: [
      own([
        shareable('16Gi', {
          capacity: {
            memory: { value: '16Gi', requestPolicy: { default: '4Gi', validRange: { min: '4Gi', step: '4Gi' } } },
          },
        }),
      ]),
    ],
    claims: [ask(memory('5Gi')), ask(memory('8Gi'))],
  },
  'without a word the default': {
    slices: [
      own([
        shareable('16Gi', {
          capacity: { memory: { value: '16Gi', requestPolicy: { default: '8Gi', validRange: { min: '4Gi' } } } },
        }),
      ]),
    ],
    claims: [ask({}), ask({}), ask({})],
    refused: true,
  },
}
