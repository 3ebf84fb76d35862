import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { isOfClass } from '../../../../src/rollout/node-standing.ts'
import { plannedChange } from '../../../../src/rollout/plan/planned-change.ts'
import { aFleetClass, aFleetPool, aMachine } from '../../../support/fleet-objects.ts'

function aClaim(name: string, drift?: { readonly reason: string; readonly message: string }): NodeClaim {
  const [claim] = aMachine(name, aFleetPool(), aFleetClass())
  if (drift === undefined) return claim
  const condition = { type: 'Drifted', status: 'True' as const, lastTransitionTime: '2026-06-14T10:00:00Z', ...drift }
  return { ...claim, status: { ...claim.status, conditions: [...(claim.status?.conditions ?? []), condition] } }
}

const taint = {
  reason: 'NodePoolDrifted',
  message: 'NodePoolDrifted: spec.template.spec.taints[0].effect: NoSchedule -> NoExecute (generation 4)',
}
const image = { reason: 'AMIDrift', message: 'AMIDrift: status.amis: ami-1 -> ami-2' }

test('without a drifted node nothing is planned', () => {
  expect(plannedChange([aClaim('a')])).toBeUndefined()
})

test('tells how many nodes go and why, the most frequent cause first', () => {
  const claims = [aClaim('a', image), aClaim('b', taint), aClaim('c', taint), aClaim('d')]
  expect(plannedChange(claims)).toEqual({
    type: 'PlannedChange',
    status: 'True',
    reason: 'ReplacesNodes',
    message:
      'replaces 3 of 4 node(s): 2 because of NodePoolDrifted: spec.template.spec.taints[0].effect: NoSchedule -> NoExecute (generation 4); 1 because of AMIDrift: status.amis: ami-1 -> ami-2',
  })
})

test('a class tells only of what is its own', () => {
  expect(plannedChange([aClaim('a', image), aClaim('b', taint)], isOfClass)?.message).toBe(
    'replaces 1 of 2 node(s): 1 because of AMIDrift: status.amis: ami-1 -> ami-2',
  )
})

test('is never longer than a line can be', () => {
  const claims = Array.from({ length: 9 }, (_, index) =>
    aClaim(`n${index}`, { reason: 'AMIDrift', message: `${'x'.repeat(900)}${index}` }),
  )
  const { message = '' } = plannedChange(claims) ?? {}
  expect(message.length).toBe(1_024)
  expect(message.startsWith('replaces 9 of 9 node(s): ')).toBe(true)
})
