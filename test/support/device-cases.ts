import type { Device, DeviceRequest, ResourceClaim, ResourceSlice } from '../../src/api/kubernetes.ts'
import {
  aDeviceClass,
  aRequest,
  aResourceClaim,
  aSlice,
  type ClaimOptions,
  deviceObjects,
  devices,
} from './device-objects.ts'
import { aNode, aPod } from './scheduling-world.ts'
import { solveWorld, whereabouts } from './solving.ts'

/** One node, what its drivers publish, and the claims of one pod that may only run there. */
export interface DeviceCase {
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ClaimOptions[]
  /** Names of the pod's claims by position, where they are not each one's own. */
  readonly uses?: readonly number[]
  /** What others hold. */
  readonly held?: readonly NonNullable<ClaimOptions['allocation']>[]
}

const driver = 'gpu.example.com'
type Spec = Parameters<typeof aSlice>[2]

/** Of the node that the case is about. */
const own = (list: readonly Device[], spec: Spec = {}, name = 'own') =>
  aSlice(name, list, { nodeName: 'node', ...spec })
const two = { pool: { name: 'own', resourceSliceCount: 2 } }
/** A slice has either counters or devices. */
const counters = (value: string): ResourceSlice => {
  const sharedCounters = [{ name: 'set', counters: { memory: { value } } }]
  const slice = aSlice('counters', [], { nodeName: 'node', ...two, sharedCounters })
  delete slice.spec.devices
  return slice
}
const draws = (value: string) => ({ consumesCounters: [{ counterSet: 'set', counters: { memory: { value } } }] })
const ask = (...requests: Parameters<typeof aRequest>[0][]) => ({ requests: requests.map((one) => aRequest(one)) })
const all = { allocationMode: 'All' }
const having = (...expressions: string[]) => ({ selectors: expressions.map((expression) => ({ cel: { expression } })) })
const modelled = (...models: string[]): Device[] =>
  models.map((model, i) => ({ name: `gpu-${i}`, attributes: { model: { string: model } } }))
const tainted = (effect: string, value?: string): Device => ({
  name: 'tainted',
  taints: [{ key: 'example.com/broken', effect, ...(value === undefined ? {} : { value }) }],
})
const shareable = (value: string, more: Partial<Device> = {}): Device => ({
  name: 'shared',
  allowMultipleAllocations: true,
  capacity: { memory: { value } },
  ...more,
})
const memory = (amount: string) => ({ capacity: { requests: { memory: amount } } })
const allocatedTo = (device: string, more: object = {}) => ({
  devices: { results: [{ request: 'main', driver, pool: 'own', device, ...more }] },
})
const share = (amount: string, shareID = 'd6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5d') => ({
  shareID,
  consumedCapacity: { memory: amount },
})
const firstOf = (...alternatives: NonNullable<DeviceRequest['firstAvailable']>): ClaimOptions => ({
  requests: [{ name: 'main', firstAvailable: alternatives }],
})

const cel = (expression: string, list: readonly Device[] = modelled('A')): DeviceCase => ({
  slices: [own(list)],
  claims: [ask(having(expression))],
})
const attributes = `device.attributes["${driver}"]`

