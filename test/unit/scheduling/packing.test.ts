import { describe, expect, test } from 'vitest'
import {
  aNode,
  aPod,
  aPool,
  aSnapshot,
  aType,
  capacityTypeKey,
  catalogueF,
  fakeTypes,
  instanceTypeKey,
  pods,
  testVocabulary,
  zoneKey,
  type PodOptions,
  type PoolOptions,
} from '../../support/scheduling-world.ts'
import { errorsOf, planShapes, requirementOn, solveWorld, typesOn, whereabouts } from '../../support/solving.ts'
import { prepare, toNodeClaim } from '../../../src/scheduling/index.ts'
import type { NodeSelectorRequirement } from '../../../src/api/kubernetes.ts'
import { apart } from '../../support/scheduling-objects.ts'

const amd64 = { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }

function needs(...matchExpressions: NodeSelectorRequirement[]) {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  }
}

describe('requirements of pods and pools', () => {
  test('case 11: a selector with an old spelling pins the zone', () => {
    const placement = solveWorld({ pods: [aPod({ nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'z1' } })] })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z1]`)
  })

  test('case 15: labels that only some types have choose among them', () => {
    const types = fakeTypes(5)
    const special = (operator: string) => solveWorld({ types, pods: [aPod(needs({ key: 'special', operator }))] })
    expect(typesOn(special('Exists').newNodePlans[0])).toEqual(['fake-it-4'])
    expect(typesOn(special('DoesNotExist').newNodePlans[0])).toEqual([
      'fake-it-0',
      'fake-it-1',
      'fake-it-2',
      'fake-it-3',
    ])
    const contradictory = aPod({ nodeSelector: { size: 'large', [instanceTypeKey]: 'fake-it-0' } })
    expect(solveWorld({ types, pods: [contradictory] }).failures).toHaveLength(1)
  })

  test('case 16: bounds of pool and pod are met by types in between', () => {
    const pools = [aPool({ requirements: [{ key: 'integer', operator: 'Lt', values: ['8'] }] })]
    const placement = solveWorld({ pools, pods: [aPod(needs({ key: 'integer', operator: 'Gt', values: ['2'] }))] })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['default', 'gpu-a', 'gpu-b', 'single'])
  })

  test('case 12: a pool minValues stays on the claim when a pod narrows the list', () => {
    const pools = [
      aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z1', 'z2', 'z3'], minValues: 2 }] }),
    ]
    const pod = aPod(needs({ key: zoneKey, operator: 'In', values: ['z1', 'z2'] }))
    expect(requirementOn(solveWorld({ pools, pods: [pod] }).newNodePlans[0], zoneKey)).toBe(
      `${zoneKey} In [z1 z2] minValues 2`,
    )
  })

  test('case 14: the error of a misspelt selector says which key was meant', () => {
    const [error] = errorsOf(solveWorld({ pods: [aPod({ nodeSelector: { zone: 'z1' } })] }))
    expect(error).toContain('label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)')
  })

  test('case 21: of several capacity types those that exist are used', () => {
    const pod = aPod(needs({ key: capacityTypeKey, operator: 'In', values: ['ondemand', 'spot'] }))
    const [plan] = solveWorld({ pods: [pod] }).newNodePlans
    const onWire = plan === undefined ? [] : toNodeClaim(plan, testVocabulary).spec.requirements
    expect(onWire).toContainEqual({ key: capacityTypeKey, operator: 'In', values: ['spot'] })
  })

  test('case 18: a selector on the pool is met by that pool only', () => {
    const selecting = (name: string) => aPod({ nodeSelector: { 'karpenter.sh/nodepool': name } })
    expect(solveWorld({ pods: [selecting('np')] }).newNodePlans[0]?.nodePool).toBe('np')
    expect(solveWorld({ pods: [selecting('other')] }).failures).toHaveLength(1)
  })
})

describe('packing', () => {
  test('case 49: all types that fit are listed', () => {
    expect(typesOn(solveWorld({ pods: [aPod({ requests: { memory: '100M' } })] }).newNodePlans[0])).toEqual([
      'arm',
      'default',
      'gpu-a',
      'gpu-b',
      'single',
      'small',
    ])
  })

  test('case 49: overhead of the runtime class counts', () => {
    const pod = aPod({ requests: { cpu: '1' }, overhead: { cpu: '2' } })
    expect(typesOn(solveWorld({ pods: [pod] }).newNodePlans[0])).toEqual(['arm', 'default', 'gpu-a', 'gpu-b', 'single'])
  })

  test('case 50: pairs of large pods share a node, and small ones fill the gaps', () => {
    const large = pods(40, { ...amd64, requests: { memory: '1.8G' } })
    const want = { types: ['default', 'gpu-a', 'gpu-b'], pods: 2 }
    expect(planShapes(solveWorld({ pods: large }))).toEqual(Array.from({ length: 20 }, () => want))
    const small = pods(20, { ...amd64, requests: { memory: '400M' } })
    expect(planShapes(solveWorld({ pods: [...large, ...small] }))).toEqual(
      Array.from({ length: 20 }, () => ({ ...want, pods: 3 })),
    )
  })

  test('case 51: the number of pods is a limit like any other', () => {
    const shapes = planShapes(solveWorld({ pods: pods(25, amd64) }))
    expect(shapes).toHaveLength(5)
    for (const shape of shapes) expect(shape).toEqual({ types: ['default', 'gpu-a', 'gpu-b', 'small'], pods: 5 })
  })

  test('case 52: the larger pod comes first and takes the only type that holds it', () => {
    const placement = solveWorld({
      types: fakeTypes(5),
      pods: [aPod({ requests: { cpu: '1' } }), aPod({ requests: { cpu: '4500m' } })],
    })
    expect(planShapes(placement)).toEqual([
      { types: ['fake-it-4'], pods: 1 },
      { types: ['fake-it-1', 'fake-it-2', 'fake-it-3', 'fake-it-4'], pods: 1 },
    ])
  })

  test('case 53: asking for none of an unknown resource is fine; asking for what no type has together is not', () => {
    expect(solveWorld({ pods: [aPod({ requests: { 'foo.com/x': '0' } })] }).newNodePlans).toHaveLength(1)
    expect(solveWorld({ pods: [aPod({ requests: { 'vendor-a': '1', 'vendor-b': '1' } })] }).failures).toHaveLength(1)
  })

  test('case 44 and 43: pods that want the same host port get nodes of their own', () => {
    const wanting = () => aPod({ hostPorts: [{ port: 8080 }] })
    expect(solveWorld({ pods: [wanting(), wanting()] }).newNodePlans).toHaveLength(2)
  })

  test.each([
    { restartPolicy: 'Always', nodes: 2, why: 'a sidecar holds its host port as long as the pod runs' },
    { restartPolicy: undefined, nodes: 1, why: 'an init container is over before anybody looks at its host port' },
  ] as const)('$why', ({ restartPolicy, nodes }) => {
    const ports = [{ containerPort: 8080, hostPort: 8080 }]
    const initContainers = [{ name: 'init', ports, ...(restartPolicy === undefined ? {} : { restartPolicy }) }]
    expect(solveWorld({ pods: pods(2, { initContainers }) }).newNodePlans).toHaveLength(nodes)
  })

  test('case 153: requests of a claim are the sum of its pods, counted', () => {
    const placement = solveWorld({ pods: pods(2, { ...amd64, requests: { cpu: '500m', memory: '100Mi' } }) })
    const requests = placement.newNodePlans[0]?.requests
    expect(Object.fromEntries([...(requests ?? [])].map(([name, quantity]) => [name, `${quantity}`]))).toEqual({
      cpu: '1',
      memory: '200Mi',
      pods: '2',
    })
  })
})

describe('errors', () => {
  const only = (world: Parameters<typeof solveWorld>[0]): string => errorsOf(solveWorld(world)).join(' | ')
  const simulated =
    'karpenter.sh/initialized In [true], karpenter.sh/nodepool In [np], karpenter.sh/registered In [true], karpenter.test.sh/testnodeclass In [default]'

  test('case 54: too much memory', () => {
    expect(only({ pods: [aPod({ requests: { memory: '2Ti' } })] })).toBe(
      `no instance type has enough resources, requirements=${simulated}, resources={"memory":"2Ti","pods":"1"}`,
    )
  })

  test('case 54: a million CPUs are probably a thousand', () => {
    expect(only({ pods: [aPod({ requests: { cpu: '1M' } })] })).toBe(
      `no instance type has enough resources, requirements=${simulated}, resources={"cpu":"1M","pods":"1"} (CPU request >= 1 Million, m vs M typo?)`,
    )
  })

  const starts: Record<string, { pod: ReturnType<typeof aPod>; want: string }> = {
    'case 55: an unknown type': {
      pod: aPod({ nodeSelector: { [instanceTypeKey]: 'nope' } }),
      want: 'no instance type met all requirements, ',
    },
    'case 55: an unknown zone': {
      pod: aPod({ nodeSelector: { [zoneKey]: 'z9' } }),
      want: 'no instance type met the scheduling requirements or had enough resources or had a required offering, ',
    },
    'case 56: only another architecture has the room': {
      pod: aPod({ ...amd64, requests: { cpu: '10' } }),
      want: 'no instance type which had enough resources and the required offering met the scheduling requirements, ',
    },
    'case 57: spot and the zone each exist, but not together': {
      pod: aPod({ nodeSelector: { [zoneKey]: 'z3', [capacityTypeKey]: 'spot' } }),
      want: 'no instance type had enough resources or had a required offering, ',
    },
  }
  test.each(Object.entries(starts))('%s', (_name, { pod, want }) => {
    const error = only({ pods: [pod] })
    expect(error.slice(0, want.length)).toBe(want)
  })

  test('case 69: a taint that is not tolerated; startup taints do not matter', () => {
    const taint = { key: 'a', value: 'b', effect: 'NoSchedule' } as const
    expect(only({ pools: [aPool({ taints: [taint] })], pods: [aPod()] })).toBe(
      'did not tolerate taint (taint=a=b:NoSchedule)',
    )
    expect(solveWorld({ pools: [aPool({ startupTaints: [taint] })], pods: [aPod()] }).newNodePlans).toHaveLength(1)
  })

  test('what came closest is told beside the error', () => {
    const miss = (world: Parameters<typeof solveWorld>[0]): string | undefined => {
      const because = solveWorld(world).failures[0]?.because
      return because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined
    }
    expect(miss({ pods: [aPod({ requests: { cpu: '20' } })] })).toBe('would fit on arm with 4100m less cpu')
    expect(miss({ pods: [aPod({ requests: { cpu: '40' } })] })).toBe('the most room for cpu is 15900m, on arm')
    expect(miss({ pods: [aPod({ requests: { cpu: '5M' } })] })).toBe(
      '5M cpu are 5000000 cores, while arm has room for 15900m; thousandths are written with a small m',
    )
    expect(miss({ pods: [aPod({ requests: { memory: '9Ei' } })] })).toBe('the most room for memory is 131062Mi, on arm')
    expect(miss({ pods: [aPod({ requests: { 'vendor-c': '1' } })] })).toBe(
      'no instance type of nodepool np that would suit has vendor-c',
    )
    expect(miss({ pods: [aPod({ nodeSelector: { [instanceTypeKey]: 'nope' } })] })).toBe(
      'nodepool np does not have instance type nope',
    )
    expect(miss({ pods: [aPod({ nodeSelector: { [zoneKey]: 'z9' } })] })).toContain('z1 or z2 or z3')
    expect(miss({ pools: [aPool({ limits: { memory: '1Gi' } })], pods: [aPod({ requests: { memory: '1Gi' } })] })).toBe(
      'would fit with 1Gi more under limits.memory',
    )
    expect(miss({ pods: [aPod({ nodeSelector: { [zoneKey]: 'z3', [capacityTypeKey]: 'spot' } })] })).toBe(
      'no offering of default combines what is required',
    )
  })

  describe('what a pool allows of a label is told as it says it', () => {
    const level = (operator: 'Gt' | 'Lt' | 'NotIn', value: string) => ({ key: 'level', operator, values: [value] })
    const team = (operator: 'In' | 'NotIn', ...values: string[]) => ({ key: 'team', operator, values })
    const exists = { key: 'team', operator: 'Exists' as const }
    const absent = { key: 'team', operator: 'DoesNotExist' as const }
    test.each([
      ['values', { requirements: [team('In', 'x', 'y')] }, team('In', 'z'), 'nodepool np allows team x or y only'],
      [
        'all but some',
        { requirements: [team('NotIn', 'x', 'y')] },
        team('In', 'x'),
        'nodepool np allows no team x or y',
      ],
      ['none', { requirements: [absent] }, team('In', 'x'), 'nodepool np allows no label team'],
      ['any', { requirements: [exists] }, absent, 'nodepool np has label team on all nodes'],
      ['a lower bound', { requirements: [level('Gt', '5')] }, level('Lt', '3'), 'nodepool np allows level from 6 only'],
      [
        'both bounds and an exception',
        { requirements: [level('Gt', '5'), level('Lt', '9'), level('NotIn', '7')] },
        { key: 'level', operator: 'In' as const, values: ['7'] },
        'nodepool np allows level from 6 up to 8 only, and not 7',
      ],
      [
        'numbers that no label holds',
        { labels: { level: '6' } },
        level('Lt', '0'),
        'label level holds no number below 0',
      ],
      [
        'what its types lack',
        {},
        { key: 'special', operator: 'Exists' as const },
        'would fit on fake-it-0, which lacks label special',
      ],
    ])('%s', (_name, pool, expression, text) => {
      const terms = [{ matchExpressions: [expression] }]
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } }
      const world = { pools: [aPool(pool)], types: fakeTypes(2), pods: [aPod({ affinity: { nodeAffinity } })] }
      const because = solveWorld(world).failures[0]?.because
      expect(because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : because).toBe(text)
    })
  })

  describe('what a limit would have to be is told', () => {
    // One core and 2Gi, two and 4Gi, and so on: the more the dearer.
    const types = fakeTypes(5)
    const alone = (cpu: string, name: string) => aPod({ ...apart, name, requests: { cpu } })

    test.each([
      [
        'for each limit that is in the way',
        { cpu: '0', memory: '1Gi' },
        ['500m'],
        'with 1 more under limits.cpu and 1Gi more under limits.memory',
      ],
      ['less the nodes that are planned already', { cpu: '1' }, ['500m', '500m'], 'with 1 more under limits.cpu'],
      ['as if those become the cheapest they can', { cpu: '3' }, ['1500m', '1500m'], 'with 1 more under limits.cpu'],
    ])('%s', (_name, limits, cpus, text) => {
      const [failure] = solveWorld({
        types,
        pools: [aPool({ limits })],
        pods: cpus.map((cpu, index) => alone(cpu, `p${index}`)),
      }).failures
      const because = failure?.because
      expect(because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : because).toBe(`would fit ${text}`)
    })

    test.each([
      ['one', { cpu: '-6' }, 'would fit with 7 more under limits.cpu'],
      [
        'two',
        { cpu: '-6', memory: '-12Gi' },
        'would fit with 7 more under limits.cpu and 14Gi more under limits.memory',
      ],
      ['one that its types do not have', { gpu: '-1' }, 'would fit with 1 more under limits.gpu'],
    ])('of a pool that is beyond %s already, by the smallest type', (_name, limits, text) => {
      expect(missOf({ limits }, {})).toBe(text)
    })

    test.each([
      ['none but the present one', { nodes: '0' }, {}, 'would fit with 1 more under limits.nodes'],
      ['and the nodes beyond it', { nodes: '-2' }, {}, 'would fit with 3 more under limits.nodes'],
      [
        'beside another limit',
        { nodes: '0', cpu: '0' },
        {},
        'would fit with 1 more under limits.cpu and 1 more under limits.nodes',
      ],
    ])('of nodes, %s', (_name, limits, options, text) => {
      expect(missOf({ limits }, options)).toBe(text)
    })

    test.each([
      [
        'a taint',
        { taints: [{ key: 'team', effect: 'NoSchedule' as const }] },
        {},
        'would be considered if it tolerated team:NoSchedule',
      ],
      ['a selector', {}, { nodeSelector: { team: 'x' } }, 'nodepool np does not define label team'],
      ['its size', {}, { requests: { cpu: '50' } }, 'the most room for cpu is 4900m, on fake-it-4'],
    ])('but not where %s would keep it out all the same', (_name, pool, options, rest) => {
      for (const limits of [{ cpu: '0' }, { nodes: '0' }]) {
        expect(missOf({ ...pool, limits }, options)).toBe(`more under its limits alone would not do: ${rest}`)
      }
    })

    function missOf(pool: PoolOptions, options: PodOptions): string | undefined {
      const because = solveWorld({ types, pools: [aPool(pool)], pods: [aPod(options)] }).failures[0]?.because
      return because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined
    }

    test('unless it would do as it is', () => {
      const pods = [alone('500m', 'first'), alone('500m', 'second')]
      const [failure] = solveWorld({ types, pools: [aPool({ limits: { cpu: '5' } })], pods }).failures
      const because = failure?.because
      expect(because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : because).toBe(
        'may fit on fake-it-0 once the nodes planned beside it are up: until then each counts as the largest it could become',
      )
    })
  })
})

describe('pools', () => {
  test('case 58: heavier pools first, among equals the later name, and a selector overrides', () => {
    const heavy = aPool({ name: 'heavy', weight: 20 })
    const light = aPool({ name: 'light', weight: 10 })
    expect(solveWorld({ pools: [light, heavy], pods: [aPod()] }).newNodePlans[0]?.nodePool).toBe('heavy')
    const equal = [aPool({ name: 'a' }), aPool({ name: 'b' })]
    expect(solveWorld({ pools: equal, pods: [aPod()] }).newNodePlans[0]?.nodePool).toBe('b')
    const choosy = aPod({ nodeSelector: { 'karpenter.sh/nodepool': 'light' } })
    expect(solveWorld({ pools: [light, heavy], pods: [choosy] }).newNodePlans[0]?.nodePool).toBe('light')
  })

  test('case 60: an open claim wins over a heavier pool', () => {
    const pools = [aPool({ name: 'low' }), aPool({ name: 'high', weight: 100 })]
    const bound = aPod({ requests: { cpu: '1' }, nodeSelector: { 'karpenter.sh/nodepool': 'low' } })
    const placement = solveWorld({ pools, pods: [bound, aPod()] })
    expect(placement.newNodePlans.map(({ nodePool, pods: placed }) => [nodePool, placed.length])).toEqual([['low', 2]])
  })

  test('case 68: a pool whose requirements no type meets is named, and its pods say so', () => {
    const pools = [aPool({ requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['mips'] }] })]
    const placement = solveWorld({ pools, pods: [aPod()] })
    expect(prepare(aSnapshot({ pools, types: catalogueF })).filteredPools).toMatchObject([
      { message: 'NodePool requirements filtered out all compatible available instance types' },
    ])
    expect(errorsOf(placement)).toEqual(['nodepool requirements filtered out all available instance types'])
  })

  test('a pool that asks for what no label can hold is named, too, rather than claims made that are refused', () => {
    const pools = [aPool({ requirements: [{ key: 'num', operator: 'Lt', values: ['0'] }] })]
    expect(solveWorld({ pools, pods: [aPod()] }).newNodePlans).toEqual([])
    expect(prepare(aSnapshot({ pools, types: catalogueF })).filteredPools).toHaveLength(1)
  })
})

describe('limits', () => {
  const oneCPUApart = (cpu: string) => ({ ...apart, requests: { cpu } })

  test('case 61: types within the limit are listed, and the next pass has none left', () => {
    const pools = [aPool({ limits: { cpu: '2' } })]
    expect(typesOn(solveWorld({ pools, pods: [aPod({ requests: { cpu: '1750m' } })] }).newNodePlans[0])).toEqual([
      'small',
    ])
    const first = aNode({ name: 'n', pool: 'np', allocatable: { cpu: '150m', pods: '5' }, capacity: { cpu: '2' } })
    const second = solveWorld({ pools, nodes: [first], pods: [aPod({ requests: { cpu: '1750m' } })] })
    expect(errorsOf(second)).toEqual(['all available instance types exceed limits for nodepool (NodePool=np)'])
  })

  test('each limited resource counts, wherever the others leave enough', () => {
    const within = (limits: Record<string, string>) =>
      typesOn(solveWorld({ pools: [aPool({ limits })], pods: [aPod()] }).newNodePlans[0])
    expect(within({ cpu: '100', memory: '3Gi' })).toEqual(['small'])
    expect(within({ memory: '3Gi', cpu: '100' })).toEqual(['small'])
    expect(within({ cpu: '2', memory: '2Gi' })).toEqual(['small'])
  })

  test('a type is left out by whichever limit it exceeds', () => {
    const types = [
      aType({ name: 'much-cpu', cpu: '8', memory: '2Gi' }),
      aType({ name: 'much-memory', cpu: '2', memory: '8Gi' }),
      aType({ name: 'little', cpu: '2', memory: '2Gi' }),
    ]
    for (const limits of [
      { cpu: '4', memory: '4Gi' },
      { memory: '4Gi', cpu: '4' },
    ]) {
      const placement = solveWorld({ types, pools: [aPool({ limits })], pods: [aPod()] })
      expect(typesOn(placement.newNodePlans[0])).toEqual(['little'])
    }
  })

  test('case 62: what the first claim takes is gone for the second', () => {
    const placement = solveWorld({ pools: [aPool({ limits: { cpu: '3' } })], pods: pods(2, oneCPUApart('1500m')) })
    expect(planShapes(placement)).toEqual([{ types: ['small'], pods: 1 }])
    expect(errorsOf(placement)).toEqual(['all available instance types exceed limits for nodepool (NodePool=np)'])
  })

  test('case 63: a claim takes the largest that it could become', () => {
    const placement = solveWorld({ pools: [aPool({ limits: { cpu: '8' } })], pods: pods(3, oneCPUApart('3')) })
    expect(planShapes(placement)).toHaveLength(2)
    for (const { types } of planShapes(placement)) expect(types).not.toContain('arm')
    expect(placement.failures).toHaveLength(1)
  })

  test('case 65: an extended resource can be limited', () => {
    const placement = solveWorld({
      pools: [aPool({ limits: { 'vendor-a': '1' } })],
      pods: [aPod({ requests: { 'vendor-a': '1' } })],
    })
    expect(errorsOf(placement)[0]).toMatch(/^no instance type has enough resources, /)
  })

  test('case 66: claims opened in one solve do not count against a limit of nodes', () => {
    const placement = solveWorld({ pools: [aPool({ limits: { nodes: '1' } })], pods: pods(3, apart) })
    expect(placement.newNodePlans).toHaveLength(3)
  })

  test('case 67: a lighter pool steps in for an exhausted one', () => {
    const pools = [aPool({ name: 'full', weight: 100, limits: { cpu: '0' } }), aPool({ name: 'open', weight: 1 })]
    expect(solveWorld({ pools, pods: [aPod()] }).newNodePlans[0]?.nodePool).toBe('open')
  })
})

test('equal pods: the older one first, then the smaller uid', () => {
  const types = [catalogueF[5]].flatMap((type) => type ?? [])
  const made = (name: string, uid: string, created: string) =>
    aPod({ name, uid, created, nodeSelector: { 'kubernetes.io/arch': 'amd64' } })
  const placement = solveWorld({
    types,
    pods: [
      made('late', 'a', '2026-01-01T00:00:01Z'),
      made('second', 'c', '2026-01-01T00:00:00Z'),
      made('first', 'b', '2026-01-01T00:00:00Z'),
    ],
  })
  expect(whereabouts(placement)).toEqual({ first: 'new-0', second: 'new-1', late: 'new-2' })
})
