import { describe, expect, test } from 'vitest'
import type { PodInfo } from '../../../src/model/pod.ts'
import {
  aNode,
  aPod,
  aPool,
  capacityTypeKey,
  hostnameKey,
  type PodOptions,
  pods,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { podsPerDomain, podsPerPlan, requirementOn, solveWorld, spreadOf } from '../../support/solving.ts'
import { labels, spread, webPods, byZone, zonesOf, running, required, inZones } from '../../support/spread-world.ts'

describe('over zones', () => {
  test('case 102: the fourth pod joins the first claim', () => {
    const placement = solveWorld({ pods: webPods(4, byZone) })
    expect(spreadOf(placement)).toEqual([2, 1, 1])
    expect(placement.newNodePlans).toHaveLength(3)
    expect(placement.newNodePlans[0]?.pods).toHaveLength(2)
  })

  test('case 103: only the zones of the pool count', () => {
    expect(podsPerDomain(solveWorld({ pools: zonesOf('z1', 'z2'), pods: webPods(4, byZone) }))).toEqual({
      z1: 2,
      z2: 2,
    })
    const labelled = [aPool({ labels: { [zoneKey]: 'z1' } })]
    expect(podsPerDomain(solveWorld({ pools: labelled, pods: webPods(4, byZone) }))).toEqual({ z1: 4 })
  })

  test('a pod that does not count itself may go where one that does may not', () => {
    const ahead = aNode({
      name: 'ahead',
      labels: { [zoneKey]: 'z1' },
      pods: pods(1, { labels, nodeName: 'ahead' }),
    })
    const full = aNode({ name: 'full', labels: { [zoneKey]: 'z2' }, allocatable: { pods: '0' } })
    const alike = { topologySpreadConstraints: [byZone] }
    const web = aPod({ name: 'web', labels, ...alike, requests: { cpu: '2' } })
    const other = aPod({ name: 'other', ...alike, requests: { cpu: '1' } })
    const placement = solveWorld({ types: [], nodes: [ahead, full], pods: [web, other] })
    expect(placement.existing.map(({ node, pods: on }) => [node.name, on])).toEqual([['ahead', [other]]])
  })

  test('a pod that a simulation moves counts nowhere until it is placed', () => {
    const moved = webPods(1, byZone, { nodeName: 'node-z1' })
    const nodes = [{ ...running('z1', 1), pods: moved }, running('z2', 1)]
    const placement = solveWorld(
      { pools: zonesOf('z1', 'z2'), nodes },
      { excludedNodes: new Set(['test:///node-z1']), also: moved },
    )
    expect(podsPerDomain(placement)).toEqual({ z1: 1 })
  })

  test('case 104: a zone that only existing nodes have holds the others back', () => {
    const placement = solveWorld({ pools: zonesOf('z1', 'z2'), nodes: [running('z3', 1)], pods: webPods(6, byZone) })
    expect(podsPerDomain(placement)).toEqual({ z1: 2, z2: 2 })
    expect(placement.failures).toHaveLength(2)
  })

  test('case 105: the only zone left takes up to the skew more', () => {
    const placement = solveWorld({
      pools: zonesOf('z3'),
      nodes: [running('z1', 1), running('z2', 1)],
      pods: webPods(10, spread(zoneKey, { maxSkew: 5 })),
    })
    expect(podsPerDomain(placement)).toEqual({ z3: 6 })
    expect(placement.failures).toHaveLength(4)
  })

  test('case 106: emptier zones are filled first', () => {
    const placement = solveWorld({ nodes: [running('z1', 3)], pods: webPods(3, byZone) })
    expect(placement.failures).toEqual([])
    const counts = podsPerDomain(placement)
    expect([counts['z2'] ?? 0, counts['z3'] ?? 0].toSorted((a, b) => a - b)).toEqual([1, 2])
  })

  test('case 107: too few domains keep the minimum at zero', () => {
    const constraint = spread(zoneKey, { minDomains: 3 })
    const two = solveWorld({ pools: zonesOf('z1', 'z2'), pods: webPods(3, constraint) })
    expect(podsPerDomain(two)).toEqual({ z1: 1, z2: 1 })
    expect(two.failures).toHaveLength(1)
    expect(spreadOf(solveWorld({ pods: webPods(11, constraint) }))).toEqual([4, 4, 3])
  })

  test('case 110: a constraint that selects none of the pods, or nothing at all, spreads nobody', () => {
    const other = spread(zoneKey, { labelSelector: { matchLabels: { app: 'other' } } })
    expect(podsPerPlan(solveWorld({ pods: webPods(5, other) }))).toEqual([5])
    const { labelSelector: _none, ...without } = byZone
    expect(podsPerPlan(solveWorld({ pods: webPods(5, without) }))).toEqual([5])
  })

  test('case 111: an unknown topology key fails its pod and nobody else', () => {
    const placement = solveWorld({ pods: [...webPods(1, spread('nowhere')), aPod()] })
    expect(placement.failures).toHaveLength(1)
    expect(podsPerPlan(placement)).toEqual([1])
  })

  test('case 115: a pool that cannot open nodes still contributes its zones', () => {
    const pools = [
      aPool({ name: 'a', requirements: [{ key: zoneKey, operator: 'In', values: ['z1', 'z2'] }] }),
      aPool({ name: 'b', requirements: [{ key: zoneKey, operator: 'In', values: ['z3'] }], limits: { cpu: '0' } }),
    ]
    const placement = solveWorld({ pools, pods: webPods(10, byZone) })
    expect(podsPerDomain(placement)).toEqual({ z1: 1, z2: 1 })
    expect(placement.failures).toHaveLength(8)
  })

  test('case 121: pods pinned to a zone are spread over that zone', () => {
    const placement = solveWorld({
      pods: [
        ...webPods(5, byZone, { nodeSelector: { [zoneKey]: 'z1' } }),
        ...webPods(10, byZone, { nodeSelector: { [zoneKey]: 'z2' } }),
      ],
    })
    expect(podsPerDomain(placement)).toEqual({ z1: 5, z2: 10 })
  })

  test('case 122: the minimum is over the zones that the pod admits', () => {
    const first = solveWorld({ pods: webPods(6, byZone, inZones('z1', 'z2')) })
    expect(podsPerDomain(first)).toEqual({ z1: 3, z2: 3 })
    const nodes = [running('z1', 3), running('z2', 3)]
    const second = solveWorld({ nodes, pods: webPods(1, byZone, inZones('z2', 'z3')) })
    expect(podsPerDomain(second)).toEqual({ z3: 1 })
    const third = solveWorld({ nodes: [...nodes, running('z3', 1)], pods: webPods(5, byZone) })
    expect(podsPerDomain(third)).toEqual({ z1: 1, z2: 1, z3: 3 })
  })

  test('of the zones within the skew the emptiest is taken, of equal ones the first by name', () => {
    const wide = spread(zoneKey, { maxSkew: 3 })
    const zonesTaken = (...counts: [number, number, number]) => {
      const nodes = counts.map((count, index) => running(`z${index + 1}`, count))
      return Object.keys(podsPerDomain(solveWorld({ nodes, pods: webPods(1, wide) })))
    }
    expect(zonesTaken(1, 2, 0)).toEqual(['z3'])
    expect(zonesTaken(2, 0, 1)).toEqual(['z2'])
    expect(zonesTaken(0, 1, 2)).toEqual(['z1'])
    expect(zonesTaken(1, 0, 0)).toEqual(['z2'])
    expect(zonesTaken(0, 0, 0)).toEqual(['z1'])
  })

  test('the minimum is that of the zones that the pod admits, whatever lies in others', () => {
    const nodes = [running('z1', 0), running('z2', 2), running('z3', 1)]
    const solved = (zone: string, ...admitted: string[]) =>
      solveWorld({ pools: zonesOf('z1', zone), nodes, pods: webPods(1, byZone, inZones(...admitted)) })
    expect(podsPerDomain(solved('z2', 'z2'))).toEqual({ z2: 1 })
    expect(podsPerDomain(solved('z3', 'z2', 'z3'))).toEqual({ z3: 1 })
    expect(solved('z2', 'z2', 'z3').failures[0]?.text).toBe(
      `unsatisfiable topology constraint for topology spread, key=${zoneKey} (counts = z1: 0, z2: 2, z3: 1, podDomains = ${zoneKey} In [z2 z3], nodeDomains = ${zoneKey} In [z2]`,
    )
  })

  test('case 123: a preference for zones does not change the minimum', () => {
    const preferring: PodOptions = {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: zoneKey, operator: 'In', values: ['z1', 'z2'] }] } },
          ],
        },
      },
    }
    expect(spreadOf(solveWorld({ pods: webPods(6, byZone, preferring) }))).toEqual([2, 2, 2])
  })

  test('case 124: pods that do not run, or not where it counts, are not counted', () => {
    const elsewhere = (options: PodOptions) => aPod({ labels, nodeName: 'node-z1', ...options })
    const node = running('z1', 0)
    const uncounted = [
      elsewhere({ status: { phase: 'Succeeded' } }),
      elsewhere({ status: { phase: 'Failed' } }),
      elsewhere({ deleting: true }),
      elsewhere({ namespace: 'other' }),
    ]
    const unlabelled = aNode({
      name: 'bare',
      pool: 'np',
      allocatable: { pods: '1' },
      pods: [elsewhere({ nodeName: 'bare' })],
    })
    const placement = solveWorld({ nodes: [{ ...node, pods: uncounted }, unlabelled], pods: webPods(3, byZone) })
    expect(spreadOf(placement)).toEqual([1, 1, 1])
  })
})