/** By what they are about. */
export const deviceCases: Record<string, DeviceCase> = {
  'one device': { slices: [own(devices(1))], claims: [ask({})] },
  'two of one': { slices: [own(devices(1))], claims: [ask({ count: 2 })] },
  'all, one of them tainted': { slices: [own([...devices(1), tainted('NoSchedule')])], claims: [ask(all)] },
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
  },
  'all, the pool is not whole': { slices: [own(devices(1), two)], claims: [ask(all)] },
  'all, but nothing matches, and the pool is not whole': {
    slices: [own(devices(1), two)],
    claims: [ask({ ...all, ...having('false') })],
  },
  'one of the older generation': {
    slices: [
      own(devices(2), { pool: { name: 'own', generation: 1 } }, 'old'),
      own(devices(1), { pool: { name: 'own', generation: 2 } }, 'new'),
    ],
    claims: [ask({ count: 2 })],
  },
  'a device that occurs twice in its pool': {
    slices: [own(devices(1), two, 'a'), own(devices(1), two, 'b')],
    claims: [ask({})],
  },
  'a pool over two nodes': {
    slices: [own(devices(1), two, 'a'), own(devices(1, {}, 'far'), { nodeName: 'elsewhere', ...two }, '0')],
    claims: [ask({})],
  },
  'all of a pool over two nodes': {
    slices: [own(devices(1), two, 'a'), own(devices(1, {}, 'far'), { nodeName: 'elsewhere', ...two }, '0')],
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
  },
  'all that are shared, which is one that is used up': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(all)],
    held: [allocatedTo('shared', share('10Gi'))],
  },
  'all that are shared, after another claim of the pod used one up': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask({}), ask(all)],
  },
  'all that are shared, one of them a partition without counters': {
    slices: [
      counters('40Gi'),
      own([shareable('40Gi', draws('40Gi')), { ...devices(1, draws('40Gi'))[0], name: 'gpu-0' }], two),
    ],
    claims: [ask({ ...all, ...having('device.allowMultipleAllocations') })],
    held: [allocatedTo('gpu-0')],
  },
  'all, one of them without such a capacity': {
    slices: [own([{ name: 'gpu-0' }, { name: 'gpu-1', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask({ ...all, ...memory('30Gi') })],
  },
  'an administrator looks at all that are shared, one of them used up': {
    slices: [own([shareable('40Gi'), { ...shareable('40Gi'), name: 'other' }])],
    claims: [ask({ ...all, adminAccess: true })],
    held: [allocatedTo('shared', share('10Gi'))],
  },
  'thirty-three by all': { slices: [own(devices(33))], claims: [ask(all)] },
  'thirty-two by all': { slices: [own(devices(32))], claims: [ask(all)] },
  'two shares of a device for one request': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ count: 2, ...memory('20Gi') })],
  },
  'three shares of two halves': { slices: [own([shareable('40Gi')])], claims: [ask({ count: 3, ...memory('20Gi') })] },
  'a share for each of two requests': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ name: 'one', ...memory('20Gi') }, { name: 'two', ...memory('20Gi') })],
  },
  'a share for each of two claims': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('20Gi')), ask(memory('20Gi'))],
  },
  'all of a device that is shared': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ ...all, ...memory('20Gi') })],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'a share of what is left': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('21Gi'))],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'a share of a device that one has to itself': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('1Gi'))],
    held: [allocatedTo('shared')],
  },
  'two shares of a partition': {
    slices: [counters('40Gi'), own([shareable('40Gi', draws('40Gi'))], two)],
    claims: [ask(memory('10Gi')), ask(memory('10Gi'))],
  },
  'a share of a partition that others share': {
    slices: [counters('40Gi'), own([shareable('40Gi', draws('40Gi'))], two)],
    claims: [ask(memory('10Gi'))],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'a partition beside a shared one': {
    slices: [counters('40Gi'), own([shareable('20Gi', draws('20Gi')), { name: 'whole', ...draws('40Gi') }], two)],
    claims: [ask(having('!device.allowMultipleAllocations'))],
    held: [allocatedTo('shared', share('20Gi'))],
  },
  'a partition beside two shares of another': {
    slices: [counters('60Gi'), own([shareable('20Gi', draws('20Gi')), { name: 'whole', ...draws('40Gi') }], two)],
    claims: [ask(having('!device.allowMultipleAllocations'))],
    held: ['d6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5d', 'd6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5e'].map((shareID) =>
      allocatedTo('shared', { shareID, consumedCapacity: { memory: '10Gi' } }),
    ),
  },
  'shares of other sizes than those that are held': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi'))],
    held: [allocatedTo('shared', share('30Gi'))],
  },
  'a share when all is held': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('1Gi'))],
    held: [allocatedTo('shared', share('40Gi'))],
  },
  'a share beside what an administrator looks at': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi'))],
    held: [allocatedTo('shared', { ...share('20Gi'), adminAccess: true })],
  },
  'a share, and an administrator looks at the rest': {
    slices: [own([shareable('40Gi')])],
    claims: [ask(memory('30Gi')), ask({ adminAccess: true, ...memory('20Gi') })],
  },
  'an administrator looks at a share, and somebody takes the rest': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('20Gi') }), ask(memory('30Gi'))],
  },
  'an administrator looks at a partition without room': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), two)],
    claims: [ask({ count: 3, adminAccess: true })],
  },
  'a device that is free beside what an administrator looks at': {
    slices: [own(devices(1))],
    claims: [ask({})],
    held: [allocatedTo('gpu-0', { adminAccess: true })],
  },
  'a device that another holds': { slices: [own(devices(1))], claims: [ask({})], held: [allocatedTo('gpu-0')] },
  'the second choice, as the first is taken': {
    slices: [own(modelled('A', 'B'))],
    claims: [
      firstOf(
        { name: 'one', deviceClassName: 'gpu', ...having(`${attributes}.model == "A"`) },
        { name: 'other', deviceClassName: 'gpu', ...having(`${attributes}.model == "B"`) },
      ),
    ],
    held: [allocatedTo('gpu-0')],
  },
  'devices that match, past others that do not': {
    slices: [own(modelled('A', 'B', 'B'))],
    claims: [{ ...ask({ name: 'one' }, { name: 'two' }), constraints: [{ matchAttribute: `${driver}/model` }] }],
  },
  'devices that each name their node': {
    slices: [
      aSlice(
        'mixed',
        [
          { name: 'near', nodeName: 'node' },
          { name: 'far', nodeName: 'elsewhere' },
        ],
        {
          perDeviceNodeSelection: true,
        },
      ),
    ],
    claims: [ask(all)],
  },
  'two devices that each name their node': {
    slices: [
      aSlice(
        'mixed',
        [
          { name: 'near', nodeName: 'node' },
          { name: 'far', nodeName: 'elsewhere' },
        ],
        {
          perDeviceNodeSelection: true,
        },
      ),
    ],
    claims: [ask({ count: 2 })],
  },
  'devices of all nodes': { slices: [aSlice('net', devices(2), { allNodes: true })], claims: [ask(all)] },
  'all of the node and of all nodes, of which one is held': {
    slices: [own(devices(1)), aSlice('net', devices(2), { allNodes: true })],
    claims: [ask(all)],
    held: [{ devices: { results: [{ request: 'main', driver, pool: 'net', device: 'gpu-1' }] } }],
  },
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
    claims: [
      {
        ...ask({}),
        allocation: {
          ...allocatedTo('gpu-0'),
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['elsewhere'] }] }],
          },
        },
        reservedFor: ['somebody'],
      },
    ],
  },
  'a claim that is allocated elsewhere and that nobody uses': {
    slices: [own(devices(1))],
    claims: [
      {
        ...ask({}),
        allocation: {
          ...allocatedTo('gpu-0'),
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['elsewhere'] }] }],
          },
        },
      },
    ],
  },
  'more partitions than the counters allow': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), two)],
    claims: [ask({ count: 3 })],
  },
  'a partition beside one that is held': {
    slices: [counters('40Gi'), own(devices(3, draws('20Gi')), two)],
    claims: [ask({ count: 2 })],
    held: [allocatedTo('gpu-0')],
  },
  'a share that leaves another device whole': {
    slices: [own([{ ...shareable('40Gi'), name: 'fresh' }, shareable('40Gi')])],
    claims: [ask({ name: 'one', ...memory('10Gi') }, { name: 'two', ...memory('40Gi') })],
    held: [allocatedTo('shared', share('30Gi'))],
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
  'a claim under two names': { slices: [own(devices(1))], claims: [ask({})], uses: [0, 0] },
  'two looks of administrators at one device': {
    slices: [own(devices(1))],
    claims: [ask({ name: 'one', adminAccess: true }, { name: 'two', adminAccess: true })],
  },
  'two devices for an administrator': { slices: [own(devices(1))], claims: [ask({ count: 2, adminAccess: true })] },
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
  },
  'an administrator looks at what the same claim gets': {
    slices: [own(devices(1))],
    claims: [ask({ name: 'one' }, { name: 'two', adminAccess: true })],
  },
  'an administrator looks at a tainted device': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ adminAccess: true })],
  },
  'an administrator looks at partitions that others hold': {
    slices: [counters('40Gi'), own(devices(2, draws('20Gi')), two)],
    claims: [ask({ ...all, adminAccess: true })],
    held: [allocatedTo('gpu-0'), allocatedTo('gpu-1')],
  },
  'an administrator looks at a share': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('20Gi') })],
    held: [allocatedTo('shared', share('40Gi'))],
  },
  'an administrator looks for more than there is': {
    slices: [own([shareable('40Gi')])],
    claims: [ask({ adminAccess: true, ...memory('50Gi') })],
  },
  'attributes of different types do not match': {
    slices: [
      own([
        { name: 'a', attributes: { index: { int: 1 } } },
        { name: 'b', attributes: { index: { string: '1' } } },
      ]),
    ],
    claims: [{ ...ask({ count: 2 }), constraints: [{ matchAttribute: `${driver}/index` }] }],
  },
  'attributes match with the domain and without it': {
    slices: [
      own([
        { name: 'a', attributes: { index: { int: 1 } } },
        { name: 'b', attributes: { [`${driver}/index`]: { int: 1 } } },
      ]),
    ],
    claims: [{ ...ask({ count: 2 }), constraints: [{ matchAttribute: `${driver}/index` }] }],
  },
  'a constraint of one alternative': {
    slices: [own(modelled('A', 'B'))],
    claims: [
      {
        requests: [
          ...(firstOf(
            { name: 'one', deviceClassName: 'gpu', ...having(`${attributes}.model == "A"`) },
            { name: 'other', deviceClassName: 'gpu', ...having(`${attributes}.model == "A"`) },
          ).requests ?? []),
          aRequest({ name: 'second' }),
        ],
        constraints: [{ matchAttribute: `${driver}/model`, requests: ['main/one', 'second'] }],
      },
    ],
  },
  'a constraint of the only alternative': {
    slices: [own(modelled('A', 'B'))],
    claims: [
      {
        requests: [...(firstOf({ name: 'one', deviceClassName: 'gpu' }).requests ?? []), aRequest({ name: 'second' })],
        constraints: [{ matchAttribute: `${driver}/model`, requests: ['main/one', 'second'] }],
      },
    ],
  },
  'a constraint of all alternatives': {
    slices: [own(modelled('A', 'B'))],
    claims: [
      {
        requests: [
          ...(firstOf(
            { name: 'one', deviceClassName: 'gpu', ...having(`${attributes}.model == "A"`) },
            { name: 'other', deviceClassName: 'gpu', ...having(`${attributes}.model == "A"`) },
          ).requests ?? []),
          aRequest({ name: 'second' }),
        ],
        constraints: [{ matchAttribute: `${driver}/model`, requests: ['main', 'second'] }],
      },
    ],
  },
  'a class that is not there, as the second choice': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'one', deviceClassName: 'gpu' }, { name: 'other', deviceClassName: 'nowhere' })],
  },
  'a class that is not there, as the first choice': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'other', deviceClassName: 'nowhere' }, { name: 'one', deviceClassName: 'gpu' })],
  },
  'more than a claim may have, or one': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'many', deviceClassName: 'gpu', count: 33 }, { name: 'one', deviceClassName: 'gpu' })],
  },
  'capacity by its name with the domain': {
    slices: [own([{ name: 'a', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask({ capacity: { requests: { [`${driver}/memory`]: '20Gi' } } })],
  },
  'a whole device, too small': {
    slices: [own([{ name: 'a', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask(memory('41Gi'))],
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
  },
  'a taint that evicts': { slices: [own([tainted('NoExecute')])], claims: [ask({})] },
  'a taint that does nothing': { slices: [own([tainted('None')])], claims: [ask({})] },
  'a toleration of the value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Equal', value: 'yes' }] })],
  },
  'a toleration of another value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Equal', value: 'no' }] })],
  },
  'a toleration without a word on the value': {
    slices: [own([tainted('NoSchedule', 'yes')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken' }] })],
  },
  'a toleration of another effect': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ tolerations: [{ key: 'example.com/broken', operator: 'Exists', effect: 'NoExecute' }] })],
  },
  'a toleration of everything': {
    slices: [own([tainted('NoSchedule')])],
    claims: [ask({ tolerations: [{ operator: 'Exists' }] })],
  },
  'a selector that only a later device fails': {
    slices: [own([...modelled('A'), { name: 'z' }])],
    claims: [ask(having(`${attributes}.model == "A"`))],
  },
  'a selector that an earlier device fails': {
    slices: [own([{ name: 'a' }, ...modelled('A')])],
    claims: [ask(having(`${attributes}.model == "A"`))],
  },
  'a field that is tested': cel(`has(${attributes}.model)`),
  'a field that is tested and not there': cel(`has(${attributes}.other)`),
  'a key that is tested': cel(`"model" in ${attributes}`),
  'a field by its key': cel(`${attributes}["model"] == "A"`),
  'a bound domain': cel(`cel.bind(d, ${attributes}, d.model == "A")`),
  'a bound domain and a test': cel(`cel.bind(d, ${attributes}, has(d.model) && d.model == "A")`),
  'an optional field': cel(`${attributes}.?model.orValue("B") == "A"`),
  'an optional field that is not there': cel(`${attributes}.?other.orValue("B") == "B"`),
  'an optional domain': cel(`device.attributes[?"${driver}"].hasValue()`),
  'a domain that nobody knows': cel('device.attributes["other.example.com"].size() == 0'),
  'whether a domain is there': cel(`"${driver}" in device.attributes`),
  'whether an unknown domain is there': cel('"other.example.com" in device.attributes'),
  'whether a domain of capacities is there': cel(`"${driver}" in device.capacity`, [
    { name: 'a', capacity: { memory: { value: '2Gi' } } },
  ]),
  'single quotes': cel(`has(device.attributes['${driver}'].model)`),
  'a version': cel(`${attributes}.version.major() == 1 && ${attributes}.version.compareTo(semver("1.9.9")) > 0`, [
    { name: 'a', attributes: { version: { version: '1.10.0' } } },
  ]),
  'a version to be set right': cel(`${attributes}.version.isGreaterThan(semver("v1.9", true))`, [
    { name: 'a', attributes: { version: { version: '1.10.0' } } },
  ]),
  'a capacity': cel(`device.capacity["${driver}"].memory.isGreaterThan(quantity("1Gi"))`, [
    { name: 'a', capacity: { memory: { value: '2Gi' } } },
  ]),
  'a capacity as a whole number': cel(`device.capacity["${driver}"].memory.asInteger() == 2`, [
    { name: 'a', capacity: { memory: { value: '2' } } },
  ]),
  'a word in a list': cel(`${attributes}.model in ["A", "B"]`),
  'a pattern': cel(`${attributes}.model.matches("^[A-C]$")`),
  'small letters': cel(`${attributes}.model.lowerAscii() == "a"`),
  'a choice': cel(`${attributes}.model == "A" ? true : false`),
}

