import { describe, expect, test } from 'vitest'
import type { Offering } from '../../../src/model/instance-type.ts'
import { oneValue } from '../../../src/model/requirement.ts'
import { requirementsOf } from '../../../src/model/requirements.ts'
import { toResources } from '../../../src/model/resources.ts'
import {
  anOffering,
  aPod,
  aPool,
  aSnapshot,
  aType,
  capacityTypeKey,
  instanceTypeKey,
  pods,
  testVocabulary,
  zoneKey,
} from '../../support/scheduling-world.ts'
import {
  errorsOf,
  planShapes,
  requirementOn,
  solveWorld,
  testSettings,
  typesOn,
  whereabouts,
} from '../../support/solving.ts'
import { type NodePlan, prepare, toNodeClaim } from '../../../src/scheduling/index.ts'
import { apart } from '../../support/scheduling-objects.ts'

const bestEffort = { settings: { minValuesPolicy: 'BestEffort' as const } }
const relaxedKey = 'karpenter.sh/nodeclaim-min-values-relaxed'

function wanting(minValues: number, key = instanceTypeKey) {
  return { requirements: [{ key, operator: 'Exists' as const, minValues }] }
}

const a = aType({ name: 'a', cpu: '2', memory: '4Gi' })
const b = aType({ name: 'b', cpu: '4', memory: '4Gi' })
const c = aType({ name: 'c', cpu: '8', memory: '4Gi' })