test('a zone that a pool names and no type offers is a domain that nobody fills', () => {
  const placement = solveWorld({ pools: zonesOf('z1', 'z9'), pods: webPods(3, byZone) })
  expect(podsPerDomain(placement)).toEqual({ z1: 1 })
  expect(placement.failures).toHaveLength(2)
})

test('a zone that a pool rules out is none', () => {
  const pools = [aPool({ requirements: [{ key: zoneKey, operator: 'NotIn', values: ['z3'] }] })]
  expect(podsPerDomain(solveWorld({ pools, pods: webPods(4, byZone) }))).toEqual({ z1: 2, z2: 2 })
})

describe('over hostnames', () => {
  const byHost = spread(hostnameKey)

  test('case 108: one pod per node, or as many as the skew', () => {
    expect(podsPerPlan(solveWorld({ pods: webPods(4, byHost) }))).toEqual([1, 1, 1, 1])
    expect(podsPerPlan(solveWorld({ pods: webPods(4, spread(hostnameKey, { maxSkew: 4 })) }))).toEqual([4])
  })

  test('case 109: two deployments share nodes, unless they need different architectures', () => {
    const deployment = (app: string, rest: PodOptions = {}) =>
      pods(2, {
        labels: { app },
        topologySpreadConstraints: [spread(hostnameKey, { labelSelector: { matchLabels: { app } } })],
        ...rest,
      })
    expect(podsPerPlan(solveWorld({ pods: [...deployment('a'), ...deployment('b')] }))).toEqual([2, 2])
    const arch = (value: string) => ({ nodeSelector: { 'kubernetes.io/arch': value } })
    expect(
      podsPerPlan(solveWorld({ pods: [...deployment('a', arch('arm64')), ...deployment('b', arch('amd64'))] })),
    ).toEqual([1, 1, 1, 1])
  })

  test('when preferences are ignored, what must be spread is spread all the same', () => {
    const spreadOut = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') => {
      const waiting = webPods(3, spread(hostnameKey, { whenUnsatisfiable }))
      return podsPerPlan(solveWorld({ pods: waiting }, { settings: { preferencePolicy: 'Ignore' } }))
    }
    expect(spreadOut('DoNotSchedule')).toEqual([1, 1, 1])
    expect(spreadOut('ScheduleAnyway')).toEqual([3])
    const respected = webPods(3, spread(hostnameKey, { whenUnsatisfiable: 'ScheduleAnyway' }))
    expect(podsPerPlan(solveWorld({ pods: respected }))).toEqual([1, 1, 1])
  })

  test('case 116: label keys split a deployment by revision', () => {
    const constraint = spread(hostnameKey, { matchLabelKeys: ['rev', 'unknown'] })
    const revision = (rev: string) => webPods(2, constraint, { labels: { ...labels, rev } })
    expect(podsPerPlan(solveWorld({ pods: [...revision('1'), ...revision('2')] }))).toEqual([2, 2])
  })

  test('label keys narrow the selector, however that is written', () => {
    const selectors = [
      { matchLabels: labels },
      { matchExpressions: [{ key: 'app', operator: 'In' as const, values: ['web'] }] },
    ]
    for (const labelSelector of selectors) {
      const constraint = spread(hostnameKey, { labelSelector, matchLabelKeys: ['rev'] })
      const other = aPod({ name: 'other', labels: { app: 'other', rev: '1' }, requests: { cpu: '1' } })
      const placement = solveWorld({ pods: [other, ...webPods(1, constraint, { labels: { ...labels, rev: '1' } })] })
      expect(podsPerPlan(placement)).toEqual([2])
    }
  })

  test('label keys that the API server has written into the selector split a deployment, too', () => {
    const revision = (rev: string, count: number) => {
      const labelSelector = {
        matchLabels: labels,
        matchExpressions: [{ key: 'rev', operator: 'In' as const, values: [rev] }],
      }
      const constraint = spread(hostnameKey, { matchLabelKeys: ['rev'], labelSelector })
      return webPods(count, constraint, { labels: { ...labels, rev } })
    }
    expect(podsPerPlan(solveWorld({ pods: [...revision('1', 1), ...revision('2', 3)] }))).toEqual([2, 1, 1])
  })

  test('case 120: zones and hostnames hold together over several passes', () => {
    const constraints = [byZone, spread(hostnameKey, { maxSkew: 3 })]
    let nodes: ReturnType<typeof aNode>[] = []
    const totals: number[][] = []
    for (const count of [2, 3, 5, 11]) {
      const batch = pods(count, { labels, topologySpreadConstraints: constraints })
      const placement = solveWorld({ nodes, pods: batch })
      expect(placement.failures).toEqual([])
      nodes = nodes.map((node) => ({
        ...node,
        pods: [
          ...node.pods,
          ...bound(placement.existing.find((one) => one.node.key === node.key)?.pods ?? [], node.name),
        ],
      }))
      for (const plan of placement.newNodePlans) {
        const [zone = ''] = plan.requirements.get(zoneKey)?.values ?? []
        const name = `node-${nodes.length}`
        nodes.push(aNode({ name, pool: 'np', labels: { [zoneKey]: zone }, pods: bound(plan.pods, name) }))
      }
      for (const node of nodes) expect(node.pods.length).toBeLessThanOrEqual(3)
      const perZone = ['z1', 'z2', 'z3'].map((zone) =>
        nodes.filter((node) => node.labels[zoneKey] === zone).reduce((sum, node) => sum + node.pods.length, 0),
      )
      totals.push(perZone.toSorted((a, b) => b - a))
    }
    expect(totals).toEqual([
      [1, 1, 0],
      [2, 2, 1],
      [4, 3, 3],
      [7, 7, 7],
    ])
  })
})

