import { expect, test } from 'vitest'
import {
  addressesNeeded,
  chooseCapacityType,
  chooseTenancy,
} from '../../../../../src/cloud/aws/instance/capacity-type.ts'
import { narrowedTo } from '../../../../../src/cloud/aws/instance/claim-requirements.ts'
import type { InstanceType, Offering } from '../../../../../src/model/instance-type.ts'
import { oneOf, oneValue, type Requirement } from '../../../../../src/model/requirement.ts'
import { noRequirements, requirementsOf } from '../../../../../src/model/requirements.ts'
import { toResources } from '../../../../../src/model/resources.ts'

const capacityType = 'karpenter.sh/capacity-type'
const zone = 'topology.kubernetes.io/zone'
const tenancy = 'karpenter.k8s.aws/instance-tenancy'

function offered(as: string, more: Partial<Offering> = {}, at = 'z1'): Offering {
  const requirements = requirementsOf(oneValue(capacityType, as), oneValue(zone, at))
  return { requirements, price: 1, available: true, ...more }
}

function aType(name: string, offerings: readonly Offering[], pods = '29'): InstanceType {
  return {
    name,
    requirements: requirementsOf(oneValue('node.kubernetes.io/instance-type', name)),
    capacity: toResources({ pods }),
    overhead: { kubeReserved: new Map(), systemReserved: new Map(), evictionThreshold: new Map() },
    offerings,
  }
}

const gone = { available: false }
const ofEach = ['reserved', 'spot', 'on-demand'].map((as) => aType(as, [offered(as)]))
const choices: Record<string, [types: readonly InstanceType[], asked: readonly Requirement[], want: string]> = {
  'reserved comes first, though one type alone has it': [ofEach, [], 'reserved'],
  'spot comes next, though one type alone has it': [ofEach.slice(1), [], 'spot'],
  'what is not allowed is passed over': [ofEach, [oneOf(capacityType, ['spot', 'on-demand'])], 'spot'],
  'what cannot be had is passed over': [[aType('a', [offered('spot', gone), offered('on-demand')])], [], 'on-demand'],
  'what can be had elsewhere only is passed over': [
    [aType('a', [offered('spot', {}, 'z2'), offered('on-demand')])],
    [oneValue(zone, 'z1')],
    'on-demand',
  ],
  'on-demand is what is left': [[], [], 'on-demand'],
}
test.each(Object.entries(choices))('%s', (_name, [types, asked, want]) => {
  expect(chooseCapacityType(types, requirementsOf(...asked))).toBe(want)
})

test('a host of its own is taken by a claim that takes no other', () => {
  expect(chooseTenancy(noRequirements)).toBe('default')
  expect(chooseTenancy(requirementsOf(oneOf(tenancy, ['dedicated', 'default'])))).toBe('default')
  expect(chooseTenancy(requirementsOf(oneValue(tenancy, 'dedicated')))).toBe('dedicated')
})

test('in a zone the smallest type that can be had there says how many addresses go at least', () => {
  const types = [
    aType('large', [offered('spot'), offered('spot', {}, 'z2')], '58'),
    aType('small', [offered('spot'), offered('spot', gone, 'z2'), offered('on-demand', {}, 'z3')], '29'),
    aType('tiny', [offered('on-demand')], '8'),
  ]
  const needed = addressesNeeded(types, narrowedTo(noRequirements, 'spot'))
  expect(Object.fromEntries(needed)).toEqual({ z1: 29, z2: 58 })
})
