import { aRequest, devices, driver } from '../device-objects.ts'
import type { DeviceCase } from './device-case.ts'
import { allocatedTo, ask, attributes, firstOf, having, memory, modelled, own } from './parts.ts'

const isA = having(`${attributes}.model == "A"`)
const eitherOfA = firstOf(
  { name: 'one', deviceClassName: 'gpu', ...isA },
  { name: 'other', deviceClassName: 'gpu', ...isA },
)

/** A request with alternatives and a plain one, whose devices are to be of one model where that is asked of `requests`. There is one of each. */
const ofOneModel = (requests: readonly string[], alternatives = eitherOfA): DeviceCase => ({
  slices: [own(modelled('A', 'B'))],
  claims: [
    {
      requests: [...(alternatives.requests ?? []), aRequest({ name: 'second' })],
      constraints: [{ matchAttribute: `${driver}/model`, requests: [...requests] }],
    },
  ],
})

/** Alternatives, constraints between requests, classes and amounts. */
export const choiceCases: Record<string, DeviceCase> = {
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
  'attributes of different types do not match': {
    slices: [
      own([
        { name: 'a', attributes: { index: { int: 1 } } },
        { name: 'b', attributes: { index: { string: '1' } } },
      ]),
    ],
    claims: [{ ...ask({ count: 2 }), constraints: [{ matchAttribute: `${driver}/index` }] }],
    refused: true,
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
  'a constraint of one alternative': ofOneModel(['main/one', 'second']),
  'a constraint of the only alternative': {
    ...ofOneModel(['main/one', 'second'], firstOf({ name: 'one', deviceClassName: 'gpu' })),
    refused: true,
  },
  'a constraint of all alternatives': { ...ofOneModel(['main', 'second']), refused: true },
  'a class that is not there, as the second choice': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'one', deviceClassName: 'gpu' }, { name: 'other', deviceClassName: 'nowhere' })],
    refused: true,
  },
  'a class that is not there, as the first choice': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'other', deviceClassName: 'nowhere' }, { name: 'one', deviceClassName: 'gpu' })],
    refused: true,
  },
  'more than a claim may have, or one': {
    slices: [own(devices(1))],
    claims: [firstOf({ name: 'many', deviceClassName: 'gpu', count: 33 }, { name: 'one', deviceClassName: 'gpu' })],
  },
  'capacity by its name with the domain': {
    slices: [own([{ name: 'a', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask({ capacity: { requests: { [`${driver}/memory`]: '20Gi' } } })],
    refused: true,
  },
  'a whole device, too small': {
    slices: [own([{ name: 'a', capacity: { memory: { value: '40Gi' } } }])],
    claims: [ask(memory('41Gi'))],
    refused: true,
  },
}
