import { aRequest, aSlice, devices, driver } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import {
  all,
  allocatedTo,
  ask,
  counters,
  draws,
  firstOf,
  having,
  memory,
  own,
  share,
  shareable,
  tainted,
  ofTwoSlices,
} from './parts.ts'

/** `allocationMode: All`: which devices count, and what makes the whole request fail. */
export const allCases: Record<string, DeviceCase> = {
  'all, one of them tainted': {
    slices: [own([...devices(1), tainted('NoSchedule')])],
    claims: [ask(all)],
    refused: true,
  },
  'all, and the taint is tolerated': {
    slices: [own([...devices(1), tainted('NoSchedule')])],
    claims: [ask({ ...all, tolerations: [{ key: 'example.com/broken', operator: 'Exists' }] })],
  },
  'all, another pool elsewhere is not whole': {
    slices: [own(devices(1)), aSlice('far', devices(1), { nodeName: 'elsewhere', pool: { resourceSliceCount: 2 } })],
    claims: [ask(all)],
  },
  'all, another pool of other labels is not whole': {
    slices: [
      own(devices(1)),
      aSlice('far', devices(1), {
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'case', operator: 'In', values: ['nowhere'] }] }],
        },
        pool: { resourceSliceCount: 2 },
      }),
    ],
    claims: [ask(all)],
  },
  'all, another pool that is reached is not whole': {
    slices: [
      own(devices(1)),
      own(devices(1), { driver: 'other.example.com', pool: { name: 'other', resourceSliceCount: 2 } }, 'other'),
    ],
    claims: [ask(all)],
    refused: true,
  },
  'all, the pool is not whole': { slices: [own(devices(1), ofTwoSlices)], claims: [ask(all)], refused: true },
  'all, but nothing matches, and the pool is not whole': {
    slices: [own(devices(1), ofTwoSlices)],
    claims: [ask({ ...all, ...having('false') })],
    refused: true,
  },
  'all of a pool over two nodes': {
    slices: [
      own(devices(1), ofTwoSlices, 'a'),
      own(devices(1, {}, 'far'), { nodeName: 'elsewhere', ...ofTwoSlices }, '0'),
    ],
    claims: [ask(all)],
  },
  'all that are large enough': {
    slices: [own([20, 40].map((size) => ({ name: `gpu-${size}`, capacity: { memory: { value: `${size}Gi` } } })))],
    claims: [ask({ ...all, ...memory('30Gi') })],
  },
  'all that are shared and large enough': {
    slices: [own([20, 40].map((size) => ({ ...shareable(`${size}Gi`), name: `gpu-${size}` })))],
    claims: [ask({ ...all, ...memory('30Gi') })],
  },
  'all that are shared, one of them used up': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask(all)],
    held: [allocatedTo('shared', share('10Gi'))],
  },
  'all that are shared, one of them held whole': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask(all)],
    held: [allocatedTo('shared')],
    refused: true,
  },
  'all that are shared, which is one that is used up': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(all)],
    held: [allocatedTo('shared', share('10Gi'))],
    refused: true,
  },
  'all that are shared, after another claim of the pod used one up': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask({}), ask(all)],
    refused: true,
  },
  'all that are shared, one of them a partition without counters': {
    slices: [
      counters('40Gi'),
      own([shareable('40Gi', draws('40Gi')), { ...devices(1, draws('40Gi'))[0], name: 'gpu-0' }], ofTwoSlices),
    ],
    claims: [ask({ ...all, ...having('device.allowMultipleAllocations') })],
    held: [allocatedTo('gpu-0')],
    refused: true,
  },
  'all, one of them without such a capacity': {
    slices: [own([{ name: 'gpu-0' }, { name: 'gpu-1', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask({ ...all, ...memory('30Gi') })],
  },
  'thirty-three by all': { slices: [own(devices(33))], claims: [ask(all)], refused: true },
  'thirty-two by all': { slices: [own(devices(32))], claims: [ask(all)] },
  'all of a device that is shared': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ ...all, ...memory('20Gi') })],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'all of the node and of all nodes, of which one is held': {
    slices: [own(devices(1)), aSlice('net', devices(2), { allNodes: true })],
    claims: [ask(all)],
    held: [{ devices: { results: [{ request: 'main', driver, pool: 'net', device: 'gpu-1' }] } }],
    refused: true,
  },
  'all would leave nothing for the other request, one does': {
    slices: [own(devices(2))],
    claims: [
      {
        requests: [
          ...(firstOf({ name: 'all', deviceClassName: 'gpu', ...all }, { name: 'one', deviceClassName: 'gpu' })
            .requests ?? []),
          aRequest({ name: 'second' }),
        ],
      },
    ],
  },
}
