import { describe, expect, test } from 'vitest'
import type { KubeObject, Node, Pod } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn } from '../../../support/fleet-objects.ts'
import { actions, aFleet, labelled } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

describe('the plan as a whole', () => {
  test('costs what runs at the dearest moment, and what is left', () => {
    // m5.large costs 0.096 in us-east-1.
    const plan = planOf(aFleet(), [aFleetPool(labelled)])
    expect(plan.cost).toEqual({ before: 0.288, during: 0.48, after: 0.288 })
  })

  test('a node without pods is not made again', () => {
    const plan = planOf(aFleet({ machines: { n1: {}, n2: { pods: [] } } }), [aFleetPool(labelled)])
    expect(plan.cost).toEqual({ before: 0.192, during: 0.288, after: 0.096 })
  })

  test('is the same whatever the order of its input', () => {
    const cluster = aFleet()
    const manifests = [aFleetPool(labelled), aFleetClass({ tags: { a: 'b' } })]
    expect(JSON.stringify(planOf(cluster.toReversed(), manifests.toReversed()))).toBe(
      JSON.stringify(planOf(cluster, manifests)),
    )
  })

  test('new objects are added and touch nobody', () => {
    const plan = planOf(aFleet(), [aFleetPool({ name: 'extra' })])
    expect(plan.objects).toEqual([{ kind: 'NodePool', name: 'extra', change: 'added' }])
    expect(actions(plan)).toEqual({ n1: 'stay', n2: 'stay', n3: 'stay' })
  })

  test("nodes that are nobody's are not in it", () => {
    const [, node]: [KubeObject, Node] = aMachine('lone', aFleetPool(), aFleetClass())
    const pod: Pod = aPodOn('lone', 'pod')
    expect(planOf([aFleetPool(), aFleetClass(), node, pod], [aFleetPool(labelled)]).nodes).toEqual([])
  })
})
