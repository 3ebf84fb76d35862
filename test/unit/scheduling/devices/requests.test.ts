import { describe, expect, test } from 'vitest'
import type { Device, ResourceClaim } from '../../../../src/api/kubernetes.ts'
import type { DeviceTemplate } from '../../../../src/model/instance-type.ts'
import {
  aDeviceClass,
  allocated,
  aRequest,
  aResourceClaim,
  aSlice,
  aTemplate,
  deviceObjects,
  devices,
  driver,
} from '../../../support/device-objects.ts'
import { aNode, aPod, aType } from '../../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../../support/solving.ts'

const none = 'allocating dynamic resources, no instance type can satisfy the allocation'

interface Case {
  readonly claims: readonly ResourceClaim[]
  readonly template?: DeviceTemplate
  /** Text of the first failure, or undefined when all pods are placed. */
  readonly want: string | undefined
}

/** One pod for each claim, all for the same one node: whether its devices suffice. */
function check({ claims, template = aTemplate(devices(2)), want }: Case): void {
  const type = aType({ name: 'type', cpu: '64', memory: '64Gi', pods: '100', deviceTemplates: [template] })
  const pods = [aPod({ resourceClaims: claims.map(({ metadata: { name } }) => ({ name, resourceClaimName: name })) })]
  const placement = solveWorld(
    { types: [type], pods, devices: deviceObjects(claims) },
    { settings: { ignoreDRA: false } },
  )
  expect(placement.failures[0]?.text).toBe(want)
}

const selecting = (...expressions: string[]) => expressions.map((expression) => ({ cel: { expression } }))
const models = (...values: string[]): Device[] =>
  values.map((value, i) => ({ name: `gpu-${i}`, attributes: { model: { string: value } } }))
const withMemory = (...amounts: string[]): Device[] =>
  amounts.map((value, i) => ({ name: `gpu-${i}`, capacity: { memory: { value } } }))
const ask = (...requests: Parameters<typeof aRequest>[0][]) =>
  aResourceClaim('a', { requests: requests.map((one) => aRequest(one)) })

describe('how many devices a request gets', () => {
  const cases: Record<string, Case> = {
    'one without further words': { claims: [ask({})], want: undefined },
    'as many as counted': { claims: [ask({ count: 2 })], want: undefined },
    'never fewer': { claims: [ask({ count: 3 })], want: none },
    'two requests of a claim take different devices': {
      claims: [ask({ name: 'one' }, { name: 'two' }, { name: 'three' })],
      want: none,
    },
    'two claims of a pod take different devices': {
      claims: [ask({ count: 2 }), aResourceClaim('b')],
      want: none,
    },
    'all that there are': { claims: [ask({ allocationMode: 'All' })], want: undefined },
    'all leaves nothing for others': {
      claims: [ask({ allocationMode: 'All' }), aResourceClaim('b')],
      want: none,
    },
    'all needs one at least': {
      claims: [ask({ allocationMode: 'All', selectors: selecting('false') })],
      want: none,
    },
    'all needs every single one to be free': {
      claims: [aResourceClaim('b'), ask({ allocationMode: 'All' })],
      want: none,
    },
    'administrators look at devices that others have': {
      claims: [ask({ count: 2 }), aResourceClaim('b', { requests: [aRequest({ adminAccess: true, count: 2 })] })],
      want: undefined,
    },
    'more than a claim may have': {
      claims: [ask({ count: 33 })],
      template: aTemplate(devices(40)),
      want: 'resourceclaim "default/a": 33 devices are more than the 32 that a claim may have',
    },
    'more than a claim may have, over several requests': {
      claims: [ask({ name: 'one', count: 20 }, { name: 'two', count: 13 })],
      template: aTemplate(devices(40)),
      want: 'resourceclaim "default/a": 33 devices are more than the 32 that a claim may have',
    },
    'more than a claim may have, as all are one at least': {
      claims: [ask({ name: 'one', count: 32 }, { name: 'two', allocationMode: 'All' })],
      want: 'resourceclaim "default/a": 33 devices are more than the 32 that a claim may have',
    },
    'some of many that are alike, and what is not there': {
      claims: [ask({ name: 'one', count: 15 }, { name: 'two', selectors: selecting('false') })],
      template: aTemplate(devices(30)),
      want: none,
    },
    'some of many that all differ, and what is not there': {
      claims: [ask({ name: 'one', count: 15 }, { name: 'two', selectors: selecting('false') })],
      template: aTemplate(models(...Array.from({ length: 30 }, (_, i) => `model-${i}`))),
      want: 'allocating dynamic resources, too many combinations of devices were tried',
    },
    'the most that a claim may have': {
      claims: [ask({ name: 'one', count: 20 }, { name: 'two', count: 12 })],
      template: aTemplate(devices(40)),
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, given) => check(given))
})

