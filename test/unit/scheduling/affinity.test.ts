import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { PodAffinityTerm } from '../../../src/api/kubernetes.ts'
import { aNode, aPod, aPool, hostnameKey, type PodOptions, pods, zoneKey } from '../../support/scheduling-world.ts'
import {
  planShapes,
  podsPerDomain,
  podsPerPlan,
  requirementOn,
  solveWorld,
  whereabouts,
} from '../../support/solving.ts'

const s = { security: 's2' }

function term(
  topologyKey: string,
  matchLabels: Record<string, string>,
  rest: Partial<PodAffinityTerm> = {},
): PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels }, ...rest }
}

const near = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
const away = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
const preferAway = (...terms: PodAffinityTerm[]): PodOptions => ({
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map((podAffinityTerm) => ({
        weight: 10,
        podAffinityTerm,
      })),
    },
  },
})
const inZone = (zone: string): PodOptions => ({ nodeSelector: { [zoneKey]: zone } })
const cpu = (amount: string): PodOptions => ({ requests: { cpu: amount } })

describe('affinity', () => {
  test('case 126: one node is all there is for pods that want to be together', () => {
    const together = pods(10, { labels: s, ...near(term(hostnameKey, s)) })
    const placement = solveWorld({ pods: together })
    expect(podsPerPlan(placement)).toEqual([5])
    expect(placement.failures).toHaveLength(5)
    const full = aNode({
      name: 'n',
      pool: 'np',
      allocatable: { pods: '5' },
      pods: pods(5, { labels: s, nodeName: 'n' }),
    })
    expect(
      solveWorld({ nodes: [full], pods: pods(5, { labels: s, ...near(term(hostnameKey, s)) }) }).failures,
    ).toHaveLength(5)
  })

  test('a pod that wants to be on the node of a running one is put there, and nowhere else when it is full', () => {
    const db = aPod({ labels: s, nodeName: 'b', ...cpu('1') })
    const nodes = [aNode({ name: 'a', pool: 'np' }), aNode({ name: 'b', pool: 'np', pods: [db] })]
    const follower = (amount: string) => aPod({ name: 'follower', ...near(term(hostnameKey, s)), ...cpu(amount) })
    expect(whereabouts(solveWorld({ nodes, pods: [follower('2')] }))).toEqual({ follower: 'b' })
    expect(whereabouts(solveWorld({ nodes, pods: [follower('3500m')] }))).toEqual({
      follower: expect.stringMatching(/^unsatisfiable topology constraint for pod affinity/),
    })
  })

  test('nor does it join another planned node, though that is tried first because it has fewer pods', () => {
    const dbs = ['db-1', 'db-2'].map((name) => aPod({ name, labels: s, ...cpu('1') }))
    const other = aPod({ name: 'other', ...away(term(hostnameKey, s)), ...cpu('500m') })
    const follower = aPod({ name: 'follower', ...near(term(hostnameKey, s)), ...cpu('100m') })
    expect(whereabouts(solveWorld({ pods: [...dbs, other, follower] }))).toEqual({
      'db-1': 'new-0',
      'db-2': 'new-0',
      other: 'new-1',
      follower: 'new-0',
    })
  })

  test('case 127: a running pod occupies its domain even for pods that cannot go there', () => {
    const node = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z1' },
      allocatable: { pods: '1' },
      pods: pods(1, { labels: s, nodeName: 'n' }),
    })
    const requiring: PodOptions = {
      labels: s,
      affinity: {
        ...near(term(hostnameKey, s)).affinity,
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: ['z2', 'z3'] }] }],
          },
        },
      },
    }
    expect(solveWorld({ nodes: [node], pods: pods(10, requiring) }).failures).toHaveLength(10)
  })

  test('case 128: pods that want one zone get one, or one each where they are pinned apart', () => {
    const together: PodOptions = { labels: s, ...near(term(zoneKey, s)) }
    expect(podsPerPlan(solveWorld({ pods: pods(3, together) }))).toEqual([3])
    expect(podsPerDomain(solveWorld({ pods: pods(3, { ...together, ...inZone('z3') }) }))).toEqual({ z3: 3 })
    const apart = [aPod({ ...together, ...inZone('z2') }), aPod({ ...together, ...inZone('z3') })]
    expect(podsPerDomain(solveWorld({ pods: apart }))).toEqual({ z2: 1, z3: 1 })
  })

  test('case 129: nobody follows a target whose zone is still open', () => {
    const followers = () => pods(10, near(term(zoneKey, s)))
    const open = solveWorld({ pods: [aPod({ labels: s }), ...followers()] })
    expect(podsPerPlan(open)).toEqual([1])
    expect(open.failures).toHaveLength(10)
    const node = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z2' },
      allocatable: { pods: '1' },
      pods: [aPod({ labels: s, nodeName: 'n' })],
    })
    expect(podsPerDomain(solveWorld({ nodes: [node], pods: followers() }))).toEqual({ z2: 10 })
    const pinned = solveWorld({ pods: [aPod({ labels: s, ...inZone('z1') }), ...followers()] })
    expect(podsPerDomain(pinned)).toEqual({ z1: 11 })
  })

  test('the first of its kind goes anywhere, the second only to the first, though no node can be made there', () => {
    const kind: PodOptions = { labels: s, ...near(term(zoneKey, s)) }
    const pools = [aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z2'] }] })]
    expect(podsPerDomain(solveWorld({ pools, pods: pods(1, kind) }))).toEqual({ z2: 1 })
    const first = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z1' },
      allocatable: { pods: '1' },
      pods: [aPod({ labels: s, nodeName: 'n' })],
    })
    expect(solveWorld({ pools, nodes: [first], pods: pods(1, kind) }).failures).toHaveLength(1)
    const elsewhere = solveWorld({ pools, nodes: [first], pods: pods(1, { ...kind, ...inZone('z2') }) })
    expect(podsPerDomain(elsewhere)).toEqual({ z2: 1 })
  })

  test('case 130: a term looks into its own namespace unless it says otherwise', () => {
    const namespaces = new Map([
      ['default', {}],
      ['other', { team: 'x' }],
    ])
    const target = () => aPod({ labels: s, namespace: 'other', ...inZone('z1') })
    const follower = (rest: Partial<PodAffinityTerm>) => aPod(near(term(zoneKey, s, rest)))
    const solved = (rest: Partial<PodAffinityTerm>) => solveWorld({ namespaces, pods: [target(), follower(rest)] })
    expect(solved({}).failures).toHaveLength(1)
    expect(podsPerDomain(solved({ namespaces: ['other'] }))).toEqual({ z1: 2 })
    expect(podsPerDomain(solved({ namespaceSelector: {} }))).toEqual({ z1: 2 })
    expect(podsPerDomain(solved({ namespaceSelector: { matchLabels: { team: 'x' } } }))).toEqual({ z1: 2 })
    const nobody = { namespaceSelector: { matchLabels: { team: 'y' } } }
    expect(solved(nobody).failures).toHaveLength(1)
    expect(podsPerDomain(solved({ ...nobody, namespaces: ['other'] }))).toEqual({ z1: 2 })
  })

  test('case 131: affinity to an architecture brings the follower to a second node of it', () => {
    const arch = 'kubernetes.io/arch'
    const target = aPod({ labels: { ...s, spread: 'me' }, requests: { cpu: '2' }, nodeSelector: { [arch]: 'arm64' } })
    const follower = aPod({
      labels: { spread: 'me' },
      requests: { cpu: '1' },
      ...near(term(arch, s)),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: hostnameKey,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { spread: 'me' } },
        },
      ],
    })
    const placement = solveWorld({ pods: [target, follower] })
    expect(placement.newNodePlans.map((plan) => requirementOn(plan, arch))).toEqual([
      `${arch} In [arm64]`,
      `${arch} In [arm64]`,
    ])
  })

  test('case 99: a chain of pods ends on one node whatever their sizes', () => {
    const names = ['db', 'web', 'cache', 'ui']
    const sizes = ['100m', '200m', '300m', '400m']
    for (let turn = 0; turn < names.length; turn += 1) {
      const chain = names.map((app, index) =>
        aPod({
          labels: { app },
          requests: { cpu: sizes[(index + turn) % sizes.length] ?? '' },
          ...(index === 0 ? {} : near(term(hostnameKey, { app: names[index - 1] ?? '' }))),
        }),
      )
      expect(podsPerPlan(solveWorld({ pods: chain }))).toEqual([4])
    }
  })

  test('case 100: affinity to nobody fails and ends', () => {
    const placement = solveWorld({ pods: [aPod(near(term(hostnameKey, { app: 'nobody' })))] })
    expect(placement.failures[0]?.text).toMatch(
      /^unsatisfiable topology constraint for pod affinity, key=kubernetes.io\/hostname \(counts = /,
    )
  })
})

