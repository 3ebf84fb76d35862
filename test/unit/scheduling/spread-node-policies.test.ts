import { describe, expect, test } from 'vitest'
import type { TopologySpreadConstraint } from '../../../src/api/kubernetes.ts'
import type { StateNode } from '../../../src/model/snapshot.ts'
import { aNode, aPod, aPool, capacityTypeKey, hostnameKey, zoneKey } from '../../support/scheduling-world.ts'
import { podsPerDomain, solveWorld, spreadOf } from '../../support/solving.ts'
import {
  labels,
  spread,
  webPods,
  byZone,
  inOneOf,
  inZones,
  zonesOf,
  running,
  required,
} from '../../support/spread-world.ts'

describe('which nodes count', () => {
  const full = (value: string, rest: Partial<Parameters<typeof aNode>[0]> = {}) =>
    aNode({ name: value, allocatable: { pods: '0' }, labels: { group: value }, ...rest })
  const pools = [aPool({ labels: { group: 'baz' } })]

  test('case 117: tainted nodes hold the others back unless taints are honoured', () => {
    const taints = [{ key: 'taint', effect: 'NoSchedule' } as const]
    const nodes = [full('foo', { taints }), full('bar', { taints })]
    const ignoring = solveWorld({ pools, nodes, pods: webPods(5, spread('group')) })
    expect(podsPerDomain(ignoring, 'group')).toEqual({ baz: 1 })
    const honouring = solveWorld({ pools, nodes, pods: webPods(5, spread('group', { nodeTaintsPolicy: 'Honor' })) })
    expect(podsPerDomain(honouring, 'group')).toEqual({ baz: 5 })
  })

  test('a soft taint excludes no node, whatever the policy: kube-scheduler counts what runs there', () => {
    const taints = [{ key: 'soft', effect: 'PreferNoSchedule' as const }]
    const nodes = [running('z1', 3)].map((node) => ({
      ...node,
      taints,
      ...(node.node === undefined ? {} : { node: { ...node.node, spec: { ...node.node.spec, taints } } }),
    }))
    const honouring = webPods(1, spread(zoneKey, { nodeTaintsPolicy: 'Honor' }))
    const placement = solveWorld({ pools: zonesOf('z1', 'z2'), nodes, pods: honouring })
    expect(podsPerDomain(placement)).toEqual({ z2: 1 })
  })

  test.each([
    ['selector', { nodeSelector: { wanted: 'yes' } }],
    ['required affinity', required({ key: 'wanted', operator: 'In', values: ['yes'] })],
  ])('case 118: nodes that the %s excludes hold the others back unless it is ignored', (_, wanting) => {
    const wantedPools = [aPool({ labels: { group: 'baz', wanted: 'yes' } })]
    const nodes = [full('foo'), full('bar')]
    const ignoring = solveWorld({
      pools: wantedPools,
      nodes,
      pods: webPods(5, spread('group', { nodeAffinityPolicy: 'Ignore' }), wanting),
    })
    expect(podsPerDomain(ignoring, 'group')).toEqual({ baz: 1 })
    const honouring = solveWorld({ pools: wantedPools, nodes, pods: webPods(5, spread('group'), wanting) })
    expect(podsPerDomain(honouring, 'group')).toEqual({ baz: 5 })
  })

  test('nodes without a label of which pods want some value, but not each, hold the others back as little', () => {
    const ofTeam = [aPool({ labels: { group: 'baz', team: 'y' } })]
    const wanting = required({ key: 'team', operator: 'Exists' }, { key: 'team', operator: 'NotIn', values: ['x'] })
    const placed = (...nodes: readonly StateNode[]) =>
      podsPerDomain(solveWorld({ pools: ofTeam, nodes, pods: webPods(4, spread('group'), wanting) }), 'group')
    expect(placed(full('foo'))).toEqual({ baz: 4 })
    expect(placed(full('foo', { labels: { group: 'foo', team: 'x' } }))).toEqual({ baz: 4 })
    expect(placed(full('foo', { labels: { group: 'foo', team: 'z' } }))).toEqual({ baz: 1 })
  })

  test('zones in which the pod may not be hold it back where its affinity is ignored, once a node is there', () => {
    const pools = zonesOf('z1', 'z2', 'z3')
    const nodes = [running('z1', 1), running('z2', 1)]
    const zonesWith = (constraint: TopologySpreadConstraint, ...others: readonly StateNode[]) =>
      podsPerDomain(
        solveWorld({ pools, nodes: [...nodes, ...others], pods: webPods(1, constraint, inZones('z1', 'z2')) }),
      )
    const ignoring = spread(zoneKey, { nodeAffinityPolicy: 'Ignore' })
    expect(zonesWith(byZone, running('z3', 0))).toEqual({ z1: 1 })
    expect(zonesWith(ignoring)).toEqual({ z1: 1 })
    expect(zonesWith(ignoring, running('z3', 0))).toEqual({})
    expect(zonesWith(ignoring, running('z3', 1))).toEqual({ z1: 1 })
    const three = spread(zoneKey, { nodeAffinityPolicy: 'Ignore', minDomains: 3 })
    expect(zonesWith(three)).toEqual({})
    expect(zonesWith(three, running('z3', 1))).toEqual({ z1: 1 })
  })

  describe('for a pod with two constraints', () => {
    const twice = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint[] => [
      byZone,
      { ...spread(capacityTypeKey), maxSkew: 10, ...rest },
    ]
    /** Of a managed node group, say, which has zones but not the label of capacity types. */
    const foreign = running('z1', 3, { name: 'foreign' })
    const ours = [
      running('z1', 0, { labels: { [capacityTypeKey]: 'spot' } }),
      running('z2', 1, { labels: { [capacityTypeKey]: 'spot' } }),
    ]
    const zonesWith = (topologySpreadConstraints: TopologySpreadConstraint[], ...nodes: readonly StateNode[]) =>
      podsPerDomain(
        solveWorld({ pools: zonesOf('z1', 'z2'), nodes, pods: webPods(1, byZone, { topologySpreadConstraints }) }),
      )

    test('those that have both labels: kube-scheduler passes over the others', () => {
      expect(zonesWith([byZone], foreign, ...ours)).toEqual({ z2: 1 })
      expect(zonesWith(twice(), foreign, ...ours)).toEqual({ z1: 1 })
    })

    test('both labels of constraints that have to be met, hostnames aside', () => {
      expect(zonesWith(twice({ whenUnsatisfiable: 'ScheduleAnyway' }), foreign, ...ours)).toEqual({ z2: 1 })
      expect(zonesWith(twice({ topologyKey: hostnameKey }), foreign, ...ours)).toEqual({ z2: 1 })
    })

    test('new ones, of which the label is only not known yet', () => {
      const placement = solveWorld({
        pools: zonesOf('z1', 'z2'),
        pods: [
          aPod({ labels, requests: { cpu: '3' }, nodeSelector: { [zoneKey]: 'z1' } }),
          ...webPods(1, byZone, { topologySpreadConstraints: twice(), requests: { cpu: '2' } }),
        ],
      })
      expect(podsPerDomain(placement)).toEqual({ z1: 1, z2: 1 })
    })

    test('new ones of a pool that has the label, and none of the others', () => {
      const first = aPod({ labels, requests: { cpu: '3' }, nodeSelector: { [zoneKey]: 'z1' } })
      const pod = webPods(1, byZone, {
        topologySpreadConstraints: [spread('group', { maxSkew: 10 }), byZone],
        requests: { cpu: '2' },
      })
      const zones = { requirements: inOneOf('z1', 'z2') }
      const placed = (group: string) => {
        const pools = [
          aPool({ name: 'first', weight: 2, ...zones, ...(group === '' ? {} : { labels: { group } }) }),
          aPool({ name: 'second', weight: 1, ...zones, labels: { group: 'b' } }),
        ]
        return podsPerDomain(solveWorld({ pools, pods: [first, ...pod] }))
      }
      expect(placed('a')).toEqual({ z1: 1, z2: 1 })
      expect(placed('')).toEqual({ z1: 2 })
    })
  })

  test('each policy is about its own: taints or what the pod selects', () => {
    const wantedPools = [aPool({ labels: { group: 'baz', wanted: 'yes' } })]
    const tainted = full('foo', {
      labels: { group: 'foo', wanted: 'yes' },
      taints: [{ key: 'taint', effect: 'NoSchedule' }],
    })
    const unwanted = full('bar')
    const placed = (node: StateNode, rest: Partial<TopologySpreadConstraint>) => {
      const waiting = webPods(3, spread('group', rest), { nodeSelector: { wanted: 'yes' } })
      return podsPerDomain(solveWorld({ pools: wantedPools, nodes: [node], pods: waiting }), 'group')
    }
    expect(placed(tainted, { nodeTaintsPolicy: 'Ignore' })).toEqual({ baz: 1 })
    expect(placed(tainted, { nodeTaintsPolicy: 'Honor' })).toEqual({ baz: 3 })
    expect(placed(unwanted, { nodeTaintsPolicy: 'Honor' })).toEqual({ baz: 3 })
    expect(placed(unwanted, { nodeTaintsPolicy: 'Honor', nodeAffinityPolicy: 'Ignore' })).toEqual({ baz: 1 })
  })

  test('the zones of a pool whose taint pods do not tolerate hold them back unless taints are honoured, be it soft', () => {
    for (const effect of ['NoSchedule', 'PreferNoSchedule'] as const) {
      const tainted = { name: 'tainted', taints: [{ key: 'taint', effect }], weight: 1 }
      const pools = [...zonesOf('z1', 'z2'), aPool({ ...tainted, requirements: inOneOf('z3'), limits: { cpu: '0' } })]
      const zones = (constraint: TopologySpreadConstraint) =>
        spreadOf(solveWorld({ pools, pods: webPods(4, constraint) }))
      expect(zones(byZone)).toEqual([1, 1])
      expect(zones(spread(zoneKey, { nodeTaintsPolicy: 'Honor' }))).toEqual([2, 2])
    }
  })

  test('a zone is one to spread over only while a node is there that stays', () => {
    const pools = zonesOf('z1', 'z2')
    const waiting = () => webPods(4, byZone)
    const [a, b] = ['a', 'b'].map((name) => running('z3', 0, { name }))
    if (a === undefined || b === undefined) throw new Error('two nodes are made')
    const taken = (...nodes: readonly string[]) => ({ excludedNodes: new Set(nodes.map((name) => `test:///${name}`)) })
    expect(spreadOf(solveWorld({ pools, nodes: [a], pods: waiting() }))).toEqual([1, 1])
    expect(spreadOf(solveWorld({ pools, nodes: [{ ...a, markedForDeletion: true }], pods: waiting() }))).toEqual([2, 2])
    expect(spreadOf(solveWorld({ pools, nodes: [a, b], pods: waiting() }, taken('a')))).toEqual([1, 1])
    expect(spreadOf(solveWorld({ pools, nodes: [a, b], pods: waiting() }, taken('a', 'b')))).toEqual([2, 2])
  })

  test('nor one that only pods have which leave it, while nodes that do not count change nothing', () => {
    const pools = zonesOf('z1', 'z2')
    const taints = [{ key: 'taint', effect: 'NoSchedule' } as const]
    const moved = webPods(1, byZone, { nodeName: 'going' })
    const going = { ...running('z3', 0, { name: 'going' }), pods: moved }
    const spreadWith = (nodes: readonly StateNode[], constraint: TopologySpreadConstraint) =>
      spreadOf(
        solveWorld(
          { pools, nodes, pods: webPods(3, constraint) },
          { excludedNodes: new Set(['test:///going']), also: moved },
        ),
      )
    expect(spreadWith([{ ...going, markedForDeletion: true }], byZone)).toEqual([2, 2])
    const honouring = spread(zoneKey, { nodeTaintsPolicy: 'Honor' })
    const tainted = aNode({ name: 'going', pool: 'np', labels: { [zoneKey]: 'z3' }, taints, pods: moved })
    expect(spreadWith([tainted, running('z3', 0)], honouring)).toEqual([1, 1])
    expect(spreadWith([tainted, running('z3', 1)], honouring)).toEqual([2, 2])
  })

  test('case 119: domains belong to those who tolerate the taints of their pools', () => {
    const pool = (name: string, value: string, groups: string[]) =>
      aPool({
        name,
        taints: [{ key: 't', value, effect: 'NoSchedule' }],
        requirements: [{ key: 'group', operator: 'In', values: groups }],
      })
    const constraint = spread('group', { nodeTaintsPolicy: 'Honor' })
    const tolerating = (count: number, value: string) =>
      webPods(count, constraint, { tolerations: [{ key: 't', operator: 'Equal', value, effect: 'NoSchedule' }] })
    const placement = solveWorld({
      pools: [pool('zero', '0', ['foo', 'bar']), pool('one', '1', ['foo', 'baz'])],
      pods: [...tolerating(2, '0'), ...tolerating(4, '1')],
    })
    expect(podsPerDomain(placement, 'group')).toEqual({ foo: 3, baz: 2, bar: 1 })
  })
})
