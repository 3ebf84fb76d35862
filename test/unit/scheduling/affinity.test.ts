import { describe, expect, test } from 'vitest'
import type { PodAffinityTerm } from '../../../src/api/kubernetes.ts'
import { away, cpu, inZone, near, secured, term } from '../../support/affinity-terms.ts'
import { aNode, aPod, aPool, hostnameKey, pods, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { podsPerDomain, podsPerPlan, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

describe('affinity', () => {
  test('case 126: one node is all there is for pods that want to be together', () => {
    const together = pods(10, { labels: secured, ...near(term(hostnameKey, secured)) })
    const placement = solveWorld({ pods: together })
    expect(podsPerPlan(placement)).toEqual([5])
    expect(placement.failures).toHaveLength(5)
    const full = aNode({
      name: 'n',
      pool: 'np',
      allocatable: { pods: '5' },
      pods: pods(5, { labels: secured, nodeName: 'n' }),
    })
    expect(
      solveWorld({ nodes: [full], pods: pods(5, { labels: secured, ...near(term(hostnameKey, secured)) }) }).failures,
    ).toHaveLength(5)
  })

  test('a pod that wants to be on the node of a running one is put there, and nowhere else when it is full', () => {
    const db = aPod({ labels: secured, nodeName: 'b', ...cpu('1') })
    const nodes = [aNode({ name: 'a', pool: 'np' }), aNode({ name: 'b', pool: 'np', pods: [db] })]
    const follower = (amount: string) => aPod({ name: 'follower', ...near(term(hostnameKey, secured)), ...cpu(amount) })
    expect(whereabouts(solveWorld({ nodes, pods: [follower('2')] }))).toEqual({ follower: 'b' })
    expect(whereabouts(solveWorld({ nodes, pods: [follower('3500m')] }))).toEqual({
      follower: expect.stringMatching(/^unsatisfiable topology constraint for pod affinity/),
    })
  })

  test('nor does it join another planned node, though that is tried first because it has fewer pods', () => {
    const dbs = ['db-1', 'db-2'].map((name) => aPod({ name, labels: secured, ...cpu('1') }))
    const other = aPod({ name: 'other', ...away(term(hostnameKey, secured)), ...cpu('500m') })
    const follower = aPod({ name: 'follower', ...near(term(hostnameKey, secured)), ...cpu('100m') })
    expect(whereabouts(solveWorld({ pods: [...dbs, other, follower] }))).toEqual({
      'db-1': 'new-0',
      'db-2': 'new-0',
      other: 'new-1',
      follower: 'new-0',
    })
  })

  test.each([
    { key: 'rack', operator: 'DoesNotExist' as const },
    { key: 'rack', operator: 'NotIn' as const, values: ['r1'] },
  ])('the first of its kind goes to no node that may lack the label, as a pool with $operator says', (requirement) => {
    const rack = { key: 'rack', operator: 'In' as const, values: ['r1'] }
    const racks = aPool({ name: 'b', requirements: [rack], limits: { cpu: '0' } })
    const first = aPod({ name: 'first', labels: secured, ...near(term('rack', secured)) })
    const { newNodePlans, failures } = solveWorld({
      pools: [aPool({ name: 'a', requirements: [requirement] }), racks],
      pods: [first],
    })
    expect(newNodePlans).toEqual([])
    expect(failures).toHaveLength(1)
  })

  test('a pod that prefers to be near another goes there first, unless preferences are ignored', () => {
    const db = aPod({ nodeName: 'b', labels: secured })
    const nodes = [aNode({ name: 'a', pool: 'np' }), aNode({ name: 'b', pool: 'np', pods: [db] })]
    const podAffinityTerm = term(hostnameKey, secured)
    const preferring: PodOptions = {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] } },
    }
    const placed = (preferencePolicy: 'Respect' | 'Ignore') =>
      whereabouts(solveWorld({ nodes, pods: [aPod({ name: 'p', ...preferring })] }, { settings: { preferencePolicy } }))
    expect(placed('Respect')).toEqual({ p: 'b' })
    expect(placed('Ignore')).toEqual({ p: 'a' })
  })

  test('pods that are together on a node that a simulation takes away find another one together', () => {
    const together: PodOptions = { labels: secured, ...near(term(hostnameKey, secured)) }
    const moved = ['p', 'q'].map((name) => aPod({ name, nodeName: 'n', ...together }))
    const nodes = [aNode({ name: 'm', pool: 'np' }), aNode({ name: 'n', pool: 'np', pods: moved })]
    const placement = solveWorld({ nodes }, { excludedNodes: new Set(['test:///n']), also: moved })
    expect(whereabouts(placement)).toEqual({ p: 'm', q: 'm' })
  })

  test('case 127: a running pod occupies its domain even for pods that cannot go there', () => {
    const node = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z1' },
      allocatable: { pods: '1' },
      pods: pods(1, { labels: secured, nodeName: 'n' }),
    })
    const requiring: PodOptions = {
      labels: secured,
      affinity: {
        ...near(term(hostnameKey, secured)).affinity,
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
    const together: PodOptions = { labels: secured, ...near(term(zoneKey, secured)) }
    expect(podsPerPlan(solveWorld({ pods: pods(3, together) }))).toEqual([3])
    expect(podsPerDomain(solveWorld({ pods: pods(3, { ...together, ...inZone('z3') }) }))).toEqual({ z3: 3 })
    const apart = [aPod({ ...together, ...inZone('z2') }), aPod({ ...together, ...inZone('z3') })]
    expect(podsPerDomain(solveWorld({ pods: apart }))).toEqual({ z2: 1, z3: 1 })
  })

  test('case 129: nobody follows a target whose zone is still open', () => {
    const followers = () => pods(10, near(term(zoneKey, secured)))
    const open = solveWorld({ pods: [aPod({ labels: secured }), ...followers()] })
    expect(podsPerPlan(open)).toEqual([1])
    expect(open.failures).toHaveLength(10)
    const node = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z2' },
      allocatable: { pods: '1' },
      pods: [aPod({ labels: secured, nodeName: 'n' })],
    })
    expect(podsPerDomain(solveWorld({ nodes: [node], pods: followers() }))).toEqual({ z2: 10 })
    const pinned = solveWorld({ pods: [aPod({ labels: secured, ...inZone('z1') }), ...followers()] })
    expect(podsPerDomain(pinned)).toEqual({ z1: 11 })
  })

  test('the first of its kind goes anywhere, the second only to the first, though no node can be made there', () => {
    const kind: PodOptions = { labels: secured, ...near(term(zoneKey, secured)) }
    const pools = [aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z2'] }] })]
    expect(podsPerDomain(solveWorld({ pools, pods: pods(1, kind) }))).toEqual({ z2: 1 })
    const first = aNode({
      name: 'n',
      pool: 'np',
      labels: { [zoneKey]: 'z1' },
      allocatable: { pods: '1' },
      pods: [aPod({ labels: secured, nodeName: 'n' })],
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
    const target = () => aPod({ labels: secured, namespace: 'other', ...inZone('z1') })
    const follower = (rest: Partial<PodAffinityTerm>) => aPod(near(term(zoneKey, secured, rest)))
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
    const target = aPod({
      labels: { ...secured, spread: 'me' },
      requests: { cpu: '2' },
      nodeSelector: { [arch]: 'arm64' },
    })
    const follower = aPod({
      labels: { spread: 'me' },
      requests: { cpu: '1' },
      ...near(term(arch, secured)),
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
