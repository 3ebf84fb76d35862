import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine } from '../../../support/fleet-objects.ts'
import { actions, labelled } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

test.each([
  ['11:30', 'stay'],
  ['11:00', 'stay'],
  ['10:59', 'replace InstanceTypeNotFound'],
])('a node made at %s whose type is in no list any more at noon: %s', (madeAt, want) => {
  const pool = aFleetPool({ template: { requirements: [] } })
  const machine = aMachine('n1', pool, aFleetClass(), {
    type: 'm5.2xlarge',
    createdAt: `2026-06-14T${madeAt}:00Z`,
  })
  expect(actions(planOf([pool, aFleetClass(), ...machine], []))).toEqual({ n1: want })
})

test('a machine whose launch is not written down yet does not drift', () => {
  const [claim, node] = aMachine('n1', aFleetPool(), aFleetClass())
  const conditions = claim.status?.conditions?.map((one) =>
    one.type === 'Launched' ? { ...one, status: 'Unknown' as const } : one,
  )
  const actionOf = (own: NodeClaim) => {
    const cluster: readonly KubeObject[] = [aFleetPool(), aFleetClass(), own, node]
    return actions(planOf(cluster, [aFleetPool(labelled)]))['n1']
  }
  expect(actionOf(claim)).toBe('replace NodePoolDrifted')
  expect(actionOf({ ...claim, status: { ...claim.status, conditions } } as NodeClaim)).toBe('inPlace')
})
