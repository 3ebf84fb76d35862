import { devices } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { all, ask, firstOf, own, ofTwoSlices } from './parts.ts'

/** While a driver publishes its pool, kube-scheduler lets pods wait. We count on what will be there, so that no node is launched meanwhile. */
export const whilePublished: Record<string, DeviceCase> = {
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
}
