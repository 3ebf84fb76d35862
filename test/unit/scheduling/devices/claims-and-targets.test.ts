import { describe, expect, test } from 'vitest'
import { withoutHeld } from '../../../../src/controllers/provisioning/index.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { prepare, solve as runSolve } from '../../../../src/scheduling/index.ts'
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
import { gpu2, gpu4, plain } from '../../../support/device-types.ts'
import {
  aNode,
  aPod,
  aSnapshot,
  aType,
  type PodOptions,
  type WorldOptions,
  zoneKey,
} from '../../../support/scheduling-world.ts'
import { errorsOf, requirementOn, solveWorld, testSettings, typesOn, whereabouts } from '../../../support/solving.ts'

const settings = { ignoreDRA: false }
const types = [plain, gpu2, gpu4]
const annotation = 'karpenter.sh/requested-dra-drivers'

/** A pod with the named claims, each under its own name. */
function podWith(claims: readonly string[], options: PodOptions = {}): PodInfo {
  return aPod({ ...options, resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })) })
}

function solve(world: WorldOptions) {
  return solveWorld({ types, ...world }, { settings })
}

describe('names of resource claims', () => {
  const claim = { name: 'gpu', resourceClaimTemplateName: 'template' }
  const status = (statuses: { name: string; resourceClaimName?: string }[]) => ({
    phase: 'Pending' as const,
    conditions: [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }],
    resourceClaimStatuses: statuses,
  })

  test('a claim made from a template is found through the status of the pod', () => {
    const pod = aPod({ resourceClaims: [claim], status: status([{ name: 'gpu', resourceClaimName: 'p-gpu-x' }]) })
    const placement = solve({ pods: [pod], devices: deviceObjects([aResourceClaim('p-gpu-x')]) })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['gpu2', 'gpu4'])
  })

  test('a status without a name means that there is nothing to allocate', () => {
    const pod = aPod({ resourceClaims: [claim], status: status([{ name: 'gpu' }]) })
    const placement = solve({ pods: [pod], devices: deviceObjects([]) })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['gpu2', 'gpu4', 'plain'])
    expect(placement.newNodePlans[0]?.annotations).not.toHaveProperty([annotation])
  })

  test('a claim that nobody has made yet, or that is gone, fails its own pod only', () => {
    const missing = podWith(['gone'], { name: 'missing' })
    const awaited = aPod({ name: 'awaited', resourceClaims: [claim] })
    const other = aPod({ name: 'other' })
    const placement = solve({ pods: [missing, awaited, other], devices: deviceObjects([]) })
    expect(whereabouts(placement)).toEqual({
      missing: 'resourceclaim "default/gone" not found',
      awaited: 'resourceclaim for "gpu" of pod "default/awaited" has not been created yet',
      other: 'new-0',
    })
    expect(placement.failures.map(({ because }) => because.kind)).toEqual(['unresolvedClaims', 'unresolvedClaims'])
  })
})