describe('minValues', () => {
  test('case 81: too few types fit: refused, or lowered under BestEffort', () => {
    const world = { pools: [aPool(wanting(3))], types: [a, b, c], pods: [aPod({ requests: { cpu: '3' } })] }
    expect(errorsOf(solveWorld(world))[0]).toMatch(
      /^minValues requirement is not met for label\(s\) \(label\(s\)=\[node\.kubernetes\.io\/instance-type\]\), requirements=/,
    )
    const plan = solveWorld(world, bestEffort).newNodePlans[0]
    expect(requirementOn(plan, instanceTypeKey)).toBe(`${instanceTypeKey} Exists minValues 2`)
    expect(plan?.annotations[relaxedKey]).toBe('true')
  })

  test('of several labels only those are named that have too few values', () => {
    const keys = ['kubernetes.io/os', instanceTypeKey, 'integer']
    const requirements = keys.map((key) => ({ key, operator: 'Exists' as const, minValues: 3 }))
    const world = { pools: [aPool({ requirements })], types: [a, b, c], pods: [aPod({ requests: { cpu: '3' } })] }
    expect(errorsOf(solveWorld(world))[0]).toContain('(label(s)=[integer node.kubernetes.io/instance-type])')
  })

  test('what would help a pod is told so that it leaves as many types as are wanted', () => {
    const miss = (options: Parameters<typeof solveWorld>[1], pod: Parameters<typeof aPod>[0]) => {
      const world = { pools: [aPool(wanting(2))], types: [a, b, c], pods: [aPod(pod)] }
      const because = solveWorld(world, options).failures[0]?.because
      return because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined
    }
    const large = { requests: { cpu: '9' } }
    expect(miss({}, large)).toBe('the most room for cpu is 3900m, on b')
    expect(miss(bestEffort, large)).toBe('would fit on c with 1100m less cpu')
    const foreign = (cpu: string) => ({ requests: { cpu }, nodeSelector: { 'kubernetes.io/arch': 'arm64' } })
    expect(miss({}, foreign('3'))).toBe('would fit on b, which has kubernetes.io/arch amd64')
    expect(miss({}, foreign('7'))).toBeUndefined()
    expect(miss(bestEffort, foreign('7'))).toBe('would fit on c, which has kubernetes.io/arch amd64')
  })

  test('case 82: another pool is preferred over lowering only when lowering is not allowed', () => {
    const pools = [aPool({ name: 'p1', weight: 100, ...wanting(3) }), aPool({ name: 'p2' })]
    const types = new Map([
      ['p1', [a, b]],
      ['p2', [a, b]],
    ])
    expect(solveWorld({ pools, types, pods: [aPod()] }).newNodePlans[0]?.nodePool).toBe('p2')
    const plan = solveWorld({ pools, types, pods: [aPod()] }, bestEffort).newNodePlans[0]
    expect([plan?.nodePool, plan?.annotations[relaxedKey]]).toEqual(['p1', 'true'])
  })

  test('case 83: a pod does not join where that would leave too few types', () => {
    const world = { pools: [aPool(wanting(2))], types: [a, b], pods: pods(2, { requests: { cpu: '1' } }) }
    for (const options of [{}, bestEffort]) {
      expect(planShapes(solveWorld(world, options))).toEqual([
        { types: ['a', 'b'], pods: 1 },
        { types: ['a', 'b'], pods: 1 },
      ])
    }
  })

  test('case 84: zones are counted on the types, not on what the pod leaves of them', () => {
    const pools = [
      aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z1', 'z2', 'z3'], minValues: 2 }] }),
    ]
    const plan = solveWorld({ pools, types: [a], pods: [aPod({ nodeSelector: { [zoneKey]: 'z1' } })] }).newNodePlans[0]
    expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z1] minValues 2`)
  })

  test('a claim asks for no more values than it names: the API server would refuse it', () => {
    const onWire = (plan: NodePlan | undefined, key: string) =>
      plan === undefined ? [] : toNodeClaim(plan, testVocabulary).spec.requirements.filter((one) => one.key === key)
    const zones = [
      aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z1', 'z2', 'z3'], minValues: 2 }] }),
    ]
    const pinned = solveWorld({ pools: zones, types: [a], pods: [aPod({ nodeSelector: { [zoneKey]: 'z1' } })] })
    expect(onWire(pinned.newNodePlans[0], zoneKey)).toEqual([
      { key: zoneKey, operator: 'In', values: ['z1'], minValues: 1 },
    ])
    const offerings = [anOffering('z1', 'on-demand', 1), anOffering('z1', 'spot', 1, { available: false })]
    const both = [
      aPool({ requirements: [{ key: capacityTypeKey, operator: 'In', values: ['on-demand', 'spot'], minValues: 2 }] }),
    ]
    const short = aType({ name: 'short', cpu: '4', memory: '4Gi', offerings })
    const narrowed = solveWorld({ pools: both, types: [short], pods: [aPod()] })
    expect(onWire(narrowed.newNodePlans[0], capacityTypeKey)).toEqual([
      { key: capacityTypeKey, operator: 'In', values: ['on-demand'], minValues: 1 },
    ])
  })

  test('a minimum that BestEffort has lowered to nothing is left out: the API server would refuse 0', () => {
    const pools = [aPool({ requirements: [{ key: 'team', operator: 'In', values: ['x', 'y'], minValues: 2 }] })]
    const [plan] = solveWorld({ pools, types: [a], pods: [aPod()] }, bestEffort).newNodePlans
    const requirements = plan === undefined ? [] : toNodeClaim(plan, testVocabulary).spec.requirements
    expect(requirements).toContainEqual({ key: 'team', operator: 'In', values: ['x', 'y'] })
  })

  test('case 85: a pool that can never reach its minValues is named', () => {
    const context = prepare(aSnapshot({ pools: [aPool(wanting(4))], types: [a, b, c] }), testSettings)
    expect(context.templates).toEqual([])
    expect(context.filteredPools[0]?.message).toBe(
      'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility',
    )
  })
})

function reserved(zone: string, id: string, count: number): Offering {
  return {
    requirements: requirementsOf(
      oneValue(zoneKey, zone),
      oneValue(capacityTypeKey, 'reserved'),
      oneValue('reservation-id', id),
    ),
    price: 0.01,
    available: true,
    reservationCapacity: count,
  }
}

function sized(name: string, cpu: string, ...reservations: Offering[]) {
  return aType({
    name,
    cpu,
    memory: '32Gi',
    pods: '10',
    offerings: [
      anOffering('z1', 'spot', 1),
      anOffering('z1', 'on-demand', 2),
      anOffering('z2', 'on-demand', 2),
      ...reservations,
    ],
  })
}

describe('reservations', () => {
  const types = [
    sized('large', '6'),
    sized('medium', '3', reserved('z1', 'r-m', 1)),
    sized('small', '2', reserved('z1', 'r-s', 1)),
  ]
  const threePods = () => pods(3, { requests: { cpu: '1800m' }, ...apart })

  test('case 86: one claim takes both reservations, the others wait', () => {
    const placement = solveWorld({ types, pods: threePods() })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-m', 'r-s']])
    expect(placement.deferred).toHaveLength(2)
    expect(placement.failures).toEqual([])
    expect(placement.relaxations).toEqual([])
  })

  test('case 86: once one reservation is used up, the next pass takes the other, for one claim', () => {
    const left = [
      sized('large', '6'),
      sized('medium', '3', { ...reserved('z1', 'r-m', 0), available: false }),
      sized('small', '2', reserved('z1', 'r-s', 1)),
    ]
    const placement = solveWorld({ types: left, pods: threePods().slice(1) })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-s']])
    expect(placement.deferred).toHaveLength(1)
  })

  test('case 86: without available reservations the usual offerings serve', () => {
    const gone = types.map((type) => ({
      ...type,
      offerings: type.offerings.filter(({ reservationCapacity }) => reservationCapacity === undefined),
    }))
    const placement = solveWorld({ types: gone, pods: threePods() })
    expect(placement.newNodePlans).toHaveLength(3)
    expect(placement.deferred).toEqual([])
  })

  test('simulations do not wait for reservations', () => {
    const placement = solveWorld({ types, pods: threePods() }, { reservedMode: 'fallback' })
    expect(placement.newNodePlans.map(({ reservations }) => reservations.length)).toEqual([2, 0, 0])
  })

  test('with the feature off a reserved offering is one among others', () => {
    const placement = solveWorld({ types, pods: threePods() }, { reservedMode: 'off' })
    expect(placement.newNodePlans.map(({ reservations }) => reservations.length)).toEqual([0, 0, 0])
  })

  test('case 87: a used-up reservation does not send the pod to a lighter pool', () => {
    const pools = [aPool({ name: 'heavy', weight: 100 }), aPool({ name: 'light', weight: 50 })]
    const byPool = new Map([
      ['heavy', [sized('x', '4', reserved('z1', 'r-1', 1))]],
      ['light', [sized('y', '4', reserved('z1', 'r-2', 1))]],
    ])
    const placement = solveWorld({ pools, types: byPool, pods: pods(2, { requests: { cpu: '3' } }) })
    expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['heavy'])
    expect(placement.deferred).toHaveLength(1)
  })

  test('case 88: a preference is kept while its reservation is being taken up', () => {
    const pools = [aPool({ name: 'np-1', labels: { tier: 'one' } }), aPool({ name: 'np-2', labels: { tier: 'two' } })]
    const byPool = new Map([
      ['np-1', [sized('x', '4', reserved('z1', 'r-1', 1))]],
      ['np-2', [sized('y', '4')]],
    ])
    const preferring = pods(2, {
      requests: { cpu: '3' },
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['one'] }] } },
          ],
        },
      },
    })
    const placement = solveWorld({ pools, types: byPool, pods: preferring })
    expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['np-1'])
    expect(placement.deferred).toHaveLength(1)
    expect(placement.relaxations).toEqual([])
  })

  test('case 89: claims hold every reservation they might use until one is empty', () => {
    const pass = (waiting: number, ...counts: [string, number][]) => {
      const offerings = counts.map(([id, count]) => ({ ...reserved('z1', id, count), available: count > 0 }))
      const placement = solveWorld({
        types: [sized('x', '4', ...offerings)],
        pods: pods(waiting, { requests: { cpu: '3' } }),
      })
      return { held: placement.newNodePlans.map(({ reservations }) => reservations), left: placement.deferred.length }
    }
    expect(pass(4, ['r-1', 1], ['r-2', 2])).toEqual({ held: [['r-1', 'r-2'], ['r-2']], left: 2 })
    expect(pass(2, ['r-1', 0], ['r-2', 1])).toEqual({ held: [['r-2']], left: 1 })
    expect(pass(1, ['r-1', 0], ['r-2', 0])).toEqual({ held: [[]], left: 0 })
  })

  test('case 90: pods that share a node hold its reservation once', () => {
    const type = sized('x', '4', reserved('z1', 'r-1', 1))
    const wanting = pods(2, { requests: { cpu: '1' }, nodeSelector: { [capacityTypeKey]: 'reserved' } })
    const placement = solveWorld({ types: [type], pods: wanting })
    expect(planShapes(placement)).toEqual([{ types: ['x'], pods: 2 }])
    expect(placement.newNodePlans[0]?.reservations).toEqual(['r-1'])
  })

  test('a claim that grows keeps its reservation from the others', () => {
    const placement = solveWorld({
      types: [sized('x', '4', reserved('z1', 'r-1', 1))],
      pods: ['2', '1500m', '1'].map((cpu) => aPod({ name: `cpu-${cpu}`, requests: { cpu } })),
    })
    expect(whereabouts(placement)).toEqual({ 'cpu-2': 'new-0', 'cpu-1500m': 'new-0', 'cpu-1': 'deferred' })
  })

  test('a reservation of a type that is too small for the pod is neither held nor waited for', () => {
    const large = pods(2, { requests: { cpu: '5' }, ...apart })
    const placement = solveWorld({ types, pods: large })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([[], []])
    expect(placement.newNodePlans.map(typesOn)).toEqual([['large'], ['large']])
  })

  test('a claim that outgrows the type of its reservation gives it back', () => {
    const only = [sized('large', '6', reserved('z1', 'r-l', 2)), sized('medium', '3', reserved('z1', 'r-m', 1))]
    const placement = solveWorld({ types: only, pods: pods(2, { requests: { cpu: '2500m' } }) })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-l']])
  })

  test('case 91: a pod that would cost a claim its reservation opens its own', () => {
    const type = sized('x', '8', reserved('z1', 'r-1', 1))
    const placement = solveWorld({
      types: [type],
      pods: [aPod({ requests: { cpu: '2' } }), aPod({ requests: { cpu: '1' }, nodeSelector: { [zoneKey]: 'z2' } })],
    })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-1'], []])
  })

  test('a claim gives back the reservation that a later pod rules out, for one other claim', () => {
    const type = sized('x', '4', reserved('z1', 'r-1', 1), reserved('z2', 'r-2', 1))
    const inZone = (name: string, zone: string, cpu: string) =>
      aPod({ name, requests: { cpu }, nodeSelector: { [zoneKey]: zone } })
    const placement = solveWorld({
      types: [type],
      pods: [
        aPod({ name: 'anywhere', requests: { cpu: '3' } }),
        inZone('beside', 'z1', '800m'),
        inZone('second', 'z2', '700m'),
        inZone('third', 'z2', '600m'),
      ],
    })
    expect(whereabouts(placement)).toEqual({ anywhere: 'new-0', beside: 'new-0', second: 'new-1', third: 'new-1' })
    expect(placement.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-1'], ['r-2']])
    const large = solveWorld({
      types: [type],
      pods: [
        aPod({ name: 'anywhere', requests: { cpu: '3' } }),
        inZone('beside', 'z1', '800m'),
        ...['a', 'b'].map((name) =>
          aPod({ ...apart, name, requests: { cpu: '700m' }, nodeSelector: { [zoneKey]: 'z2' } }),
        ),
      ],
    })
    expect(large.newNodePlans.map(({ reservations }) => reservations)).toEqual([['r-1'], ['r-2']])
    expect(large.deferred.map(({ name }) => name)).toEqual(['b'])
  })

  test('case 92: a reserved claim names its reservations and keeps the types without', () => {
    const placement = solveWorld({ types, pods: [aPod({ requests: { cpu: '1' } })] })
    const [plan] = placement.newNodePlans
    expect(requirementOn(plan, capacityTypeKey)).toBe(`${capacityTypeKey} In [reserved]`)
    expect(requirementOn(plan, 'reservation-id')).toBe('reservation-id In [r-m r-s]')
    expect(typesOn(plan)).toEqual(['large', 'medium', 'small'])
    const requirements = plan === undefined ? [] : toNodeClaim(plan).spec.requirements
    expect(requirements).toContainEqual({ key: capacityTypeKey, operator: 'In', values: ['reserved'] })
  })
})

describe('case 93: offerings with amounts of their own', () => {
  const overriding = (available: boolean) =>
    aType({
      name: 'slotted',
      cpu: '4',
      memory: '4Gi',
      offerings: [
        anOffering('z1', 'on-demand', 1),
        anOffering('z2', 'on-demand', 1, { available, capacityOverride: toResources({ slots: '4' }) }),
      ],
    })
  const pod = () => aPod({ requests: { slots: '2' } })

  test('serve pods that ask for them', () => {
    const plan = solveWorld({ types: [a, overriding(true)], pods: [pod()] }).newNodePlans[0]
    expect(typesOn(plan)).toEqual(['slotted'])
  })

  test('do not when they are unavailable, or where the pod cannot go', () => {
    expect(solveWorld({ types: [a, overriding(false)], pods: [pod()] }).failures).toHaveLength(1)
    const elsewhere = aPod({ requests: { slots: '2' }, nodeSelector: { [zoneKey]: 'z1' } })
    expect(solveWorld({ types: [a, overriding(true)], pods: [elsewhere] }).failures).toHaveLength(1)
  })

  test('huge pages are taken from memory', () => {
    const type = aType({ name: 'huge', cpu: '4', memory: '4Gi', resources: { 'hugepages-2Mi': '1Gi' } })
    const asking = (memory: string) =>
      solveWorld({ types: [type], pods: [aPod({ requests: { memory } })] }).newNodePlans.length
    expect([asking('3062Mi'), asking('3063Mi')]).toEqual([1, 0])
  })
})