/** The cases in which the devices do not suffice; in all others the pod can run on the node. */
export const refusedCases: ReadonlySet<string> = new Set([
  'two of one',
  'all, one of them tainted',
  'all, another pool that is reached is not whole',
  'all, the pool is not whole',
  'all, but nothing matches, and the pool is not whole',
  'one of the older generation',
  'a device that occurs twice in its pool',
  'all that are shared, one of them held whole',
  'all that are shared, which is one that is used up',
  'all that are shared, after another claim of the pod used one up',
  'all that are shared, one of them a partition without counters',
  'thirty-three by all',
  'two shares of a device for one request',
  'three shares of two halves',
  'a share of what is left',
  'a share of a device that one has to itself',
  'a partition beside a shared one',
  'shares of other sizes than those that are held',
  'a share when all is held',
  'a share, and an administrator looks at the rest',
  'an administrator looks at a share, and somebody takes the rest',
  'an administrator looks at a partition without room',
  'a device that another holds',
  'two devices that each name their node',
  'all of the node and of all nodes, of which one is held',
  'a claim that is allocated elsewhere',
  'more partitions than the counters allow',
  'a partition beside one that is held',
  'a claim under two names',
  'two looks of administrators at one device',
  'two devices for an administrator',
  'a device that an administrator of the pod looks at',
  'an administrator looks at what the same claim gets',
  'an administrator looks at a tainted device',
  'an administrator looks at partitions that others hold',
  'an administrator looks at a share',
  'an administrator looks for more than there is',
  'attributes of different types do not match',
  'a constraint of all alternatives',
  'a constraint of the only alternative',
  'a class that is not there, as the second choice',
  'a class that is not there, as the first choice',
  'capacity by its name with the domain',
  'a whole device, too small',
  'less than the least',
  'without a word the default',
  'a taint that evicts',
  'a toleration of another value',
  'a toleration without a word on the value',
  'a toleration of another effect',
  'a selector that an earlier device fails',
  'a field that is tested and not there',
  'whether an unknown domain is there',
])

