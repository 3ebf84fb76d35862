import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'

/*
 * Beyond fifty nodes of fifty, replacements are judged in groups. What does not depend on the order within a group must come out as it
 * would node by node.
 */

const count = 80
const pool: FleetPoolOptions = {
  disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '10' }] },
}

function aLargeFleet(options: { readonly pods?: (index: number) => number } = {}): readonly KubeObject[] {
  const { pods = () => 1 } = options
  const [own, nodeClass] = [aFleetPool(pool), aFleetClass()]
  const machines = Array.from({ length: count }, (_, index) => {
    const name = `n${String(index).padStart(3, '0')}`
    const running = Array.from({ length: pods(index) }, (__, slot) =>
      aPodOn(name, `pod-${index}-${slot}`, { cpu: '1500m' }),
    )
    return [...aMachine(name, own, nodeClass), ...running]
  })
  return [own, nodeClass, ...machines.flat()]
}

test('ten at a time, in order, each wave when the one before has gone', () => {
  const plan = planOf(aLargeFleet(), [aFleetPool({ ...pool, labels: { team: 'a' } })])
  expect(plan.waves.length).toBe(8)
  expect(plan.waves.map(({ nodes }) => nodes.length)).toEqual(Array.from({ length: 8 }, () => 10))
  expect(plan.waves.flatMap(({ nodes }) => nodes)).toEqual(plan.nodes.map(({ node }) => node))
  expect(plan.durationSeconds).toBe(8 * 180)
  // Eighty of 0.096, and ten more while they are replaced.
  expect(plan.cost).toEqual({ before: 7.68, during: 8.64, after: 7.68 })
})

test('pods that tolerate no new node keep their nodes, and empty nodes go all the same', () => {
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
  const isEmpty = (index: number): boolean => index % 4 === 0
  const fleet = aLargeFleet({ pods: (index) => (isEmpty(index) ? 0 : 1) })
  const plan = planOf(fleet, [aFleetPool({ ...pool, template: { taints } })])
  const gone = plan.nodes.filter(({ wave }) => wave !== null)
  expect(gone.length).toBe(20)
  expect(plan.blockedBy.length).toBe(60)
  expect(plan.unplaceablePods.length).toBe(60)
  for (const { pod, node, message } of plan.unplaceablePods) {
    expect(pod).toBe(`default/pod-${Number(node.slice(1))}-0`)
    expect(message).toBe('did not tolerate taint (taint=team=a:NoSchedule)')
  }
})
