import { describe, expect, test } from 'vitest'
import { coreGates } from '../../../../src/operator/option-table.ts'
import { aFleetPool, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { actions, aFleet, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

const aStaticPool = (replicas: number, options: FleetPoolOptions = {}) => aFleetPool({ replicas, ...options })
const three = { n1: {}, n2: {}, n3: {} }
const cluster = aFleet({ pool: aStaticPool(3), machines: three })

describe('a static pool that wants more nodes', () => {
  test('launches them, which costs what the cheapest of them cost', () => {
    // m5.large costs 0.096 in us-east-1.
    const plan = planOf(cluster, [aStaticPool(5)])
    expect(plan.cost).toEqual({ before: 0.288, during: 0.48, after: 0.48 })
    expect(plan.notices).toEqual(['NodePool default launches 2 node(s) for its replicas.'])
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace', n3: 'inPlace' })
  })

  test('of the types that it allows', () => {
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['m5.xlarge'] }]
    const plan = planOf(cluster, [aStaticPool(1, { name: 'large', template: { requirements } })])
    expect(plan.cost).toEqual({ before: 0.288, during: 0.48, after: 0.48 })
  })

  test('does so when it is new', () => {
    const plan = planOf(aFleet({ machines: three }), [aStaticPool(2, { name: 'fixed' })])
    expect(plan.cost).toEqual({ before: 0.288, during: 0.48, after: 0.48 })
    expect(plan.notices).toEqual(['NodePool fixed launches 2 node(s) for its replicas.'])
  })

  test('launches no more than its limit allows, which is told', () => {
    const plan = planOf(cluster, [aStaticPool(9, { limits: { nodes: '4' } })])
    expect(plan.cost?.after).toBe(0.384)
    expect(plan.limits).toEqual([{ nodePool: 'default', message: 'limit of nodes is 4, replicas ask for 9' }])
  })

  test('counts them for its budget once they are there', () => {
    const disruption = {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty' as const,
      budgets: [{ nodes: '25%' }],
    }
    const four = aFleet({ pool: aStaticPool(4, { disruption }), machines: { ...three, n4: {} } })
    const times = (replicas: number) => waves(planOf(four, [aStaticPool(replicas, { ...labelled, disruption })]))
    expect(times(4)).toEqual(['1 12:00:00 n1', '2 12:03:00 n2', '3 12:06:00 n3', '4 12:09:00 n4'])
    // A quarter of five, rounded up, is two.
    expect(times(5)).toEqual(['1 12:00:00 n1', '2 12:03:00 n2 n3', '3 12:06:00 n4'])
  })

  test('launches none while it has all of them', () => {
    expect(planOf(cluster, [aStaticPool(3)])).toMatchObject({ cost: { after: 0.288 }, notices: [] })
  })
})

describe('a static pool that wants fewer nodes and has others replaced', () => {
  test('thinks of those that leave as gone, except for its budget', () => {
    const disruption = {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty' as const,
      budgets: [{ nodes: '3' }],
    }
    const five = { ...three, n4: {}, n5: {} }
    const plan = planOf(aFleet({ pool: aStaticPool(5, { disruption }), machines: five }), [
      aStaticPool(3, { ...labelled, disruption }),
    ])
    // Two leave and are gone after a minute. One is replaced beside them; the others when it is gone.
    expect(plan.waves.map(({ notBefore, nodes }) => `${notBefore.slice(11, 16)} ${nodes.length}`)).toEqual([
      '12:00 3',
      '12:03 2',
    ])
  })
})

describe('an operator that does not keep static pools at their replicas', () => {
  const off = { featureGates: { ...coreGates, StaticCapacity: false } }
  const notice =
    'The feature gate StaticCapacity is off: no nodes are launched or removed for the replicas of a NodePool.'

  test.each([1, 5])('makes nothing of %i instead of three', (replicas) => {
    const plan = planOf(cluster, [aStaticPool(replicas)], off)
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace', n3: 'inPlace' })
    expect(plan.cost).toEqual({ before: 0.288, during: 0.288, after: 0.288 })
    expect(plan.notices).toEqual([notice])
  })

  test('replaces nodes that drift all the same', () => {
    expect(waves(planOf(cluster, [aStaticPool(3, labelled)], off))).toEqual(['1 12:00:00 n1 n2', '2 12:03:00 n3'])
  })

  test('replaces none of a pool that has too many, since nobody scales it down', () => {
    const plan = planOf(cluster, [aStaticPool(1, labelled)], off)
    expect(plan.waves).toEqual([])
    const message =
      'NodePool default has more nodes than its 1 replicas: none of them is replaced before it has scaled down'
    expect(plan.blockedBy).toEqual(['n1', 'n2', 'n3'].map((node) => ({ node, message })))
    expect(plan.notices).toEqual([notice])
  })

  test('is not told to those who change something else', () => {
    expect(
      planOf([...cluster, aFleetPool({ name: 'other' })], [aFleetPool({ name: 'other', weight: 7 })], off).notices,
    ).toEqual([])
  })
})