describe('first available', () => {
  const firstOf = (...names: readonly [string, number][]) =>
    aResourceClaim('a', {
      requests: [
        {
          name: 'gpu',
          firstAvailable: names.map(([model, count]) => ({
            name: model.toLowerCase(),
            deviceClassName: 'gpu',
            count,
            selectors: selecting(`device.attributes["${driver}"].model == "${model}"`),
          })),
        },
      ],
    })
  const cases: Record<string, Case> = {
    'the first alternative that can be had is taken': {
      claims: [firstOf(['A', 2], ['B', 1])],
      template: aTemplate(models('A', 'B')),
      want: undefined,
    },
    'none can be had': { claims: [firstOf(['A', 2], ['B', 2])], template: aTemplate(models('A', 'B')), want: none },
    'an earlier choice is undone when a later request needs the device': {
      claims: [
        firstOf(['A', 1], ['B', 1]),
        aResourceClaim('b', {
          requests: [aRequest({ selectors: selecting(`device.attributes["${driver}"].model == "A"`) })],
        }),
      ],
      template: aTemplate(models('A', 'B')),
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, given) => check(given))
})

describe('selectors', () => {
  const template = aTemplate([
    {
      name: 'gpu-0',
      attributes: {
        model: { string: 'A' },
        slots: { int: 4 },
        shiny: { bool: true },
        version: { version: '1.10.0' },
        'pci.example.com/root': { string: 'pci0' },
      },
      capacity: { memory: { value: '40Gi' } },
    },
  ])
  const matching = [
    `device.driver == "${driver}"`,
    `device.attributes["${driver}"].model == "A"`,
    `device.attributes["${driver}"].slots >= 4 && device.attributes["${driver}"].shiny`,
    `device.attributes["${driver}"].version.isGreaterThan(semver("1.9.0"))`,
    `device.attributes["pci.example.com"].root.startsWith("pci")`,
    `device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) >= 0`,
    `!has(device.attributes["other.example.com"].model)`,
    'device.allowMultipleAllocations == false',
  ]
  const differing = [
    'device.driver == "other"',
    `device.attributes["${driver}"].slots > 4`,
    `device.attributes["${driver}"].version.isLessThan(semver("1.10.0-rc.1"))`,
    `device.capacity["${driver}"].memory.isGreaterThan(quantity("40Gi"))`,
  ]
  test.each(matching)('%s matches', (expression) =>
    check({ claims: [ask({ selectors: selecting(expression) })], template, want: undefined }),
  )
  test.each(differing)('%s does not', (expression) =>
    check({ claims: [ask({ selectors: selecting(expression) })], template, want: none }),
  )
  test('all selectors of a request must match', () =>
    check({ claims: [ask({ selectors: selecting(matching[0] ?? '', differing[0] ?? '') })], template, want: none }))

  test('those of the class must match, too', () => {
    const type = aType({ name: 'type', cpu: '8', memory: '8Gi', deviceTemplates: [template] })
    const pod = aPod({ name: 'p', resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] })
    const world = (expression: string) => ({
      types: [type],
      pods: [pod],
      devices: deviceObjects([aResourceClaim('a')], [], [aDeviceClass('gpu', expression)]),
    })
    const settings = { ignoreDRA: false }
    expect(whereabouts(solveWorld(world('device.driver == "other"'), { settings }))).toEqual({ p: none })
    expect(whereabouts(solveWorld(world(`device.driver == "${driver}"`), { settings }))).toEqual({ p: 'new-0' })
  })

  test('one that fails says so: nobody can know what it meant', () => {
    const broken = `device.attributes["${driver}"].missing == "x"`
    const type = aType({ name: 'type', cpu: '8', memory: '8Gi', deviceTemplates: [template] })
    const claims = [ask({ selectors: selecting(broken) })]
    const pods = [aPod({ resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] })]
    const placement = solveWorld(
      { types: [type], pods, devices: deviceObjects(claims) },
      { settings: { ignoreDRA: false } },
    )
    expect(placement.failures[0]?.text).toMatch(/^allocating dynamic resources, device\.attributes.*missing/)
  })

  const refused: Record<string, readonly [ResourceClaim, string]> = {
    'a selector that is not CEL': [
      ask({ selectors: [{}] }),
      'resourceclaim "default/a": request main: only CEL selectors are understood',
    ],
    'a class that is not there': [
      ask({ deviceClassName: 'nope' }),
      'resourceclaim "default/a": request main: deviceclass "nope" not found',
    ],
    'a request of a kind that is not known': [
      aResourceClaim('a', { requests: [{ name: 'main' }] }),
      'resourceclaim "default/a": request main asks for nothing that is known here',
    ],
    'an allocation mode that is not known': [
      ask({ allocationMode: 'Most' }),
      'resourceclaim "default/a": request main: allocation mode Most is not understood',
    ],
    'a constraint of a kind that is not known': [
      aResourceClaim('a', { constraints: [{ requests: ['main'] }] }),
      'resourceclaim "default/a": a constraint is of no kind that is known here',
    ],
    'a constraint that devices differ': [
      aResourceClaim('a', { constraints: [{ distinctAttribute: 'x/y' }] }),
      'resourceclaim "default/a": DistinctAttribute constraints not done yet',
    ],
  }
  test.each(Object.entries(refused))('%s is refused', (_name, [claim, want]) => check({ claims: [claim], want }))
})