describe('planned nodes', () => {
  test('types without the devices are dropped, and the drivers whose devices are awaited stand on the claim', () => {
    const devicesOf = deviceObjects([aResourceClaim('a', { requests: [aRequest({ count: 3 })] })])
    const placement = solve({ pods: [podWith(['a'])], devices: devicesOf })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['gpu4'])
    expect(placement.newNodePlans[0]?.annotations[annotation]).toBe(driver)
  })

  test('drivers are listed sorted', () => {
    const both = aType({
      name: 'both',
      cpu: '8',
      memory: '16Gi',
      deviceTemplates: [aTemplate(devices(1), { driver: 'nic.example.com' }), aTemplate(devices(1))],
    })
    const claim = aResourceClaim('a', {
      requests: [aRequest({ name: 'nic', deviceClassName: 'nic' }), aRequest({ name: 'gpu' })],
    })
    const classes = [aDeviceClass(), aDeviceClass('nic', `device.driver == 'nic.example.com'`)]
    const placement = solve({ types: [both], pods: [podWith(['a'])], devices: deviceObjects([claim], [], classes) })
    expect(placement.newNodePlans[0]?.annotations[annotation]).toBe('gpu.example.com,nic.example.com')
  })

  test('pods that share no claim take devices of their own: when a node has none left, another is planned', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const placement = solve({
      pods: names.map((name) => podWith([name])),
      devices: deviceObjects(names.map((name) => aResourceClaim(name))),
    })
    // Four to the first, which can then only be a gpu4.
    expect(placement.newNodePlans.map((plan) => [typesOn(plan), plan.pods.length])).toEqual([
      [['gpu4'], 4],
      [['gpu2', 'gpu4'], 1],
    ])
  })

  test('no type with the devices: the pool refuses, and the nearest miss says how many there are', () => {
    const claim = aResourceClaim('a', { requests: [aRequest({ count: 5 })] })
    const placement = solve({ pods: [podWith(['a'])], devices: deviceObjects([claim]) })
    expect(errorsOf(placement)).toEqual(['allocating dynamic resources, no instance type can satisfy the allocation'])
    const [failure] = placement.failures
    expect(failure?.because).toMatchObject({
      kind: 'pools',
      pools: [
        {
          reason: { kind: 'devices' },
          nearestMiss: {
            text: 'request main of resourceclaim default/a wants 5 devices of deviceclass gpu, gpu4 has 4',
          },
        },
      ],
    })
  })

  test('a type that has the devices but not the room leaves none', () => {
    const pod = podWith(['a'], { requests: { cpu: '12' } })
    const claim = aResourceClaim('a')
    const placement = solve({
      types: [aType({ name: 'large', cpu: '32', memory: '64Gi' }), gpu2],
      pods: [pod],
      devices: deviceObjects([claim]),
    })
    expect(errorsOf(placement)).toEqual([
      'no instance type satisfies both scheduling and dynamic resource requirements',
    ])
  })

  test('pods that share a claim of awaited devices share the node, or one of them waits', () => {
    const devicesOf = deviceObjects([aResourceClaim('shared')])
    const together = solve({ pods: [podWith(['shared']), podWith(['shared'])], devices: devicesOf })
    expect(together.newNodePlans.map(({ pods }) => pods.length)).toEqual([2])
    const large = { requests: { cpu: '10' } }
    const apart = solve({ pods: [podWith(['shared'], large), podWith(['shared'], large)], devices: devicesOf })
    expect(apart.newNodePlans.map(({ pods }) => pods.length)).toEqual([1])
    expect(errorsOf(apart)).toEqual(['allocating dynamic resources, claim is bound to a different in-flight NodeClaim'])
  })

  test('types that are ruled out later give back what was held for them', () => {
    // As `mixed` the first node needs the one device in the cluster beside its own, as `own` it does not.
    const net = aSlice('net', devices(1, { attributes: { model: { string: 'A' } } }), { allNodes: true })
    const has = (model: string, count: number) => [
      aTemplate(devices(count, { attributes: { model: { string: model } } })),
    ]
    const mixed = aType({ name: 'mixed', cpu: '7', memory: '64Gi', deviceTemplates: has('A', 1) })
    const own = aType({ name: 'own', cpu: '16', memory: '64Gi', deviceTemplates: has('B', 2) })
    const claims = [
      aResourceClaim('pair', {
        requests: [aRequest({ count: 2 })],
        constraints: [{ matchAttribute: `${driver}/model` }],
      }),
      aResourceClaim('net', {
        requests: [aRequest({ selectors: [{ cel: { expression: `device.attributes["${driver}"].model == "A"` } }] })],
      }),
    ]
    const first = podWith(['pair'], { name: 'first', requests: { cpu: '5' }, nodeSelector: { [zoneKey]: 'z2' } })
    const second = podWith(['net'], {
      name: 'second',
      requests: { cpu: '4' },
      nodeSelector: { [zoneKey]: 'z1', 'node.kubernetes.io/instance-type': 'large' },
    })
    const third = aPod({ name: 'third', requests: { cpu: '3' }, nodeSelector: { [zoneKey]: 'z2' } })
    const plainLarge = aType({ name: 'large', cpu: '16', memory: '64Gi' })
    const world = { types: [mixed, own, plainLarge], devices: deviceObjects(claims, [net]) }
    const held = solve({ ...world, types: [mixed, own], pods: [first] })
    expect(typesOn(held.newNodePlans[0])).toEqual(['mixed', 'own'])
    const withoutThird = solve({ ...world, types: [mixed, own, plainLarge], pods: [first, second] })
    expect(whereabouts(withoutThird)['second']).toMatch(/no instance type satisfies both|can satisfy the allocation/)
    const withThird = solve({ ...world, pods: [first, second, third] })
    expect(whereabouts(withThird)).toEqual({ first: 'new-0', third: 'new-0', second: 'new-1' })
    expect(typesOn(withThird.newNodePlans[0])).toEqual(['own'])
  })
})

