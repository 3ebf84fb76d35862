import { describe, expect, test } from 'vitest'
import { toNodeClaim, toStaticNodeClaim, type NodePlan } from '../../../src/scheduling/index.ts'
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  capacityTypeKey,
  catalogueF,
  instanceTypeKey,
  type PoolOptions,
  testVocabulary,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { aDaemonSet } from '../../support/scheduling-objects.ts'
import { errorsOf, planShapes, solveWorld } from '../../support/solving.ts'

const butArm = { matchExpressions: [{ key: instanceTypeKey, operator: 'NotIn', values: ['arm'] }] }

function planFor(pool: PoolOptions = {}, rest: Partial<Parameters<typeof solveWorld>[0]> = {}): NodePlan {
  const [plan] = solveWorld({ pools: [aPool(pool)], pods: [aPod({ requests: { cpu: '100m' } })], ...rest }).newNodePlans
  if (plan === undefined) throw new Error('nothing was planned')
  return plan
}

const many = Array.from({ length: 700 }, (_, i) =>
  aType({ name: `t-${String(i).padStart(3, '0')}`, cpu: '4', memory: '4Gi', price: 700 - i }),
)

describe('truncation', () => {
  test('case 149: the 600 cheapest of 700 types stay, cheapest first', () => {
    const names = planFor({}, { types: many }).instanceTypes.map(({ name }) => name)
    expect(names).toHaveLength(600)
    expect([names[0], names.at(-1)]).toEqual(['t-699', 't-100'])
  })

  test('case 149: prices of offerings that cannot be had do not count', () => {
    const cheapButGone = aType({
      name: 'gone',
      cpu: '4',
      memory: '4Gi',
      offerings: [anOffering('z1', 'spot', 0.01, { available: false }), anOffering('z1', 'on-demand', 5)],
    })
    const plain = aType({ name: 'plain', cpu: '4', memory: '4Gi', price: 3 })
    expect(planFor({}, { types: [cheapButGone, plain] }).instanceTypes.map(({ name }) => name)).toEqual([
      'plain',
      'gone',
    ])
    const elsewhere = aPod({ nodeSelector: { [zoneKey]: 'z1' } })
    const cheapElsewhere = aType({
      name: 'elsewhere',
      cpu: '4',
      memory: '4Gi',
      offerings: [anOffering('z2', 'spot', 0.01), anOffering('z1', 'on-demand', 5)],
    })
    const plan = planFor({}, { types: [cheapElsewhere, plain], pods: [elsewhere] })
    expect(plan.instanceTypes.map(({ name }) => name)).toEqual(['plain', 'elsewhere'])
    expect(plan.price).toBe(3)
  })

  test('case 150: a claim whose cheapest types fall short of minValues is given up, or kept under BestEffort', () => {
    const families = many.map((type, i) => ({
      ...type,
      requirements: new Map([
        ...type.requirements,
        ['integer', { ...integerOf(type), values: new Set([i < 100 ? 'dear' : 'cheap']) }],
      ]),
    }))
    const pool = { requirements: [{ key: 'integer', operator: 'Exists' as const, minValues: 2 }] }
    const world = { pools: [aPool(pool)], types: families, pods: [aPod()] }
    expect(errorsOf(solveWorld(world))).toEqual([
      'pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, minValues requirement is not met for label(s) (label(s)=[integer]) (NodePool=np)',
    ])
    expect(planShapes(solveWorld(world, { settings: { minValuesPolicy: 'BestEffort' } }))).toHaveLength(1)
  })
})

function integerOf(type: (typeof many)[number]) {
  const requirement = type.requirements.get('integer')
  if (requirement === undefined) throw new Error('the type has no integer label')
  return requirement
}