/** While a driver publishes its pool, kube-scheduler lets pods wait. We count on what will be there, so that no node is launched meanwhile. */
export const whilePublished: Record<string, DeviceCase> = {
  'one, the pool is not whole': { slices: [own(devices(1), two)], claims: [ask({})] },
  'the newer generation is not whole': {
    slices: [
      own(devices(2), { pool: { name: 'own', generation: 1 } }, 'old'),
      own(devices(1), { pool: { name: 'own', generation: 2, resourceSliceCount: 2 } }, 'new'),
    ],
    claims: [ask({})],
  },
  'all of a pool that is not whole, or one': {
    slices: [own(devices(1), two)],
    claims: [firstOf({ name: 'all', deviceClassName: 'gpu', ...all }, { name: 'one', deviceClassName: 'gpu' })],
  },
}

/** Whether our solver finds the pod's devices on the node. */
export function isPlaced(id: string, given: DeviceCase): boolean {
  const { claimNames, claims, slices, classes } = worldOf(id, given)
  const placement = solveWorld(
    {
      types: [],
      nodes: [aNode({ name: id, labels: { case: id } })],
      pods: [aPod({ name: 'pod', resourceClaims: claimNames.map(namedClaim) })],
      devices: deviceObjects(claims, slices, classes),
    },
    { settings: { ignoreDRA: false } },
  )
  return whereabouts(placement)['pod'] === id
}

