import { devices, driver } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { all, ask, firstOf, modelled, ofTwoSlices, own } from './parts.ts'

/**
 * In these the pod may run on the node by our verdict alone. While a driver publishes its pool, kube-scheduler lets pods wait; we count on
 * what will be there, so that no node is launched meanwhile. And it tries no alternative after one for all devices that a constraint refuses.
 */
export const differingCases: Record<string, DeviceCase> = {
  'one, the pool is not whole': { slices: [own(devices(1), ofTwoSlices)], claims: [ask({})] },
  'the newer generation is not whole': {
    slices: [
      own(devices(2), { pool: { name: 'own', generation: 1 } }, 'old'),
      own(devices(1), { pool: { name: 'own', generation: 2, resourceSliceCount: 2 } }, 'new'),
    ],
    claims: [ask({})],
  },
  'all of a pool that is not whole, or one': {
    slices: [own(devices(1), ofTwoSlices)],
    claims: [firstOf({ name: 'all', deviceClassName: 'gpu', ...all }, { name: 'one', deviceClassName: 'gpu' })],
  },
  'all, which differ, or one': {
    slices: [own(modelled('A', 'B'))],
    claims: [
      {
        ...firstOf({ name: 'all', deviceClassName: 'gpu', ...all }, { name: 'one', deviceClassName: 'gpu' }),
        constraints: [{ matchAttribute: `${driver}/model` }],
      },
    ],
  },
}