describe('anti-affinity', () => {
  test('case 132: a pod and what it avoids get two nodes in either order', () => {
    for (const [first, second] of [
      ['2', '1'],
      ['1', '2'],
    ] as const) {
      const placement = solveWorld({
        pods: [aPod({ labels: s, ...cpu(first) }), aPod({ ...away(term(hostnameKey, s)), ...cpu(second) })],
      })
      expect(podsPerPlan(placement)).toEqual([1, 1])
    }
  })

  test('a pod keeps away from the planned nodes of everybody it wants to be away from', () => {
    const [a, b] = [{ app: 'a' }, { app: 'b' }]
    const first = aPod({ name: 'first', labels: a, ...away(term(hostnameKey, b)), ...cpu('1500m') })
    const second = aPod({ name: 'second', labels: b, ...cpu('1') })
    const loner = aPod({ name: 'loner', ...away(term(hostnameKey, a), term(hostnameKey, b)), ...cpu('100m') })
    expect(whereabouts(solveWorld({ pods: [first, second, loner] }))).toEqual({
      first: 'new-0',
      second: 'new-1',
      loner: 'new-2',
    })
  })

  test('a pod that a simulation moves does not keep itself from its zone', () => {
    const moved = aPod({ name: 'moved', labels: s, nodeName: 'n', ...away(term(zoneKey, s)) })
    const placement = solveWorld(
      {
        pools: [aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] })],
        nodes: [aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [moved] })],
      },
      { excludedNodes: new Set(['test:///n']), also: [moved] },
    )
    expect(whereabouts(placement)).toEqual({ moved: 'new-0' })
  })

  test('case 133: occupied zones leave no place', () => {
    const targets = ['z1', 'z2', 'z3'].map((zone) => aPod({ labels: s, ...cpu('2'), ...inZone(zone) }))
    expect(solveWorld({ pods: [...targets, aPod({ ...away(term(zoneKey, s)), ...cpu('1') })] }).failures).toHaveLength(
      1,
    )
  })

  test('case 133: a target that could still be anywhere is everywhere', () => {
    const placement = solveWorld({
      pods: [aPod({ labels: s, ...cpu('2') }), aPod({ ...away(term(zoneKey, s)), ...cpu('1') })],
    })
    expect(placement.newNodePlans).toHaveLength(1)
    expect(placement.failures).toHaveLength(1)
  })

  test('case 134: those who avoid a pod keep it out, required terms only', () => {
    const avoiding = (make: (...terms: PodAffinityTerm[]) => PodOptions) =>
      ['z1', 'z2', 'z3'].map((zone) => aPod({ ...make(term(zoneKey, s)), ...cpu('2'), ...inZone(zone) }))
    expect(solveWorld({ pods: [...avoiding(away), aPod({ labels: s })] }).failures).toHaveLength(1)
    expect(solveWorld({ pods: [...avoiding(preferAway), aPod({ labels: s })] }).failures).toEqual([])
  })

  test('case 134: running pods keep it out as well', () => {
    const nodes = ['z1', 'z2', 'z3'].map((zone) =>
      aNode({
        name: zone,
        pool: 'np',
        labels: { [zoneKey]: zone },
        pods: [aPod({ ...away(term(zoneKey, s)), nodeName: zone })],
      }),
    )
    expect(solveWorld({ nodes, pods: [aPod({ labels: s })] }).failures).toHaveLength(1)
  })

  test('case 135: a pod avoided by one whose zone is open waits for the next pass', () => {
    const owner = aPod({ ...away(term(zoneKey, s)), ...cpu('2') })
    const first = solveWorld({ pods: [owner, aPod({ labels: s })] })
    expect(first.failures).toHaveLength(1)
    const node = aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [{ ...owner, nodeName: 'n' }] })
    const second = solveWorld({ nodes: [node], pods: [aPod({ labels: s })] })
    expect(requirementOn(second.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z2 z3]`)
  })

  test('case 136: pods that avoid themselves by zone come one per pass', () => {
    const occupied: ReturnType<typeof aNode>[] = []
    for (const zone of ['z1', 'z2', 'z3']) {
      const batch = pods(3 - occupied.length, { labels: s, ...away(term(zoneKey, s)) })
      const placement = solveWorld({ nodes: occupied, pods: batch })
      expect(placement.newNodePlans).toHaveLength(1)
      const [first] = placement.newNodePlans[0]?.pods ?? []
      occupied.push(
        aNode({
          name: zone,
          pool: 'np',
          labels: { [zoneKey]: zone },
          pods: first === undefined ? [] : [{ ...first, nodeName: zone, phase: 'Running' }],
        }),
      )
    }
    expect(
      solveWorld({ nodes: occupied, pods: pods(1, { labels: s, ...away(term(zoneKey, s)) }) }).failures,
    ).toHaveLength(1)
  })

  test('case 137: a preference to avoid full zones stops nobody', () => {
    const targets = ['z1', 'z2', 'z3'].map((zone) => aPod({ labels: s, ...cpu('2'), ...inZone(zone) }))
    expect(solveWorld({ pods: [...targets, ...pods(10, preferAway(term(zoneKey, s)))] }).failures).toEqual([])
  })

  test('case 138: wishing to sit together does not break a spread', () => {
    const wishing: PodOptions = {
      labels: { app: 'web' },
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(hostnameKey, s) }],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: hostnameKey,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    }
    const placement = solveWorld({ pods: [aPod({ labels: s, ...cpu('2') }), ...pods(5, wishing)] })
    expect(placement.failures).toEqual([])
    for (const plan of placement.newNodePlans) {
      expect(plan.pods.filter((pod) => pod.labels['app'] === 'web').length).toBeLessThanOrEqual(1)
    }
  })

  test.each([3, 60])('of %d waiting pods that keep each other away no two go to one node', (count) => {
    const nodes = Array.from({ length: count }, (_, index) => aNode({ name: `n-${index}`, pool: 'np' }))
    const waiting = pods(count + 2, { labels: s, ...away(term(hostnameKey, s)) })
    const places = Object.values(whereabouts(solveWorld({ nodes, pods: waiting })))
    expect(new Set(places).size).toBe(count + 2)
    expect(places.filter((place) => place.startsWith('new-'))).toHaveLength(2)
  })

  test.each([3, 60])(
    'of %d running pods that keep others away, only one that moves leaves its node to them',
    (count) => {
      const owners = Array.from({ length: count }, (_, index) =>
        aPod({ name: `owner-${index}`, nodeName: `n-${index}`, ...away(term(hostnameKey, s)), ...cpu('1') }),
      )
      const nodes = owners.map((owner, index) =>
        aNode({ name: `n-${index}`, pool: 'np', allocatable: { cpu: '4', pods: '10' }, pods: [owner] }),
      )
      const avoided = aPod({ name: 'avoided', labels: s, ...cpu('2') })
      const places = whereabouts(solveWorld({ nodes, pods: [...owners.slice(1, 2), avoided] }))
      expect(places['avoided']).toBe('n-1')
      expect(places['owner-1']).toBe('n-0')
      expect(whereabouts(solveWorld({ nodes, pods: [avoided] }))['avoided']).toBe('new-0')
    },
  )

  test('case 139: a zone that only tainted pools have is unknown to those who do not tolerate the taint', () => {
    const pools = [
      aPool({ name: 'a', requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] }),
      aPool({
        name: 'b',
        requirements: [{ key: zoneKey, operator: 'In', values: ['z2'] }],
        taints: [{ key: 'b', effect: 'NoSchedule' }],
      }),
    ]
    const owner = aPod({ name: 'owner', ...away(term(zoneKey, s)), ...cpu('2') })
    const avoided = aPod({
      name: 'avoided',
      labels: s,
      tolerations: [{ key: 'b', operator: 'Exists' }],
      nodeSelector: { [zoneKey]: 'z2' },
    })
    const places = whereabouts(solveWorld({ pools, pods: [owner, avoided] }))
    expect(places['owner']).toBe('new-0')
    expect(places['avoided']).toContain('unsatisfiable topology constraint for pod anti-affinity')
  })
})

describe('pods that tolerate different taints', () => {
  const zones = (name: string, effect: 'NoSchedule' | 'PreferNoSchedule' | undefined, ...values: string[]): NodePool =>
    aPool({
      name,
      requirements: [{ key: zoneKey, operator: 'In', values }],
      ...(effect === undefined ? {} : { taints: [{ key: name, effect }] }),
    })
  const tolerant: PodOptions = { tolerations: [{ key: 'b', operator: 'Exists' }] }
  const inZ1 = (options: PodOptions) =>
    aNode({
      name: 'n',
      pool: 'a',
      labels: { [zoneKey]: 'z1' },
      allocatable: { cpu: '1', pods: '1' },
      pods: [aPod({ nodeName: 'n', ...options })],
    })

  test.each([
    ['together', near(term(zoneKey, s))],
    ['apart', away(term(zoneKey, s))],
  ])('find the zones of a soft pool in the end where they want to be %s', (_, terms) => {
    const pools = [zones('a', 'PreferNoSchedule', 'z1', 'z2')]
    expect(solveWorld({ pools, pods: [aPod({ labels: s, ...terms })] }).failures).toEqual([])
  })

  test('are kept by one that runs from its zone of a soft pool only', () => {
    const pools = [zones('a', 'PreferNoSchedule', 'z1', 'z2')]
    const apart = { labels: s, ...away(term(zoneKey, s)) }
    for (const waiting of [aPod(apart), aPod({ labels: s })]) {
      const [plan] = solveWorld({ pools, nodes: [inZ1(apart)], pods: [waiting] }).newNodePlans
      expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z2]`)
    }
  })

  test('keep away from others by the same label in the zones that each of them can use', () => {
    const pools = [zones('a', undefined, 'z1', 'z2'), zones('b', 'NoSchedule', 'z3')]
    const avoids = away(term(zoneKey, s))
    const places = whereabouts(
      solveWorld({
        pools,
        nodes: [inZ1({ labels: s })],
        pods: [
          aPod({ name: 'a-hopeless', ...avoids, ...cpu('1k') }),
          aPod({ name: 'tolerant', ...avoids, ...tolerant, ...inZone('z3') }),
        ],
      }),
    )
    expect(places['tolerant']).toBe('new-0')
  })

  test('come together in a zone that only the second of them can use', () => {
    const pools = [zones('a', undefined, 'z1', 'z2'), zones('b', 'NoSchedule', 'z3')]
    const together = { labels: s, ...near(term(zoneKey, s)) }
    const places = whereabouts(
      solveWorld({
        pools,
        pods: [
          aPod({ name: 'a-hopeless', ...together, ...cpu('1k') }),
          aPod({ name: 'tolerant', ...together, ...tolerant, ...inZone('z3') }),
        ],
      }),
    )
    expect(places['tolerant']).toBe('new-0')
  })

  test('keep whom they select from no zone that some of them can use, whichever comes first', () => {
    const pools = [zones('b', 'NoSchedule', 'z1', 'z3')]
    const owners = [
      aPod({ nodeName: 'n', ...away(term(zoneKey, s)) }),
      aPod({ nodeName: 'n', ...away(term(zoneKey, s)), ...tolerant }),
    ]
    for (const running of [owners, owners.toReversed()]) {
      const node = { ...inZ1({}), pods: running }
      const [plan] = solveWorld({ pools, nodes: [node], pods: [aPod({ labels: s, ...tolerant })] }).newNodePlans
      expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z3]`)
    }
  })

  test('are selected, and may go where one that was planned could go as well as one that runs', () => {
    const pools = [zones('b', 'NoSchedule', 'z1', 'z3')]
    const owner = aPod({ name: 'owner', ...away(term(zoneKey, s)), ...tolerant, ...cpu('2'), ...inZone('z1') })
    const avoided = aPod({ name: 'avoided', labels: s, ...tolerant })
    const running = inZ1(away(term(zoneKey, s)))
    const places = whereabouts(solveWorld({ pools, nodes: [running], pods: [owner, avoided] }))
    expect(places).toEqual({ owner: 'new-0', avoided: 'new-1' })
  })
})

describe('anti-affinity on a label that nodes need not have', () => {
  const rack = 'example.com/rack'
  const labelled = { labels: s, ...away(term(rack, s)) }
  const occupied = aNode({
    name: 'r1',
    pool: 'np',
    labels: { [rack]: 'r1' },
    pods: [aPod({ nodeName: 'r1', labels: s })],
  })

  test('keeps pods from no node that lacks it', () => {
    expect(podsPerPlan(solveWorld({ pods: pods(2, labelled) }))).toEqual([2])
    expect(podsPerPlan(solveWorld({ nodes: [occupied], pods: pods(2, labelled) }))).toEqual([2])
  })

  test('keeps them from a node that has it, with such a pod', () => {
    const placement = solveWorld({ nodes: [occupied], pods: [aPod({ name: 'p', ...labelled })] })
    expect(whereabouts(placement)).not.toEqual({ p: 'r1' })
  })

  test('lets in whom the anti-affinity of others selects', () => {
    const owner = aPod({ nodeName: 'n', ...away(term(rack, s)) })
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [owner] })]
    expect(whereabouts(solveWorld({ nodes, pods: [aPod({ name: 'p', labels: s })] }))).toEqual({ p: 'n' })
  })
})

test.each(['constructor', 'toString', 'valueOf', 'isPrototypeOf'])(
  'a label may be called %s: who lacks it has no domain of it',
  (key) => {
    const beside = { name: 'p', labels: s, ...near(term(key, s)) }
    const spread: PodOptions = {
      name: 'p',
      labels: s,
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: s } },
      ],
    }
    const apart = { name: 'p', labels: s, ...away(term(key, s)) }
    const placed = (labels: Record<string, string>, options: PodOptions) => {
      const running = aPod({ nodeName: 'n', labels: s })
      return whereabouts(
        solveWorld({ nodes: [aNode({ name: 'n', pool: 'np', labels, pods: [running] })], pods: [aPod(options)] }),
      )
    }
    expect(placed({ [key]: 'r1' }, beside)).toEqual({ p: 'n' })
    expect(placed({ [key]: 'r1' }, spread)).toEqual({ p: 'n' })
    expect(placed({ [key]: 'r1' }, apart)).not.toEqual({ p: 'n' })
    expect(placed({}, beside)).not.toEqual({ p: 'n' })
    expect(placed({}, spread)).not.toEqual({ p: 'n' })
    expect(placed({}, apart)).toEqual({ p: 'n' })
    expect(placed({}, { name: 'p', nodeSelector: { [key]: 'r1' } })).not.toEqual({ p: 'n' })
  },
)

test('the old name of the zone is the zone, in anti-affinity, also of pods that run', () => {
  const oldZone = 'failure-domain.beta.kubernetes.io/zone'
  const running = aPod({ nodeName: 'n', labels: s, ...away(term(oldZone, s)) })
  const nodes = [aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [running] })]
  const zonesOf = (...waiting: readonly PodOptions[]) =>
    solveWorld({ nodes, pods: waiting.map((options) => aPod(options)) }).newNodePlans.map((plan) =>
      requirementOn(plan, zoneKey),
    )
  expect(zonesOf({ labels: s })).toEqual([`${zoneKey} In [z2 z3]`])
  expect(zonesOf({ labels: { app: 'other' }, ...away(term(oldZone, s)) })).toEqual([`${zoneKey} In [z2 z3]`])
  const close = solveWorld({ nodes, pods: [aPod({ name: 'p', ...near(term(oldZone, s)) })] })
  expect(whereabouts(close)).toEqual({ p: 'n' })
})

describe('a pod that fits nowhere and wants to be alone', () => {
  const alone = (topologyKey: string): PodOptions => away({ topologyKey, namespaceSelector: {}, labelSelector: {} })
  const tainted = (name: string, zones: readonly string[]) =>
    aPool({
      name,
      requirements: [{ key: zoneKey, operator: 'In', values: [...zones] }],
      taints: [{ key: 'team', effect: 'NoSchedule' }],
    })
  const cases: Record<string, { key: string; pools?: readonly NodePool[]; tolerations?: PodOptions['tolerations'] }> = {
    'by a label that nobody knows': { key: 'example.com/rack' },
    'by one that no type tells': { key: 'topology.kubernetes.io/region' },
    'by the name of its pool': { key: 'karpenter.sh/nodepool' },
    'by one that only some types have': { key: 'special' },
    'by zone, where it tolerates no pool': {
      key: zoneKey,
      pools: [tainted('np', ['z2'])],
      tolerations: [{ key: 'team', operator: 'Exists' }],
    },
    'by zone, where the pools that it tolerates are elsewhere': {
      key: zoneKey,
      pools: [
        tainted('np', ['z2']),
        aPool({ name: 'z1', requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] }),
      ],
      tolerations: [{ key: 'team', operator: 'Exists' }],
    },
  }
  test.each(Object.entries(cases))('keeps nobody from anywhere: %s', (_how, { key, pools, tolerations = [] }) => {
    const owner = aPod({ name: 'owner', nodeSelector: { 'example.com/nowhere': 'x' }, ...cpu('3'), ...alone(key) })
    const others = pods(3, {
      tolerations,
      ...cpu('1'),
      ...(pools === undefined ? {} : { nodeSelector: { [zoneKey]: 'z2' } }),
    })
    const world = {
      nodes: [aNode({ name: 'full', pool: 'np', labels: { [zoneKey]: 'z2' }, allocatable: { cpu: '0' } })],
    }
    const without = solveWorld({ ...world, ...(pools === undefined ? {} : { pools }), pods: others })
    const beside = solveWorld({ ...world, ...(pools === undefined ? {} : { pools }), pods: [owner, ...others] })
    expect(without.failures).toEqual([])
    expect(beside.failures.map(({ pod }) => pod.name)).toEqual(['owner'])
    expect(planShapes(beside)).toEqual(planShapes(without))
  })

  test('keeps others from where it runs once it does, and until it is known where from what it shares with them', () => {
    const owner = aPod({ name: 'owner', ...cpu('3'), ...alone(zoneKey) })
    const other = aPod({ name: 'other', ...cpu('1') })
    expect(solveWorld({ pods: [owner, other] }).failures).toHaveLength(1)
    const node = aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [{ ...owner, nodeName: 'n' }] })
    const placement = solveWorld({ nodes: [node], pods: [other] })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z2 z3]`)
  })

  test('and who came before it is in each zone that it may be in', () => {
    const first = aPod({ name: 'first', ...cpu('3') })
    const owner = aPod({ name: 'owner', ...cpu('1'), ...alone(zoneKey) })
    const placement = solveWorld({ pods: [owner, first] })
    expect(requirementOn(placement.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z1 z2 z3]`)
    expect(placement.failures.map(({ pod }) => pod.name)).toEqual(['owner'])
  })
})