describe('attributes that must match', () => {
  const pair = (constraint: { requests?: string[] } = {}) =>
    aResourceClaim('a', {
      requests: [aRequest({ name: 'one' }), aRequest({ name: 'two' })],
      constraints: [{ matchAttribute: `${driver}/model`, ...constraint }],
    })
  const cases: Record<string, Case> = {
    'devices with the same value': { claims: [pair()], template: aTemplate(models('A', 'B', 'A')), want: undefined },
    'no two have the same value': { claims: [pair()], template: aTemplate(models('A', 'B')), want: none },
    'a device without the attribute never matches': { claims: [pair()], template: aTemplate(devices(2)), want: none },
    'only the requests that the constraint names': {
      claims: [pair({ requests: ['one'] })],
      template: aTemplate(models('A', 'B')),
      want: undefined,
    },
    'two claims of one pod may each have another value': {
      claims: ['a', 'b'].map((name) =>
        aResourceClaim(name, {
          requests: [aRequest({ count: 2 })],
          constraints: [{ matchAttribute: `${driver}/model` }],
        }),
      ),
      template: aTemplate(models('A', 'B', 'A', 'B')),
      want: undefined,
    },
    'values that are known at launch only, by what they share': {
      claims: [pair()],
      template: aTemplate(devices(2, { bindings: { model: 'same' } })),
      want: undefined,
    },
    'values that are known at launch only and may differ': {
      claims: [pair()],
      template: aTemplate([
        { name: 'gpu-0', bindings: { model: 'one' } },
        { name: 'gpu-1', bindings: { model: 'two' } },
      ]),
      want: none,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, given) => check(given))
})