describe('the claim of a plan', () => {
  test('case 151: labels come from the template and from what the requirements settle', () => {
    const labelsOf = (requirements: PoolOptions['requirements']) =>
      planFor({ labels: { own: 'label' }, requirements: requirements ?? [] }).labels
    expect(labelsOf([{ key: 'team', operator: 'In', values: ['a'] }])).toEqual({
      own: 'label',
      team: 'a',
      'karpenter.sh/nodepool': 'np',
      'karpenter.test.sh/testnodeclass': 'default',
    })
    expect(labelsOf([{ key: 'team', operator: 'Exists' }])['team']).toMatch(/^\d+$/)
    expect(labelsOf([{ key: zoneKey, operator: 'In', values: ['z1'] }])[zoneKey]).toBeUndefined()
    expect(labelsOf([{ key: 'team', operator: 'In', values: ['a', 'b'] }])['team']).toMatch(/^[ab]$/)
  })

  test('a label that is settled by a number or by what it is not has a value that the requirements allow', () => {
    const valueOf = (...requirements: NonNullable<PoolOptions['requirements']>) => planFor({ requirements }).labels['n']
    const one = (operator: 'NotIn' | 'Gt' | 'Lt' | 'DoesNotExist', ...values: string[]) => ({
      key: 'n',
      operator,
      values,
    })
    expect(valueOf(one('NotIn', '0', '1', '3'))).toBe('2')
    expect(valueOf(one('Gt', '7'))).toBe('8')
    expect(valueOf(one('Gt', '7'), one('NotIn', '8'), one('Lt', '10'))).toBe('9')
    expect(valueOf(one('DoesNotExist'))).toBeUndefined()
  })

  test('what a pod prefers of labels that nobody may set makes no label', () => {
    const key = 'karpenter.sh/provisioner-name'
    const preference = { matchExpressions: [{ key, operator: 'NotIn', values: ['old'] }] }
    const preferred = [{ weight: 1, preference }]
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } }
    const plan = planFor({}, { pods: [aPod({ affinity })] })
    expect(plan.requirements.has(key)).toBe(true)
    expect(plan.labels[key]).toBeUndefined()
  })

  test('case 152: the hash is that of the pool at the start of the solve', () => {
    expect(planFor().annotations).toEqual({
      'joinery.dev/nodepool-hash-input': expect.stringContaining('"hash":"hash-np"'),
      'karpenter.sh/nodepool-hash': 'hash-np',
      'karpenter.sh/nodepool-hash-version': 'v3',
      'karpenter.sh/nodeclaim-min-values-relaxed': 'false',
    })
  })

  test('the wire object lists types, capacity types, requests and the owner', () => {
    const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' as const }]
    const startupTaints = [{ key: 'starting', effect: 'NoExecute' as const }]
    const plan = planFor(
      {
        taints,
        startupTaints,
        expireAfter: '48h',
        terminationGracePeriod: '90m',
        requirements: [{ key: 'integer', operator: 'Gt', values: ['3'], minValues: 1 }],
      },
      {
        pods: [
          aPod({
            requests: { cpu: '100m', memory: '1Gi' },
            tolerations: [{ operator: 'Exists' }],
            nodeSelector: { [zoneKey]: 'z3' },
          }),
        ],
      },
    )
    const claim = toNodeClaim(plan, testVocabulary)
    expect(claim.metadata).toMatchObject({
      generateName: 'np-',
      ownerReferences: [
        { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'np', uid: 'uid-np', blockOwnerDeletion: true },
      ],
    })
    expect(claim.spec).toEqual({
      nodeClassRef: { group: 'karpenter.test.sh', kind: 'TestNodeClass', name: 'default' },
      taints,
      startupTaints,
      expireAfter: '48h',
      terminationGracePeriod: '1h30m0s',
      resources: { requests: { cpu: '100m', memory: '1Gi', pods: '1' } },
      requirements: [
        { key: 'integer', operator: 'Gte', values: ['4'], minValues: 1 },
        { key: capacityTypeKey, operator: 'In', values: ['on-demand'] },
        { key: 'karpenter.sh/nodepool', operator: 'In', values: ['np'] },
        { key: 'karpenter.test.sh/testnodeclass', operator: 'In', values: ['default'] },
        { key: instanceTypeKey, operator: 'In', values: ['arm', 'default', 'gpu-a', 'gpu-b', 'single'] },
        { key: zoneKey, operator: 'In', values: ['z3'] },
      ],
    })
  })

  test('daemons that every kept type would host are part of the requests', () => {
    const daemonSets = [
      aDaemonSet({ name: 'all', requests: { cpu: '200m', memory: '10Mi' } }),
      aDaemonSet({ name: 'some', requests: { cpu: '300m' }, nodeSelector: { [instanceTypeKey]: 'arm' } }),
    ]
    expect([...planFor({}, { daemonSets }).requests].map(([name, quantity]) => `${name}=${quantity}`)).toEqual([
      'cpu=300m',
      'pods=2',
      'memory=10Mi',
    ])
    const mostly = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [butArm] } }
    const less = [
      aDaemonSet({ name: 'all', requests: { cpu: '200m' } }),
      aDaemonSet({ name: 'most', requests: { cpu: '300m' }, affinity: { nodeAffinity: mostly } }),
    ]
    expect(planFor({}, { daemonSets: less }).requests.get('cpu')?.toString()).toBe('300m')
    const partly = [aDaemonSet({ requests: { cpu: '300m' }, nodeSelector: { [instanceTypeKey]: 'arm' } })]
    expect(planFor({}, { daemonSets: partly }).requests.get('cpu')?.toString()).toBe('100m')
  })

  test('case 154: overlays on any listed type show as annotations', () => {
    const overlaid = catalogueF.map((type) =>
      type.name === 'small'
        ? {
            ...type,
            capacityOverlaid: true,
            offerings: type.offerings.map((offering, index) => ({ ...offering, priceOverlaid: index === 0 })),
          }
        : type,
    )
    expect(planFor({}, { types: overlaid }).annotations).toMatchObject({
      'karpenter.sh/price-overlay-applied': 'true',
      'karpenter.sh/capacity-overlay-applied': 'true',
    })
    const without = planFor({}, { types: overlaid, pods: [aPod({ requests: { cpu: '3' } })] }).annotations
    expect(without['karpenter.sh/price-overlay-applied']).toBeUndefined()
  })

  test('case 156: a claim of a static pool narrows nothing', () => {
    const pool = aPool({ name: 'fixed', replicas: 3, requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] })
    const claim = toStaticNodeClaim(pool, 'hash', testVocabulary)
    expect(claim.spec.resources).toEqual({})
    expect(claim.spec.requirements.map(({ key }) => key)).toEqual([
      'karpenter.sh/nodepool',
      'karpenter.test.sh/testnodeclass',
      zoneKey,
    ])
    expect(solveWorld({ pools: [pool], pods: [aPod()] }).newNodePlans).toEqual([])
  })

  test('a claim of a static pool has the labels that its requirements settle', () => {
    const requirements = [
      { key: zoneKey, operator: 'In' as const, values: ['z1'] },
      { key: 'without', operator: 'DoesNotExist' as const },
      { key: 'team', operator: 'In' as const, values: ['a'] },
    ]
    const pool = aPool({ name: 'fixed', replicas: 1, labels: { own: 'label' }, requirements })
    expect(toStaticNodeClaim(pool, 'hash', testVocabulary).metadata.labels).toEqual({
      own: 'label',
      team: 'a',
      'karpenter.sh/nodepool': 'fixed',
      'karpenter.test.sh/testnodeclass': 'default',
    })
  })

  test('case 156: pods use the nodes of a static pool, and go elsewhere when these are full', () => {
    const pools = [aPool({ name: 'fixed', replicas: 1 }), aPool({ name: 'open' })]
    const nodes = [aNode({ name: 'n', pool: 'fixed', allocatable: { cpu: '1', pods: '1' } })]
    const placement = solveWorld({ pools, nodes, pods: [aPod(), aPod()] })
    expect(placement.existing.map(({ node }) => node.name)).toEqual(['n'])
    expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['open'])
  })
})

