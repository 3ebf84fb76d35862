import { describe, expect, test } from 'vitest'
import { away, near, secured, term } from '../../support/affinity-terms.ts'
import { aNode, aPod, pods, zoneKey, type PodOptions } from '../../support/scheduling-world.ts'
import { podsPerPlan, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

describe('anti-affinity on a label that nodes need not have', () => {
  const rack = 'example.com/rack'
  const labelled = { labels: secured, ...away(term(rack, secured)) }
  const occupied = aNode({
    name: 'r1',
    pool: 'np',
    labels: { [rack]: 'r1' },
    pods: [aPod({ nodeName: 'r1', labels: secured })],
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
    const owner = aPod({ nodeName: 'n', ...away(term(rack, secured)) })
    const nodes = [aNode({ name: 'n', pool: 'np', pods: [owner] })]
    expect(whereabouts(solveWorld({ nodes, pods: [aPod({ name: 'p', labels: secured })] }))).toEqual({ p: 'n' })
  })
})

test.each(['constructor', 'toString', 'valueOf', 'isPrototypeOf'])(
  'a label may be called %s: who lacks it has no domain of it',
  (key) => {
    const beside = { name: 'p', labels: secured, ...near(term(key, secured)) }
    const spread: PodOptions = {
      name: 'p',
      labels: secured,
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: secured } },
      ],
    }
    const apart = { name: 'p', labels: secured, ...away(term(key, secured)) }
    const placed = (labels: Record<string, string>, options: PodOptions) => {
      const running = aPod({ nodeName: 'n', labels: secured })
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
  const running = aPod({ nodeName: 'n', labels: secured, ...away(term(oldZone, secured)) })
  const nodes = [aNode({ name: 'n', pool: 'np', labels: { [zoneKey]: 'z1' }, pods: [running] })]
  const zonesOf = (...waiting: readonly PodOptions[]) =>
    solveWorld({ nodes, pods: waiting.map((options) => aPod(options)) }).newNodePlans.map((plan) =>
      requirementOn(plan, zoneKey),
    )
  expect(zonesOf({ labels: secured })).toEqual([`${zoneKey} In [z2 z3]`])
  expect(zonesOf({ labels: { app: 'other' }, ...away(term(oldZone, secured)) })).toEqual([`${zoneKey} In [z2 z3]`])
  const close = solveWorld({ nodes, pods: [aPod({ name: 'p', ...near(term(oldZone, secured)) })] })
  expect(whereabouts(close)).toEqual({ p: 'n' })
})
