import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { away, cpu, inZone, near, secured, term } from '../../support/affinity-terms.ts'
import { aNode, aPod, aPool, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

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
    ['together', near(term(zoneKey, secured))],
    ['apart', away(term(zoneKey, secured))],
  ])('find the zones of a soft pool in the end where they want to be %s', (_, terms) => {
    const pools = [zones('a', 'PreferNoSchedule', 'z1', 'z2')]
    expect(solveWorld({ pools, pods: [aPod({ labels: secured, ...terms })] }).failures).toEqual([])
  })

  test('are kept by one that runs from its zone of a soft pool only', () => {
    const pools = [zones('a', 'PreferNoSchedule', 'z1', 'z2')]
    const apart = { labels: secured, ...away(term(zoneKey, secured)) }
    for (const waiting of [aPod(apart), aPod({ labels: secured })]) {
      const [plan] = solveWorld({ pools, nodes: [inZ1(apart)], pods: [waiting] }).newNodePlans
      expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z2]`)
    }
  })

  test('keep away from others by the same label in the zones that each of them can use', () => {
    const pools = [zones('a', undefined, 'z1', 'z2'), zones('b', 'NoSchedule', 'z3')]
    const avoids = away(term(zoneKey, secured))
    const places = whereabouts(
      solveWorld({
        pools,
        nodes: [inZ1({ labels: secured })],
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
    const together = { labels: secured, ...near(term(zoneKey, secured)) }
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
      aPod({ nodeName: 'n', ...away(term(zoneKey, secured)) }),
      aPod({ nodeName: 'n', ...away(term(zoneKey, secured)), ...tolerant }),
    ]
    for (const running of [owners, owners.toReversed()]) {
      const node = { ...inZ1({}), pods: running }
      const [plan] = solveWorld({ pools, nodes: [node], pods: [aPod({ labels: secured, ...tolerant })] }).newNodePlans
      expect(requirementOn(plan, zoneKey)).toBe(`${zoneKey} In [z3]`)
    }
  })

  test('are selected, and may go where one that was planned could go as well as one that runs', () => {
    const pools = [zones('b', 'NoSchedule', 'z1', 'z3')]
    const owner = aPod({ name: 'owner', ...away(term(zoneKey, secured)), ...tolerant, ...cpu('2'), ...inZone('z1') })
    const avoided = aPod({ name: 'avoided', labels: secured, ...tolerant })
    const running = inZ1(away(term(zoneKey, secured)))
    const places = whereabouts(solveWorld({ pools, nodes: [running], pods: [owner, avoided] }))
    expect(places).toEqual({ owner: 'new-0', avoided: 'new-1' })
  })
})