describe('capacity', () => {
  const memory = (amount: string) => ({ capacity: { requests: { memory: amount } } })
  const shared = (requestPolicy?: NonNullable<Device['capacity']>[string]['requestPolicy']) =>
    aTemplate([
      {
        name: 'gpu-0',
        allowMultipleAllocations: true,
        capacity: { memory: { value: '40Gi', ...(requestPolicy === undefined ? {} : { requestPolicy }) } },
      },
    ])
  const twice = (amount: string) => [ask(memory(amount)), aResourceClaim('b', { requests: [aRequest(memory(amount))] })]
  const cases: Record<string, Case> = {
    'a device that is large enough': {
      claims: [ask(memory('30Gi'))],
      template: aTemplate(withMemory('20Gi', '40Gi')),
      want: undefined,
    },
    'none that is': { claims: [ask(memory('41Gi'))], template: aTemplate(withMemory('20Gi', '40Gi')), want: none },
    'a capacity that devices do not have': {
      claims: [ask({ capacity: { requests: { cores: '1' } } })],
      template: aTemplate(withMemory('40Gi')),
      want: none,
    },
    'a device that is not shared goes whole': {
      claims: twice('10Gi'),
      template: aTemplate(withMemory('40Gi')),
      want: none,
    },
    'a shared one in parts': { claims: twice('20Gi'), template: shared(), want: undefined },
    'as far as it goes': { claims: twice('21Gi'), template: shared(), want: none },
    'without a request all of it, unless the policy says less': {
      claims: [ask({}), aResourceClaim('b')],
      template: shared(),
      want: none,
    },
    'without a request what the policy says': {
      claims: [ask({}), aResourceClaim('b')],
      template: shared({ default: '10Gi' }),
      want: undefined,
    },
    'rounded up to a valid value': {
      claims: twice('11Gi'),
      template: shared({ default: '10Gi', validValues: ['10Gi', '30Gi'] }),
      want: none,
    },
    'above all valid values': {
      claims: [ask(memory('31Gi'))],
      template: shared({ default: '10Gi', validValues: ['10Gi', '30Gi'] }),
      want: none,
    },
    'rounded up to a step': {
      claims: twice('17Gi'),
      template: shared({ default: '8Gi', validRange: { min: '8Gi', step: '8Gi' } }),
      want: none,
    },
    'at a step': {
      claims: twice('16Gi'),
      template: shared({ default: '8Gi', validRange: { min: '8Gi', step: '8Gi' } }),
      want: undefined,
    },
    'never above the range': {
      claims: [ask(memory('17Gi'))],
      template: shared({ default: '8Gi', validRange: { min: '8Gi', max: '16Gi' } }),
      want: none,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, given) => check(given))

  test('parts of one device draw on its counters', () => {
    const part = (name: string, value: string): Device => ({
      name,
      consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value } } }],
    })
    const template = aTemplate([part('half-0', '20Gi'), part('half-1', '20Gi'), part('whole', '40Gi')], {
      sharedCounters: [{ name: 'gpu', counters: { memory: { value: '40Gi' } } }],
    })
    check({ claims: [ask({ count: 2 })], template, want: undefined })
    check({ claims: [ask({ count: 3 })], template, want: none })
    check({ claims: [ask({ allocationMode: 'All' })], template, want: none })
    check({ claims: [ask({})], template: { ...template, sharedCounters: [] }, want: none })
  })
})

describe('taints of devices', () => {
  const template = aTemplate([{ name: 'gpu-0', taints: [{ key: 'broken', effect: 'NoSchedule' }] }])
  test('keep requests away that do not tolerate them', () => {
    check({ claims: [ask({})], template, want: none })
    check({ claims: [ask({ tolerations: [{ key: 'broken', operator: 'Exists' }] })], template, want: undefined })
    check({ claims: [ask({ tolerations: [{ key: 'other', operator: 'Exists' }] })], template, want: none })
  })
})