function bound(list: readonly PodInfo[], nodeName: string): PodInfo[] {
  return list.map((pod) => ({ ...pod, nodeName, phase: 'Running' }))
}

describe('over other labels', () => {
  test('case 112: capacity types, with an existing imbalance', () => {
    const byCapacity = spread(capacityTypeKey)
    expect(spreadOf(solveWorld({ pods: webPods(4, byCapacity) }), capacityTypeKey)).toEqual([2, 2])
    const onDemandOnly = [aPool({ requirements: [{ key: capacityTypeKey, operator: 'In', values: ['on-demand'] }] })]
    const nodes = [running('z1', 1, { labels: { [capacityTypeKey]: 'spot' } })]
    const strict = solveWorld({ pools: onDemandOnly, nodes, pods: webPods(5, byCapacity) })
    expect(podsPerDomain(strict, capacityTypeKey)).toEqual({ 'on-demand': 2 })
    expect(strict.failures).toHaveLength(3)
    const soft = spread(capacityTypeKey, { whenUnsatisfiable: 'ScheduleAnyway' })
    expect(solveWorld({ pools: onDemandOnly, nodes, pods: webPods(5, soft) }).failures).toEqual([])
  })

  test('case 113: nodes that the pod cannot use are not looked at', () => {
    const nodes = [running('z1', 1, { labels: { [capacityTypeKey]: 'on-demand' } })]
    const placement = solveWorld({
      nodes,
      pods: webPods(
        5,
        spread(capacityTypeKey),
        required(
          { key: zoneKey, operator: 'In', values: ['z2'] },
          { key: capacityTypeKey, operator: 'In', values: ['spot'] },
        ),
      ),
    })
    expect(podsPerDomain(placement, capacityTypeKey)).toEqual({ spot: 5 })
  })

  test('case 114: a made-up label can weigh pools against each other', () => {
    const pools = [
      aPool({
        name: 'spot',
        requirements: [
          { key: 'cap', operator: 'In', values: ['2', '3', '4', '5'] },
          { key: capacityTypeKey, operator: 'In', values: ['spot'] },
        ],
      }),
      aPool({
        name: 'on-demand',
        requirements: [
          { key: 'cap', operator: 'In', values: ['1'] },
          { key: capacityTypeKey, operator: 'In', values: ['on-demand'] },
        ],
      }),
    ]
    const placement = solveWorld({ pools, pods: webPods(20, spread('cap')) })
    expect(podsPerDomain(placement, 'cap')).toEqual({ 1: 4, 2: 4, 3: 4, 4: 4, 5: 4 })
    const onSpot = placement.newNodePlans.filter(({ nodePool }) => nodePool === 'spot')
    expect(onSpot.reduce((sum, plan) => sum + plan.pods.length, 0)).toBe(16)
  })
})

