import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepare, solve } from '../../../../src/scheduling/index.ts'
import { runToEnd } from '../../../../src/model/sliced.ts'
import { improveInSlices, priceOf } from '../../../../src/scheduling/packing/improve.ts'
import { lowerBound } from '../../../../src/scheduling/packing/lower-bound.ts'
import { arbitraryWorld } from '../../../support/arbitrary-worlds.ts'
import { violations } from '../../../support/placement-checker.ts'
import { aPod, aPool, aSnapshot, aType, hostnameKey, instanceTypeKey, pods } from '../../../support/scheduling-world.ts'
import { testSettings, typesOn } from '../../../support/solving.ts'

const options = { workUnits: 60 }

test('the improver never costs more, places the same pods, breaks no constraint and repeats itself', () => {
  fc.assert(
    fc.property(arbitraryWorld, (world) => {
      const context = prepare(aSnapshot(world), testSettings, world.pods)
      const greedy = solve(context, { pods: world.pods })
      const improved = runToEnd(improveInSlices(context, { pods: world.pods }, greedy, options))
      expect(priceOf(improved) ?? 0).toBeLessThanOrEqual(priceOf(greedy) ?? 0)
      expect(improved.failures.map(({ pod }) => pod.uid)).toEqual(greedy.failures.map(({ pod }) => pod.uid))
      // Where the checker has nothing against the greedy answer it has nothing against the improved one.
      if (violations(world.pods, greedy).length === 0) expect(violations(world.pods, improved)).toEqual([])
      const again = runToEnd(improveInSlices(context, { pods: world.pods }, greedy, options))
      expect(again.newNodePlans.map(({ pods: placed }) => placed.map(({ uid }) => uid))).toEqual(
        improved.newNodePlans.map(({ pods: placed }) => placed.map(({ uid }) => uid)),
      )
    }),
    { numRuns: 40, seed: 7 },
  )
})

const dearWhenLarge = [
  aType({ name: 'large', cpu: '16100m', memory: '32Gi', pods: '100', price: 3 }),
  aType({ name: 'small', cpu: '4100m', memory: '8Gi', pods: '100', price: 0.5 }),
]

test('where large nodes are dear per unit, small ones are opened', () => {
  const pending = pods(16, { requests: { cpu: '1', memory: '1Gi' } })
  const context = prepare(aSnapshot({ types: dearWhenLarge, pods: pending }), testSettings, pending)
  const greedy = solve(context, { pods: pending })
  expect(greedy.newNodePlans.map(typesOn)).toEqual([['large']])
  const improved = runToEnd(improveInSlices(context, { pods: pending }, greedy, options))
  expect(priceOf(improved)).toBe(2)
  expect(lowerBound(context, pending).price).toBeCloseTo(2, 6)
})

/** A node of the first kind has more cores than the pods need, of the second more memory; together they fit. */
const oneSided = [
  aType({ name: 'compute', cpu: '16100m', memory: '16394Mi', pods: '100', price: 2 }),
  aType({ name: 'memory', cpu: '4100m', memory: '65546Mi', pods: '100', price: 2 }),
  aType({ name: 'both', cpu: '16100m', memory: '98314Mi', pods: '100', price: 5 }),
]

test('pods that use what others leave share a node: two cheap kinds instead of one dear kind', () => {
  const pending = [
    ...pods(16, { requests: { cpu: '1', memory: '1Gi' } }),
    ...pods(4, { requests: { cpu: '1', memory: '16Gi' } }),
  ]
  const context = prepare(aSnapshot({ types: oneSided, pods: pending }), testSettings, pending)
  const greedy = solve(context, { pods: pending })
  const improved = runToEnd(improveInSlices(context, { pods: pending }, greedy, options))
  expect(priceOf(greedy)).toBeGreaterThan(4)
  expect(priceOf(improved)).toBe(4)
})

test('a saving that is not worth more nodes is left alone', () => {
  const types = [
    aType({ name: 'large', cpu: '16100m', memory: '32Gi', pods: '100', price: 1 }),
    aType({ name: 'small', cpu: '4100m', memory: '8Gi', pods: '100', price: 0.249 }),
  ]
  const pending = pods(16, { requests: { cpu: '1', memory: '1Gi' } })
  const context = prepare(aSnapshot({ types, pods: pending }), testSettings, pending)
  const greedy = solve(context, { pods: pending })
  expect(priceOf(greedy)).toBe(1)
  expect(runToEnd(improveInSlices(context, { pods: pending }, greedy, options))).toBe(greedy)
})

test('cheaper nodes keep the choice of types that BestEffort would give up only for want of types', () => {
  const types = [...dearWhenLarge, aType({ name: 'medium', cpu: '8100m', memory: '16Gi', pods: '100', price: 1.4 })]
  const pools = [aPool({ requirements: [{ key: instanceTypeKey, operator: 'Exists', minValues: 2 }] })]
  const labels = { app: 'web' }
  // It says nothing here, but makes them pods that look at each other.
  const spread = {
    maxSkew: 20,
    topologyKey: hostnameKey,
    whenUnsatisfiable: 'DoNotSchedule' as const,
    labelSelector: { matchLabels: labels },
  }
  const requests = { cpu: '1', memory: '1Gi' }
  const pending = pods(16, { labels, requests, topologySpreadConstraints: [spread] })
  const settings = { ...testSettings, minValuesPolicy: 'BestEffort' as const }
  const context = prepare(aSnapshot({ types, pools, pods: pending }), settings, pending)
  const greedy = solve(context, { pods: pending })
  const improved = runToEnd(improveInSlices(context, { pods: pending }, greedy, options))
  expect([priceOf(greedy), priceOf(improved)]).toEqual([2.8, 2])
  expect(improved.newNodePlans.map(typesOn)).toEqual(Array(4).fill(['medium', 'small']))
  expect(improved.newNodePlans.map(({ minValuesRelaxed }) => minValuesRelaxed)).not.toContain(true)
})

test('no workUnits: the greedy answer itself', () => {
  const pending = [aPod({ requests: { cpu: '1' } })]
  const context = prepare(aSnapshot({ types: dearWhenLarge, pods: pending }), testSettings, pending)
  const greedy = solve(context, { pods: pending })
  expect(runToEnd(improveInSlices(context, { pods: pending }, greedy, { workUnits: 0 }))).toBe(greedy)
})
