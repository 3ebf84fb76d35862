import type { DeviceCase } from './device-case.ts'
import { ask, own, tainted } from './parts.ts'

/** Taints of devices, and requests that tolerate them. */
export const taintCases: Record<string, DeviceCase> = {
  'a taint that evicts': { slices: [own([tainted('NoExecute')])], claims: [ask({})], refused: true },
  'a taint that does nothing': { slices: [own([tainted('None')])], claims: [ask({})] },
  'a toleration of the value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Equal', value: 'yes' }] })],
  },
  'a toleration of another value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Equal', value: 'no' }] })],
    refused: true,
  },
  'a toleration without a word on the value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken' }] })],
    refused: true,
  },
  'a toleration of another effect': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Exists', effect: 'NoExecute' }] })],
    refused: true,
  },
  'a toleration of everything': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ tolerations: [{ operator: 'Exists' }] })],
  },
}