test('the error of a spread names its domains', () => {
  const placement = solveWorld({ pools: zonesOf('z1', 'z2'), nodes: [running('z3', 0)], pods: webPods(3, byZone) })
  expect(placement.failures[0]?.text).toBe(
    `unsatisfiable topology constraint for topology spread, key=${zoneKey} (counts = z1: 1, z2: 1, z3: 0, podDomains = ${zoneKey} Exists, nodeDomains = ${zoneKey} In [z1 z2]`,
  )
})

describe('alternatives of a node affinity in what makes a spread group the same', () => {
  const inAnyOf = (...zones: string[]): PodOptions => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: zones.map((zone) => ({
            matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }],
          })),
        },
      },
    },
  })
  const topologySpreadConstraints = [spread(capacityTypeKey)]
  const placedBeside = (first: PodOptions) => {
    const inZone = { [zoneKey]: 'z2', [capacityTypeKey]: 'on-demand' }
    const placement = solveWorld({
      pods: [
        aPod({
          name: 'a',
          labels,
          topologySpreadConstraints,
          nodeSelector: { 'kubernetes.io/arch': 'arm64' },
          ...first,
        }),
        aPod({ name: 'b', labels, nodeSelector: inZone }),
        aPod({ name: 'c', labels, topologySpreadConstraints, ...inAnyOf('z2', 'z3') }),
      ],
    })
    const plan = placement.newNodePlans.find(({ pods: placed }) => placed.some(({ name }) => name === 'c'))
    return requirementOn(plan, capacityTypeKey)
  }

  test.each([[['z8', 'z9']], [['z7', 'z8', 'z9']]])(
    'a pod with others has a group of its own, in which b counts: %s',
    (zones) => {
      expect(placedBeside(inAnyOf(...zones))).toBe(`${capacityTypeKey} In [spot]`)
    },
  )
})