describe('devices that are there', () => {
  const zoned = (zone: string) => ({
    nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] }] },
  })

  test('are taken before those of nodes to come, and bring the zone in which they can be reached', () => {
    const slice = aSlice('net', devices(1), zoned('z2'))
    const placement = solve({ pods: [podWith(['a'])], devices: deviceObjects([aResourceClaim('a')], [slice]) })
    const [plan] = placement.newNodePlans
    expect(typesOn(plan)).toEqual(['gpu2', 'gpu4', 'plain'])
    expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z2]`)
    expect(plan?.annotations).not.toHaveProperty([annotation])
  })

  test('two of them for one pod must be reachable from one place', () => {
    const slices = [aSlice('n1', devices(1), zoned('z1')), aSlice('n2', devices(2), zoned('z2'))]
    const claim = aResourceClaim('a', { requests: [aRequest({ count: 2 })] })
    const placement = solve({ types: [plain], pods: [podWith(['a'])], devices: deviceObjects([claim], slices) })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z2]`)
  })

  test('types whose devices lie elsewhere are dropped when the others have settled on a zone', () => {
    // Two are wanted: gpu2 has them itself, plain needs both from the zone; in-cluster ones come first for both.
    const slice = aSlice('net', devices(2), zoned('z3'))
    const claim = aResourceClaim('a', { requests: [aRequest({ count: 2 })] })
    const pod = podWith(['a'], { nodeSelector: { [zoneKey]: 'z1' } })
    const placement = solve({ pods: [pod], devices: deviceObjects([claim], [slice]) })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['gpu2', 'gpu4'])
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z1]`)
  })

  test('a type whose devices can only be reached from another zone than those of the first is dropped', () => {
    const model = (value: string) => ({ attributes: { model: { string: value } } })
    const slices = ['A', 'B'].map((value, i) => aSlice(`net-${i}`, devices(1, model(value)), zoned(`z${i + 1}`)))
    const typed = (name: string, value: string) =>
      aType({ name, cpu: '8', memory: '16Gi', deviceTemplates: [aTemplate(devices(1, model(value)))] })
    const claim = aResourceClaim('a', {
      requests: [aRequest({ count: 2 })],
      constraints: [{ matchAttribute: `${driver}/model` }],
    })
    const placement = solve({
      types: [typed('a', 'A'), typed('b', 'B')],
      pods: [podWith(['a'])],
      devices: deviceObjects([claim], slices),
    })
    expect(placement.newNodePlans.map(typesOn)).toEqual([['a']])
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z1]`)
  })

  test('that several nodes reach may be shared by pods of several nodes, as far as they can be reached', () => {
    const nodeIn = (name: string, zone: string) => aNode({ name, labels: { [zoneKey]: zone } })
    const pods = ['p1', 'p2', 'p3'].map((name) => podWith(['a'], { name, requests: { cpu: '3' } }))
    const placement = solve({
      types: [plain],
      nodes: [nodeIn('n1', 'z2'), nodeIn('n2', 'z1'), nodeIn('n3', 'z2')],
      pods,
      devices: deviceObjects([aResourceClaim('a')], [aSlice('net', devices(1), zoned('z2'))]),
    })
    expect(whereabouts(placement)).toEqual({ p1: 'n1', p2: 'n3', p3: 'new-0' })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z2]`)
  })

  test('that name a node for themselves do not count either until it is initialized', () => {
    const slice = aSlice('net', [{ name: 'near', nodeName: 'n1' }], { perDeviceNodeSelection: true })
    const place = (initialized: boolean) =>
      whereabouts(
        solve({
          types: [plain],
          nodes: [aNode({ name: 'n1', pool: 'np', initialized })],
          pods: [podWith(['a'], { name: 'p' })],
          devices: deviceObjects([aResourceClaim('a')], [slice]),
        }),
      )['p']
    expect(place(true)).toBe('n1')
    expect(place(false)).toBe('allocating dynamic resources, no instance type can satisfy the allocation')
  })

  test('on an initialized node count, those of a node that is not wait for its type instead', () => {
    const slices = [aSlice('n1', devices(1), { nodeName: 'n1' }), aSlice('n2', devices(1), { nodeName: 'n2' })]
    const labels = { 'node.kubernetes.io/instance-type': 'plain' }
    const devicesOf = deviceObjects([aResourceClaim('a')], slices)
    const ready = aNode({ name: 'n1', pool: 'np', labels })
    const unready = aNode({ name: 'n2', pool: 'np', labels, initialized: false })
    expect(whereabouts(solve({ nodes: [ready], pods: [podWith(['a'], { name: 'p' })], devices: devicesOf }))).toEqual({
      p: 'n1',
    })
    const elsewhere = solve({ nodes: [unready], pods: [podWith(['a'], { name: 'p' })], devices: devicesOf })
    expect(whereabouts(elsewhere)).toEqual({ p: 'new-0' })
    const coming = aNode({
      name: 'n3',
      pool: 'np',
      labels: { 'node.kubernetes.io/instance-type': 'gpu2' },
      initialized: false,
    })
    expect(whereabouts(solve({ nodes: [coming], pods: [podWith(['a'], { name: 'p' })], devices: devicesOf }))).toEqual({
      p: 'n3',
    })
  })

  test('of a node that is on its way wait for its type, too, while the circuit breaker of its pool is open', () => {
    const labels = { 'node.kubernetes.io/instance-type': 'gpu2' }
    const coming = aNode({ name: 'n1', pool: 'np', labels, initialized: false })
    const pod = podWith(['a'], { name: 'p' })
    const snapshot = aSnapshot({ types, nodes: [coming], pods: [pod], devices: deviceObjects([aResourceClaim('a')]) })
    const held = withoutHeld(snapshot, { heldPools: () => new Map([['np', 'nodes keep failing']]) })
    const context = prepare(held, { ...testSettings, ...settings }, [pod])
    expect(whereabouts(runSolve(context, { pods: [pod] }))).toEqual({ p: 'n1' })
  })

  test('of which a node to come needs more as one type than as another, are left for others as if it became that type', () => {
    const model = (value: string) => ({ attributes: { model: { string: value } } })
    const part = (name: string, value: string, memory: string) => ({
      name,
      ...model(value),
      consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value: memory } } }],
    })
    const parts = [part('whole', 'A', '40Gi'), part('half-0', 'B', '20Gi'), part('half-1', 'C', '20Gi')]
    const counters = { sharedCounters: [{ name: 'gpu', counters: { memory: { value: '40Gi' } } }] }
    const slices = [
      aSlice('counters', [], { allNodes: true, pool: { name: 'net', resourceSliceCount: 2 }, ...counters }),
      aSlice('parts', parts, { allNodes: true, pool: { name: 'net', resourceSliceCount: 2 } }),
    ]
    const size = { cpu: '8', memory: '16Gi', pods: '20' }
    // With a pair of one model, one type brings the partner of the whole, the other that of a half.
    const toWhole = aType({ name: 'a', ...size, deviceTemplates: [aTemplate(devices(1, model('A')))] })
    const toHalf = aType({ name: 'b', ...size, deviceTemplates: [aTemplate(devices(1, model('B')))] })
    const constraints = [{ matchAttribute: `${driver}/model` }]
    const pair = aResourceClaim('a', { requests: [aRequest({ count: 2 })], constraints })
    const placement = solve({
      types: [toWhole, toHalf, plain],
      pods: [
        podWith(['a'], { name: 'p1', requests: { cpu: '2' } }),
        podWith(['b'], { name: 'p2', nodeSelector: { 'node.kubernetes.io/instance-type': 'plain' } }),
      ],
      devices: deviceObjects([pair, aResourceClaim('b')], slices),
    })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['a', 'b'])
    expect(whereabouts(placement)).toMatchObject({ p1: 'new-0', p2: expect.stringMatching(/^no instance type satis/) })
  })

  const twoClaims = [aResourceClaim('a'), aResourceClaim('b')]
  const onGPU2 = { pool: 'np', labels: { 'node.kubernetes.io/instance-type': 'gpu2' } }
  const onNode = {
    'a node that is ready gives each device once': {
      node: aNode({ name: 'n1', ...onGPU2 }),
      slices: [aSlice('n1', devices(1), { nodeName: 'n1' })],
      claims: twoClaims,
      want: { p1: 'n1', p2: 'new-0' },
    },
    'a node that is not ready yet gives each device of its type once': {
      node: aNode({ name: 'n1', ...onGPU2, initialized: false }),
      slices: [],
      claims: [aResourceClaim('a', { requests: [aRequest({ count: 2 })] }), aResourceClaim('b')],
      want: { p1: 'n1', p2: 'new-0' },
    },
    'a device of the cluster that a pod on a node takes is not there for new nodes': {
      node: aNode({ name: 'n1', pool: 'np' }),
      slices: [aSlice('net', devices(1), { allNodes: true })],
      claims: twoClaims,
      want: { p1: 'n1', p2: 'allocating dynamic resources, no instance type can satisfy the allocation' },
    },
  }
  test.each(Object.entries(onNode))('%s', (_name, { node, slices, claims, want }) => {
    const pods = [podWith(['a'], { name: 'p1' }), podWith(['b'], { name: 'p2' })]
    const types = slices.some(({ spec }) => spec.allNodes) ? [plain] : [gpu2]
    expect(whereabouts(solve({ types, nodes: [node], pods, devices: deviceObjects(claims, slices) }))).toEqual(want)
  })

  test('a pod whose claim was given devices of a node goes to that node or waits', () => {
    const pods = [
      podWith(['a'], { name: 'p1', requests: { cpu: '3' } }),
      podWith(['a'], { name: 'p2', requests: { cpu: '2' } }),
      podWith(['a'], { name: 'p3', requests: { cpu: '1' } }),
    ]
    const node = aNode({ name: 'n1', ...onGPU2 })
    const slices = [aSlice('n1', devices(1), { nodeName: 'n1' })]
    const placement = solve({ nodes: [node], pods, devices: deviceObjects([aResourceClaim('a')], slices) })
    expect(whereabouts(placement)).toEqual({
      p1: 'n1',
      p2: 'allocating dynamic resources, claim is bound to a different in-flight NodeClaim',
      p3: 'n1',
    })
  })
})

describe('devices that claims hold already', () => {
  const user = aPod({ name: 'user', uid: 'uid-user', nodeName: 'n1' })
  const slice = aSlice('net', devices(1), { allNodes: true })
  const held = (reservedFor: readonly string[]) =>
    deviceObjects(
      [aResourceClaim('a'), aResourceClaim('old', { allocation: allocated('net', 'gpu-0'), reservedFor })],
      [slice],
    )

  const cases = {
    'are not free while a pod uses them': {
      node: aNode({ name: 'n1', pods: [user] }),
      reservedFor: ['uid-user'],
      want: 'allocating dynamic resources, no instance type can satisfy the allocation',
    },
    'are free when only pods of deleting nodes use them': {
      node: aNode({ name: 'n1', pods: [user], markedForDeletion: true }),
      reservedFor: ['uid-user'],
      want: 'new-0',
    },
    'are not free when another pod uses them, too': {
      node: aNode({ name: 'n1', pods: [user], markedForDeletion: true }),
      reservedFor: ['uid-user', 'uid-other'],
      want: 'allocating dynamic resources, no instance type can satisfy the allocation',
    },
    'are free when nobody uses them': { node: aNode({ name: 'n1', pods: [user] }), reservedFor: [], want: 'new-0' },
  }
  test.each(Object.entries(cases))('%s', (_name, { node, reservedFor, want }) => {
    const pod = podWith(['a'], { name: 'p', requests: { cpu: '6' } })
    const placement = solve({ types: [plain], nodes: [node], pods: [pod], devices: held(reservedFor) })
    expect(whereabouts(placement)).toEqual({ p: want })
  })

  test('a simulation counts the devices of the nodes that it takes away as free', () => {
    const node = aNode({ name: 'n1', pods: [user] })
    const pod = podWith(['a'], { name: 'p', requests: { cpu: '6' } })
    const placement = solveWorld(
      { types: [plain], nodes: [node], pods: [pod], devices: held(['uid-user']) },
      { settings, excludedNodes: new Set([node.key]) },
    )
    expect(whereabouts(placement)).toEqual({ p: 'new-0' })
  })

  test('a claim that is in use ties its pods to where it was allocated', () => {
    const inZone = {
      ...allocated('net', 'gpu-0'),
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: ['z3'] }] }] },
    }
    const shared = aResourceClaim('shared', { allocation: inZone, reservedFor: ['uid-user'] })
    const free = solve({ pods: [podWith(['shared'])], devices: deviceObjects([shared], [slice]) })
    expect(requirementOn(free.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z3]`)
    const elsewhere = podWith(['shared'], { nodeSelector: { [zoneKey]: 'z1' } })
    expect(errorsOf(solve({ pods: [elsewhere], devices: deviceObjects([shared], [slice]) }))).toEqual([
      `incompatible dynamic resource requirements, key ${zoneKey}, ${zoneKey} In [z3] not in ${zoneKey} In [z1]`,
    ])
  })

  test('what a claim that is in use asked for does not matter any more', () => {
    const shared = aResourceClaim('shared', {
      requests: [aRequest({ deviceClassName: 'gone' })],
      allocation: allocated('net', 'gpu-0'),
      reservedFor: ['uid-user'],
    })
    const placement = solve({ pods: [podWith(['shared'], { name: 'p' })], devices: deviceObjects([shared], [slice]) })
    expect(whereabouts(placement)).toEqual({ p: 'new-0' })
  })

  test('a claim that was allocated on a node is of use there only', () => {
    const onNode = {
      ...allocated('n1', 'gpu-0'),
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
      },
    }
    const shared = aResourceClaim('shared', { allocation: onNode, reservedFor: ['uid-user'] })
    const nodes = [aNode({ name: 'n0' }), aNode({ name: 'n1', pods: [user] })]
    const world = { nodes, devices: deviceObjects([shared]) }
    expect(whereabouts(solve({ ...world, pods: [podWith(['shared'], { name: 'p' })] }))).toEqual({ p: 'n1' })
    const large = podWith(['shared'], { requests: { cpu: '6' } })
    expect(errorsOf(solve({ ...world, pods: [large] }))).toEqual([
      'incompatible dynamic resource requirements, resourceclaim "default/shared" is allocated on a node',
    ])
  })
})

test('with the default flags pools and claims are not even looked at', () => {
  const placement = solveWorld({ types, pods: [podWith(['a'])], devices: deviceObjects([aResourceClaim('a')]) })
  expect(placement.failures.map(({ because }) => because.kind)).toEqual(['resourceClaims'])
})
