import { aSlice, type ClaimOptions, devices } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { all, allocatedTo, ask, own, ofTwoSlices } from './parts.ts'

/** One for this node and one for another, in one slice. */
const mixed = aSlice(
  'mixed',
  [
    { name: 'near', nodeName: 'node' },
    { name: 'far', nodeName: 'elsewhere' },
  ],
  { perDeviceNodeSelection: true },
)
const allocatedElsewhere: ClaimOptions = {
  ...ask({}),
  allocation: {
    ...allocatedTo('gpu-0'),
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['elsewhere'] }] }],
    },
  },
}

/** Which devices a node reaches, and which of them are free. */
export const poolCases: Record<string, DeviceCase> = {
  'one device': { slices: [own(devices(1))], claims: [ask({})] },
  'two of one': { slices: [own(devices(1))], claims: [ask({ count: 2 })], refused: true },
  'one of the older generation': {
    slices: [
      own(devices(2), { pool: { name: 'own', generation: 1 } }, 'old'),
      own(devices(1), { pool: { name: 'own', generation: 2 } }, 'new'),
    ],
    claims: [ask({ count: 2 })],
    refused: true,
  },
  'a device that occurs twice in its pool': {
    slices: [own(devices(1), ofTwoSlices, 'a'), own(devices(1), ofTwoSlices, 'b')],
    claims: [ask({})],
    refused: true,
  },
  'a pool over two nodes': {
    slices: [
      own(devices(1), ofTwoSlices, 'a'),
      own(devices(1, {}, 'far'), { nodeName: 'elsewhere', ...ofTwoSlices }, '0'),
    ],
    claims: [ask({})],
  },
  'a device that another holds': {
    slices: [own(devices(1))],
    claims: [ask({})],
    held: [allocatedTo('gpu-0')],
    refused: true,
  },
  'devices that each name their node': { slices: [mixed], claims: [ask(all)] },
  'two devices that each name their node': { slices: [mixed], claims: [ask({ count: 2 })], refused: true },
  'devices of all nodes': { slices: [aSlice('net', devices(2), { allNodes: true })], claims: [ask(all)] },
  'three of the node and of all nodes': {
    slices: [own(devices(1)), aSlice('net', devices(2), { allNodes: true })],
    claims: [ask({ count: 3 })],
  },
  'a device that binds to its node': {
    slices: [aSlice('net', devices(1, { bindsToNode: true } as object), { allNodes: true })],
    claims: [ask({})],
  },
  'a claim that is allocated elsewhere': {
    slices: [own(devices(1))],
    claims: [{ ...allocatedElsewhere, reservedFor: ['somebody'] }],
    refused: true,
  },
  'a claim that is allocated elsewhere and that nobody uses': {
    slices: [own(devices(1))],
    claims: [allocatedElsewhere],
  },
  'a claim under two names': { slices: [own(devices(1))], claims: [ask({})], uses: [0, 0], refused: true },
}
