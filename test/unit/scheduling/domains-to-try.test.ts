import { describe, expect, test } from 'vitest'
import type { TopologySpreadConstraint } from '../../../src/api/kubernetes.ts'
import { away, near, secured, term } from '../../support/affinity-terms.ts'
import type { StateNode } from '../../../src/model/snapshot.ts'
import { aClaim, aStorageClass } from '../../support/scheduling-objects.ts'
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  capacityTypeKey,
  instanceTypeKey,
  type PodOptions,
  pods,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { podsPerDomain, podsPerPlan, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

/** Where several domains would do for a pod, and only in some of them a node can be made for it. */

const labels = { app: 'web' }
const matchLabels = labels

function spread(topologyKey: string, maxSkew = 1): TopologySpreadConstraint {
  return { maxSkew, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels } }
}

const byZone = { labels, topologySpreadConstraints: [spread(zoneKey)] }
const together = { labels, ...near(term(zoneKey, labels)) }

const offered = (...offerings: readonly [zone: string, capacityType: string][]) => ({
  offerings: ['z1', 'z2', 'z3'].flatMap((zone) =>
    ['on-demand', 'spot'].map((capacityType) =>
      anOffering(zone, capacityType, 1, {
        available: offerings.some(([z, type]) => z === zone && type === capacityType),
      }),
    ),
  ),
})
const types = [
  aType({ name: 'plain', cpu: '4', memory: '4Gi', ...offered(['z2', 'on-demand'], ['z3', 'on-demand']) }),
  aType({ name: 'gpu', cpu: '4', memory: '4Gi', resources: { gpu: '1' }, ...offered(['z3', 'on-demand']) }),
]
const gpu: PodOptions = { requests: { gpu: '1' } }

/** A full node on which a pod runs. */
const occupied = (zone: string, pod: PodOptions, label = zoneKey) => {
  const name = `node-${zone}`
  return aNode({
    name,
    pool: 'np',
    labels: { [label]: zone },
    allocatable: { pods: '1' },
    pods: [aPod({ ...pod, nodeName: name })],
  })
}

describe('a zone in which no node can be made', () => {
  test('is not the one that pods wait for when they spread', () => {
    const placement = solveWorld({ types, pods: pods(3, byZone) })
    expect(podsPerDomain(placement)).toEqual({ z2: 1, z3: 1 })
    expect(placement.failures).toHaveLength(1)
    expect(podsPerDomain(solveWorld({ types, pods: [aPod({ ...byZone, ...gpu })] }))).toEqual({ z3: 1 })
  })

  test('nor when they want to be together', () => {
    expect(podsPerDomain(solveWorld({ types, pods: pods(3, together) }))).toEqual({ z2: 3 })
    expect(podsPerDomain(solveWorld({ types, pods: [aPod({ ...together, ...gpu })] }))).toEqual({ z3: 1 })
  })

  test('nor when the capacity type is open, too', () => {
    const spotInZ3 = [aType({ name: 'spot', cpu: '4', memory: '4Gi', ...offered(['z3', 'spot']) })]
    const constraints = [spread(zoneKey), spread(capacityTypeKey)]
    const placement = solveWorld({ types: spotInZ3, pods: [aPod({ labels, topologySpreadConstraints: constraints })] })
    expect(podsPerDomain(placement)).toEqual({ z3: 1 })
    expect(podsPerDomain(placement, capacityTypeKey)).toEqual({ spot: 1 })
  })

  test('nor when the instance type is open, too, of which there are a thousand others', () => {
    const others = Array.from({ length: 1_000 }, (_, i) =>
      aType({ name: `a-${i}`, cpu: '4', memory: '4Gi', offerings: [anOffering('z1', 'on-demand', 1)] }),
    )
    const topologySpreadConstraints = [spread(zoneKey), spread(instanceTypeKey)]
    const waiting = aPod({ labels, topologySpreadConstraints, ...gpu })
    expect(podsPerDomain(solveWorld({ types: [...others, ...types], pods: [waiting] }))).toEqual({ z3: 1 })
  })

  test('does not keep a pod from a planned node that can only come up in another', () => {
    const placement = solveWorld({ types, pods: [aPod({ ...gpu, labels: secured }), aPod(byZone)] })
    expect(podsPerPlan(placement)).toEqual([2])
    expect(podsPerDomain(placement)).toEqual({ z3: 2 })
  })

  test('does not make a volume go to its next place', () => {
    const volumes = {
      claims: new Map([['default/c', aClaim({ name: 'c', storageClassName: 'sc' })]]),
      storageClasses: new Map([['sc', aStorageClass('sc', { zones: [['z1', 'z2'], ['z3']] })]]),
    }
    const mounting = { volumes: [{ name: 'c', persistentVolumeClaim: { claimName: 'c' } }] }
    expect(podsPerDomain(solveWorld({ types, volumes, pods: [aPod({ ...byZone, ...mounting })] }))).toEqual({ z2: 1 })
  })

  test('is still the one that counts: a zone that is ahead is not taken for it', () => {
    const nodes = ['z2', 'z3'].map((zone) => occupied(zone, { labels }))
    expect(solveWorld({ types, nodes, pods: [aPod(byZone)] }).failures).toHaveLength(1)
  })
})