/** As a pod names it. */
export function namedClaim(resourceClaimName: string, index: number) {
  return { name: `claim-${index}`, resourceClaimName }
}

export type DeviceWorld = ReturnType<typeof worldOf>

/** The case's objects; `id` is the name of its node and part of all other names, so that no case is in another's way. */
export function worldOf(id: string, { slices, claims, uses = claims.map((_, index) => index), held = [] }: DeviceCase) {
  const ownDriver = (name: string) => (name === driver ? `${id}.${driver}` : `${id}.${name}`)
  const text = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(driver, ownDriver(driver))) as T
  const className = (name: string) => `${id}-${name}`
  const pool = (name: string) => `${id}-${name}`
  return {
    slices: slices.map((slice): ResourceSlice => {
      const { spec, metadata } = text(slice)
      return {
        ...slice,
        metadata: { ...metadata, name: `${id}-${metadata.name}` },
        spec: {
          ...spec,
          driver: spec.driver.startsWith(id) ? spec.driver : ownDriver(spec.driver),
          ...(spec.nodeName === undefined
            ? {}
            : { nodeName: spec.nodeName === 'node' ? id : `${id}-${spec.nodeName}` }),
          pool: { ...spec.pool, name: pool(spec.pool.name) },
          ...(spec.devices === undefined
            ? {}
            : {
                devices: spec.devices.map((device) =>
                  device.nodeName === undefined
                    ? device
                    : { ...device, nodeName: device.nodeName === 'node' ? id : `${id}-${device.nodeName}` },
                ),
              }),
        },
      }
    }),
    classes: [aDeviceClass(className('gpu'), `device.driver.startsWith("${id}.")`)],
    claims: [
      ...claims.map((options, index): ResourceClaim => {
        const claim = text(aResourceClaim(`${id}-${index}`, options))
        for (const request of claim.spec.devices?.requests ?? []) {
          for (const asked of [request.exactly, ...(request.firstAvailable ?? [])]) {
            if (asked !== undefined) asked.deviceClassName = className(asked.deviceClassName)
          }
        }
        for (const result of claim.status?.allocation?.devices?.results ?? []) result.pool = pool(result.pool)
        return claim
      }),
      ...held.map((allocation, index): ResourceClaim => {
        const claim = text(aResourceClaim(`${id}-held-${index}`, { allocation, reservedFor: ['somebody'] }))
        for (const result of claim.status?.allocation?.devices?.results ?? []) result.pool = pool(result.pool)
        for (const request of claim.spec.devices?.requests ?? []) {
          if (request.exactly !== undefined) request.exactly.deviceClassName = className('gpu')
        }
        return claim
      }),
    ],
    claimNames: uses.map((index) => `${id}-${index}`),
  }
}