test('case 158: a pod with resource claims is refused and gives nothing up', () => {
  const pod = aPod({
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'ScheduleAnyway' }],
  })
  const placement = solveWorld({ pods: [pod] })
  expect(errorsOf(placement)).toEqual([
    'pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter',
  ])
  expect(placement.relaxations).toEqual([])
})

test('case 160: at the deadline what is done counts, and the rest has no error', () => {
  let asked = 0
  const placement = solveWorld(
    { pods: Array.from({ length: 5 }, () => aPod()) },
    {
      isExpired: () => {
        asked += 1
        return asked > 3
      },
    },
  )
  expect(placement.timedOut).toBe(true)
  expect(placement.newNodePlans[0]?.pods).toHaveLength(3)
  expect(placement.unattempted).toHaveLength(2)
  expect(placement.failures).toEqual([])
})

test('at the deadline a pod that only had to wait for another one, which has its place by now, has no error', () => {
  const near = { topologyKey: zoneKey, labelSelector: { matchLabels: { app: 'db' } } }
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } }
  const follower = aPod({ name: 'follower', requests: { cpu: '2' }, affinity })
  const hopeless = aPod({ name: 'hopeless', requests: { cpu: '1000' } })
  const db = aPod({ name: 'db', requests: { cpu: '1' }, labels: { app: 'db' }, nodeSelector: { [zoneKey]: 'z1' } })
  let asked = 0
  const placement = solveWorld(
    { pods: [follower, hopeless, db] },
    {
      isExpired: () => {
        asked += 1
        return asked > 3
      },
    },
  )
  expect(placement.newNodePlans.map(({ pods }) => pods)).toEqual([[db]])
  expect(placement.unattempted).toEqual([follower])
  expect(placement.failures.map(({ pod, text }) => [pod, text])).toEqual([
    [hopeless, expect.stringMatching(/^no instance type has enough resources/)],
  ])
})