test('pods go on from zone to zone within their skew, the emptiest first, while one has no capacity', () => {
  const within2 = { labels, topologySpreadConstraints: [spread(zoneKey, 2)], requests: { cpu: '3' } }
  const placement = solveWorld({ types, pods: pods(5, within2) })
  expect(podsPerPlan(placement)).toEqual([1, 1, 1, 1])
  expect(podsPerDomain(placement)).toEqual({ z2: 2, z3: 2 })
  expect(placement.failures).toHaveLength(1)
  const nodes = [occupied('z2', { labels })]
  expect(podsPerDomain(solveWorld({ types, nodes, pods: pods(2, within2) }))).toEqual({ z2: 1, z3: 1 })
})

describe('a zone that another term rules out', () => {
  const place = (running: PodOptions, waiting: PodOptions, zone = 'z1') =>
    requirementOn(solveWorld({ nodes: [occupied(zone, running)], pods: [aPod(waiting)] }).newNodePlans[0], zoneKey)

  test('is not chosen to spread over', () => {
    expect(place({ labels: secured }, { ...byZone, ...away(term(zoneKey, secured)) })).toBe(`${zoneKey} In [z2]`)
    expect(place({ labels: secured }, { ...byZone, ...near(term(zoneKey, secured)) }, 'z3')).toBe(`${zoneKey} In [z3]`)
    expect(place(away(term(zoneKey, labels)), byZone)).toBe(`${zoneKey} In [z2]`)
  })

  test('is not chosen by the first of those who want to be together', () => {
    const affinity = { ...together.affinity, ...away(term(zoneKey, secured)).affinity }
    expect(place({ labels: secured }, { labels, affinity })).toBe(`${zoneKey} In [z2]`)
  })

  test('leaves no place where the others are ahead', () => {
    const nodes = [occupied('z1', { labels: secured }), ...['z2', 'z3'].map((zone) => occupied(zone, { labels }))]
    const waiting = aPod({ name: 'p', ...byZone, ...away(term(zoneKey, secured)) })
    expect(whereabouts(solveWorld({ nodes, pods: [waiting] }))['p']).toContain(`${zoneKey} DoesNotExist`)
  })
})

test('a pod that must be in different racks at once is not put where there are none', () => {
  const rack = 'example.com/rack'
  const requirements = [{ key: rack, operator: 'In' as const, values: ['a', 'b'] }]
  const pools = [aPool({ name: 'racks', requirements, limits: { cpu: '0' } }), aPool({ name: 'bare' })]
  const ahead = occupied('b', { labels }, rack)
  const target = { ...occupied('b', { labels: secured }, rack), name: 'target', key: 'target' }
  const topologySpreadConstraints = [spread(rack)]
  const waiting = aPod({ name: 'p', labels, topologySpreadConstraints, ...near(term(rack, secured)) })
  const place = (...nodes: readonly StateNode[]) => whereabouts(solveWorld({ pools, nodes, pods: [waiting] }))['p']
  expect(place(ahead, target)).toContain(`key ${rack}, ${rack} In [b] not in ${rack} In [a]`)
  expect(place(target)).toMatch(/^all available instance types exceed limits for nodepool \(NodePool=racks\); /)
})