test('over zones by their old name pods spread as by the new one', () => {
  const placement = solveWorld({ pods: webPods(3, spread('failure-domain.beta.kubernetes.io/zone')) })
  expect(spreadOf(placement)).toEqual([1, 1, 1])
})

describe('pods with the same spread over other nodes, one of which can go nowhere', () => {
  const inTwo = { key: zoneKey, operator: 'In' as const, values: ['z1', 'z2'] }
  const pools = [
    aPool({ name: 'a', labels: { team: 'a' }, requirements: [inTwo], limits: { cpu: '0' } }),
    aPool({ name: 'b', labels: { team: 'b' }, requirements: [inTwo] }),
  ]
  const wanting = (name: string, team: string, requests: Record<string, string>, constraint = byZone) =>
    aPod({ name, labels, nodeSelector: { team }, requests, topologySpreadConstraints: [constraint] })
  /** Where a pod of team b goes, which runs in some zones already. */
  const zonesBeside = (hopeless: readonly PodInfo[], zones: readonly string[], constraint = byZone) => {
    const nodes = zones.map((zone) => running(zone, 1, { labels: { team: 'b' } }))
    const wants = wanting('b', 'b', { cpu: '100m' }, constraint)
    const placement = solveWorld({ pools, nodes, pods: [...hopeless, wants] })
    return placement.newNodePlans.map((plan) => requirementOn(plan, zoneKey))
  }

  test('each counts on the nodes that it may go to itself', () => {
    expect(zonesBeside([], ['z1'])).toEqual([`${zoneKey} In [z2]`])
    expect(zonesBeside([wanting('a', 'a', { cpu: '1500m' })], ['z1'])).toEqual([`${zoneKey} In [z2]`])
  })

  test('each has its own minDomains', () => {
    const many = spread(zoneKey, { minDomains: 3 })
    expect(zonesBeside([], ['z1', 'z2'])).toHaveLength(1)
    expect(zonesBeside([wanting('a', 'b', { cpu: '999' })], ['z1', 'z2'], many)).toEqual([])
  })
})
