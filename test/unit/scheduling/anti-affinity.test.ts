import { describe, expect, test } from 'vitest'
import type { PodAffinityTerm } from '../../../src/api/kubernetes.ts'
import { away, cpu, inZone, preferAway, secured, term } from '../../support/affinity-terms.ts'
import { aNode, aPod, aPool, hostnameKey, pods, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { podsPerPlan, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

describe('anti-affinity', () => {
  test('case 132: a pod and what it avoids get two nodes in either order', () => {
    for (const [first, second] of [
      ['2', '1'],
      ['1', '2'],
    ] as const) {
      const placement = solveWorld({
        pods: [aPod({ labels: secured, ...cpu(first) }), aPod({ ...away(term(hostnameKey, secured)), ...cpu(second) })],
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
    const moved = aPod({ name: 'moved', labels: secured, nodeName: 'n', ...away(term(zoneKey, secured)) })
    const placement = solveWorld(
      {
        pools: [aPool({ requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] })],
        nodes: [aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [moved] })],
      },
      { excludedNodes: new Set(['test:///n']), also: [moved] },
    )
    expect(whereabouts(placement)).toEqual({ moved: 'new-0' })
  })

  test('pods of two namespaces keep away from their own, though both say it in the same words', () => {
    const apart = { labels: secured, ...away(term(hostnameKey, secured)) }
    const waiting = ['a', 'b'].flatMap((namespace) => pods(2, { ...apart, namespace }))
    const placement = solveWorld({ pods: waiting })
    const onEach = placement.newNodePlans.map((plan) => plan.pods.map(({ namespace }) => namespace).toSorted())
    expect(onEach).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  test('a preference to be away opens a node, unless preferences are ignored', () => {
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [aPod({ nodeName: 'n', labels: secured })] })]
    const shy = () => [aPod({ name: 'shy', ...preferAway(term(hostnameKey, secured)) })]
    expect(whereabouts(solveWorld({ nodes, pods: shy() }))).toEqual({ shy: 'new-0' })
    const ignoring = solveWorld({ nodes, pods: shy() }, { settings: { preferencePolicy: 'Ignore' } })
    expect(whereabouts(ignoring)).toEqual({ shy: 'n' })
  })

  test('case 133: occupied zones leave no place', () => {
    const targets = ['z1', 'z2', 'z3'].map((zone) => aPod({ labels: secured, ...cpu('2'), ...inZone(zone) }))
    expect(
      solveWorld({ pods: [...targets, aPod({ ...away(term(zoneKey, secured)), ...cpu('1') })] }).failures,
    ).toHaveLength(1)
  })

  test('case 133: a target that could still be anywhere is everywhere', () => {
    const placement = solveWorld({
      pods: [aPod({ labels: secured, ...cpu('2') }), aPod({ ...away(term(zoneKey, secured)), ...cpu('1') })],
    })
    expect(placement.newNodePlans).toHaveLength(1)
    expect(placement.failures).toHaveLength(1)
  })

  test('case 134: those who avoid a pod keep it out, required terms only', () => {
    const avoiding = (make: (...terms: PodAffinityTerm[]) => PodOptions) =>
      ['z1', 'z2', 'z3'].map((zone) => aPod({ ...make(term(zoneKey, secured)), ...cpu('2'), ...inZone(zone) }))
    expect(solveWorld({ pods: [...avoiding(away), aPod({ labels: secured })] }).failures).toHaveLength(1)
    expect(solveWorld({ pods: [...avoiding(preferAway), aPod({ labels: secured })] }).failures).toEqual([])
  })

  test('case 134: running pods keep it out as well', () => {
    const nodes = ['z1', 'z2', 'z3'].map((zone) =>
      aNode({
        name: zone,
        pool: 'np',
        labels: { [zoneKey]: zone },
        pods: [aPod({ ...away(term(zoneKey, secured)), nodeName: zone })],
      }),
    )
    expect(solveWorld({ nodes, pods: [aPod({ labels: secured })] }).failures).toHaveLength(1)
  })

  test('case 135: a pod avoided by one whose zone is open waits for the next pass', () => {
    const owner = aPod({ ...away(term(zoneKey, secured)), ...cpu('2') })
    const first = solveWorld({ pods: [owner, aPod({ labels: secured })] })
    expect(first.failures).toHaveLength(1)
    const node = aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [{ ...owner, nodeName: 'n' }] })
    const second = solveWorld({ nodes: [node], pods: [aPod({ labels: secured })] })
    expect(requirementOn(second.newNodePlans[0], zoneKey)).toBe(`${zoneKey} In [z2 z3]`)
  })

  test('case 136: pods that avoid themselves by zone come one per pass', () => {
    const occupied: ReturnType<typeof aNode>[] = []
    for (const zone of ['z1', 'z2', 'z3']) {
      const batch = pods(3 - occupied.length, { labels: secured, ...away(term(zoneKey, secured)) })
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
      solveWorld({ nodes: occupied, pods: pods(1, { labels: secured, ...away(term(zoneKey, secured)) }) }).failures,
    ).toHaveLength(1)
  })

  test('case 137: a preference to avoid full zones stops nobody', () => {
    const targets = ['z1', 'z2', 'z3'].map((zone) => aPod({ labels: secured, ...cpu('2'), ...inZone(zone) }))
    expect(solveWorld({ pods: [...targets, ...pods(10, preferAway(term(zoneKey, secured)))] }).failures).toEqual([])
  })

  test('case 138: wishing to sit together does not break a spread', () => {
    const wishing: PodOptions = {
      labels: { app: 'web' },
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(hostnameKey, secured) }],
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
    const placement = solveWorld({ pods: [aPod({ labels: secured, ...cpu('2') }), ...pods(5, wishing)] })
    expect(placement.failures).toEqual([])
    for (const plan of placement.newNodePlans) {
      expect(plan.pods.filter((pod) => pod.labels['app'] === 'web').length).toBeLessThanOrEqual(1)
    }
  })

  test.each([3, 60])('of %d waiting pods that keep each other away no two go to one node', (count) => {
    const nodes = Array.from({ length: count }, (_, index) => aNode({ name: `n-${index}`, pool: 'np' }))
    const waiting = pods(count + 2, { labels: secured, ...away(term(hostnameKey, secured)) })
    const places = Object.values(whereabouts(solveWorld({ nodes, pods: waiting })))
    expect(new Set(places).size).toBe(count + 2)
    expect(places.filter((place) => place.startsWith('new-'))).toHaveLength(2)
  })

  test.each([3, 60])(
    'of %d running pods that keep others away, only one that moves leaves its node to them',
    (count) => {
      const owners = Array.from({ length: count }, (_, index) =>
        aPod({ name: `owner-${index}`, nodeName: `n-${index}`, ...away(term(hostnameKey, secured)), ...cpu('1') }),
      )
      const nodes = owners.map((owner, index) =>
        aNode({ name: `n-${index}`, pool: 'np', allocatable: { cpu: '4', pods: '10' }, pods: [owner] }),
      )
      const avoided = aPod({ name: 'avoided', labels: secured, ...cpu('2') })
      const places = whereabouts(solveWorld({ nodes, pods: [...owners.slice(1, 2), avoided] }))
      expect(places['avoided']).toBe('n-1')
      expect(places['owner-1']).toBe('n-0')
      expect(whereabouts(solveWorld({ nodes, pods: [avoided] }))['avoided']).toBe('new-0')
    },
  )

  describe('with label keys, as a manifest has them that no API server has seen,', () => {
    const tenant = (value: string) => ({ tenant: value })
    const exclusive = away(
      term(
        hostnameKey,
        {},
        {
          labelSelector: { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] },
          mismatchLabelKeys: ['tenant', 'unknown'],
        },
      ),
    )

    test('pods of one tenant share nodes, and no node with another', () => {
      const waiting = ['a', 'b', 'a', 'b'].map((value) => aPod({ labels: tenant(value), ...exclusive }))
      expect(podsPerPlan(solveWorld({ pods: waiting }))).toEqual([2, 2])
    })

    test('those that run keep away whom each of them means', () => {
      const nodes = ['a', 'b'].map((value) =>
        aNode({ name: value, pool: 'np', pods: [aPod({ nodeName: value, labels: tenant(value), ...exclusive })] }),
      )
      const waiting = ['a', 'b', 'c'].map((value) => aPod({ name: `of-${value}`, labels: tenant(value) }))
      expect(whereabouts(solveWorld({ nodes, pods: waiting }))).toEqual({ 'of-a': 'a', 'of-b': 'b', 'of-c': 'new-0' })
    })

    test('pods of one revision keep apart, and share nodes with another', () => {
      const apart = away(term(hostnameKey, secured, { matchLabelKeys: ['revision'] }))
      const waiting = ['1', '1', '2', '2'].map((revision) => aPod({ labels: { ...secured, revision }, ...apart }))
      expect(podsPerPlan(solveWorld({ pods: waiting }))).toEqual([2, 2])
    })

    test('what the API server has added to the selector is not added again', () => {
      const of = (revision: string) =>
        away(
          term(hostnameKey, secured, {
            matchLabelKeys: ['revision'],
            labelSelector: {
              matchLabels: secured,
              matchExpressions: [{ key: 'revision', operator: 'In', values: [revision] }],
            },
          }),
        )
      const waiting = ['1', '1', '2', '2'].map((revision) =>
        aPod({ labels: { ...secured, revision }, ...of(revision) }),
      )
      expect(podsPerPlan(solveWorld({ pods: waiting }))).toEqual([2, 2])
    })
  })

  test('case 139: a zone that only tainted pools have is unknown to those who do not tolerate the taint', () => {
    const pools = [
      aPool({ name: 'a', requirements: [{ key: zoneKey, operator: 'In', values: ['z1'] }] }),
      aPool({
        name: 'b',
        requirements: [{ key: zoneKey, operator: 'In', values: ['z2'] }],
        taints: [{ key: 'b', effect: 'NoSchedule' }],
      }),
    ]
    const owner = aPod({ name: 'owner', ...away(term(zoneKey, secured)), ...cpu('2') })
    const avoided = aPod({
      name: 'avoided',
      labels: secured,
      tolerations: [{ key: 'b', operator: 'Exists' }],
      nodeSelector: { [zoneKey]: 'z2' },
    })
    const places = whereabouts(solveWorld({ pools, pods: [owner, avoided] }))
    expect(places['owner']).toBe('new-0')
    expect(places['avoided']).toContain('unsatisfiable topology constraint for pod anti-affinity')
  })
})
