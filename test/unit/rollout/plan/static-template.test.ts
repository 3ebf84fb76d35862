import { describe, expect, test } from 'vitest'
import { aFleetPool, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { actions, aFleet } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

/*
 * The operator replaces nodes of a static pool without asking where their pods will run: what its new nodes do not take, and nobody else
 * does, waits from then on.
 */

const aStaticPool = (options: FleetPoolOptions = {}) => aFleetPool({ replicas: 2, ...options })
const machines = { n1: { type: 'm5.xlarge' }, n2: { type: 'm5.xlarge' } }
const large = [{ cpu: '3' }]
const fleet = aFleet({
  pool: aStaticPool(),
  machines: { n1: { ...machines.n1, pods: large }, n2: { ...machines.n2, pods: large } },
})

const ofType = (type: string): FleetPoolOptions => ({
  template: { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] }] },
})
const tainted: FleetPoolOptions = {
  template: { ...ofType('m5.xlarge').template, taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] },
}

describe.each([
  ['each by itself', undefined],
  ['in groups', 0],
])('nodes of a static pool, judged %s', (_how, exactMax) => {
  const options = exactMax === undefined ? {} : { exactMax }

  test.each([
    ['a taint', tainted],
    ['a smaller type', ofType('m5.large')],
  ])('%s of the template leaves their pods without a place, and that is told', (_what, change) => {
    const plan = planOf(fleet, [aStaticPool(change)], options)
    expect(Object.values(actions(plan)).every((action) => action.startsWith('replace'))).toBe(true)
    expect(plan.waves.flatMap(({ nodes }) => nodes)).toEqual(['n1', 'n2'])
    expect(plan.unplaceablePods.map(({ pod, node }) => `${pod} ${node}`)).toEqual([
      'default/pod-n1-0 n1',
      'default/pod-n2-0 n2',
    ])
  })

  test('nodes that another pool launches for their pods are in the cost', () => {
    const plan = planOf(fleet, [aStaticPool(tainted), aFleetPool({ name: 'others' })], options)
    expect(plan.unplaceablePods).toEqual([])
    // m5.xlarge costs 0.192 in us-east-1.
    expect(plan.cost).toMatchObject({ before: 0.384, after: 0.768 })
  })

  test('pods that the new nodes take stay with the pool', () => {
    const labelled = { ...ofType('m5.xlarge'), labels: { team: 'a' } }
    const plan = planOf(fleet, [aStaticPool(labelled), aFleetPool({ name: 'others' })], options)
    expect(plan.unplaceablePods).toEqual([])
    expect(plan.cost).toMatchObject({ before: 0.384, after: 0.384 })
  })

  test('a new node comes to the zone of the old one, where its pods have to be', () => {
    const zone = 'us-east-1c'
    const pods = [{ nodeSelector: { 'topology.kubernetes.io/zone': zone } }]
    const bound = aFleet({ pool: aFleetPool({ replicas: 1 }), machines: { n1: { zone, pods } } })
    const plan = planOf(bound, [aFleetPool({ replicas: 1, labels: { team: 'a' } })], options)
    expect(plan.unplaceablePods).toEqual([])
    expect(plan.cost).toMatchObject({ before: 0.096, after: 0.096 })
  })
})
