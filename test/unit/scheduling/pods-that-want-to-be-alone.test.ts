import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { away, cpu } from '../../support/affinity-terms.ts'
import { aNode, aPod, aPool, pods, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { planShapes, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

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

  test('keeps nobody from a node in a zone that no pool has', () => {
    const owner = aPod({ name: 'owner', nodeSelector: { 'example.com/nowhere': 'x' }, ...alone(zoneKey) })
    const nodes = [aNode({ name: 'own', labels: { [zoneKey]: 'z9' } })]
    expect(whereabouts(solveWorld({ nodes, pods: [owner, aPod({ name: 'other' })] }))['other']).toBe('own')
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