describe('pools of devices', () => {
  const settings = { ignoreDRA: false }
  const node = aNode({ name: 'n1' })
  const pod = aPod({ name: 'p', resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] })
  const all = aResourceClaim('a', { requests: [aRequest({ allocationMode: 'All' })] })
  const onNode = (
    name: string,
    list: readonly Device[],
    pool: { generation?: number; resourceSliceCount?: number } = {},
  ) => aSlice(name, list, { nodeName: 'n1', pool: { name: 'n1', ...pool } })
  const place = (claim: ResourceClaim, slices: Parameters<typeof deviceObjects>[1], more: ResourceClaim[] = []) =>
    whereabouts(
      solveWorld(
        { types: [], nodes: [node], pods: [pod], devices: deviceObjects([claim, ...more], slices) },
        { settings },
      ),
    )['p'] === 'n1'

  test('that are not complete give single devices, but not all of them', () => {
    const slices = [onNode('s1', devices(1), { resourceSliceCount: 2 })]
    expect(place(all, slices)).toBe(false)
    expect(place(aResourceClaim('a'), slices)).toBe(true)
    expect(place(all, [...slices, onNode('s2', devices(1, {}, 'other'), { resourceSliceCount: 2 })])).toBe(true)
  })

  test('in which a device occurs twice do not give all of them', () => {
    const slices = [
      onNode('s1', devices(1), { resourceSliceCount: 2 }),
      onNode('s2', devices(1), { resourceSliceCount: 2 }),
    ]
    expect(place(all, slices)).toBe(false)
  })

  test('count by their newest generation', () => {
    const slices = [onNode('old', devices(3)), onNode('new', devices(1, {}, 'new'), { generation: 2 })]
    expect(place(aResourceClaim('a', { requests: [aRequest({ count: 1 })] }), slices)).toBe(true)
    expect(place(aResourceClaim('a', { requests: [aRequest({ count: 2 })] }), slices)).toBe(false)
  })

  test('whose devices say for themselves which nodes reach them', () => {
    const near = { name: 'near', nodeName: 'n1' }
    const far = { name: 'far', nodeName: 'n2' }
    const slices = [aSlice('mixed', [near, far], { perDeviceNodeSelection: true })]
    expect(place(aResourceClaim('a'), slices)).toBe(true)
    expect(place(aResourceClaim('a', { requests: [aRequest({ count: 2 })] }), slices)).toBe(false)
  })

  test('shares of a device that others hold are not free', () => {
    const device: Device = { name: 'gpu-0', allowMultipleAllocations: true, capacity: { memory: { value: '40Gi' } } }
    const consumed = (amount: string) =>
      aResourceClaim('other', {
        allocation: {
          devices: {
            results: [{ request: 'main', driver, pool: 'n1', device: 'gpu-0', consumedCapacity: { memory: amount } }],
          },
        },
        reservedFor: ['somebody'],
      })
    const wanted = aResourceClaim('a', { requests: [aRequest({ capacity: { requests: { memory: '30Gi' } } })] })
    expect(place(wanted, [onNode('s1', [device])], [consumed('10Gi')])).toBe(true)
    expect(place(wanted, [onNode('s1', [device])], [consumed('11Gi')])).toBe(false)
  })

  test('devices that administrators look at stay free', () => {
    const looked = allocated('n1', 'gpu-0')
    const results = (looked.devices?.results ?? []).map((result) => ({ ...result, adminAccess: true }))
    const other = aResourceClaim('other', { allocation: { devices: { results } }, reservedFor: ['somebody'] })
    expect(place(aResourceClaim('a'), [onNode('s1', devices(1))], [other])).toBe(true)
    const taken = aResourceClaim('other', { allocation: looked, reservedFor: ['somebody'] })
    expect(place(aResourceClaim('a'), [onNode('s1', devices(1))], [taken])).toBe(false)
  })

  test('an administrator looks at a device that others have, where the free one that is like it is wanted', () => {
    const taken = aResourceClaim('other', { allocation: allocated('n1', 'gpu-1'), reservedFor: ['somebody'] })
    const both = [aRequest({ name: 'look', adminAccess: true }), aRequest({ name: 'own' })]
    const on = (...requests: ReturnType<typeof aRequest>[]) =>
      place(aResourceClaim('a', { requests }), [onNode('s1', devices(2))], [taken])
    expect(on(...both)).toBe(true)
    expect(on(...both.toReversed())).toBe(true)
    expect(on(...both, aRequest({ name: 'more' }))).toBe(false)
  })
})
