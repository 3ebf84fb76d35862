import { expect, test } from 'vitest'
import { breakerGate } from '../../../../src/controllers/launches/index.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aCandidate, aStateNode, condition } from '../../../support/disruption-builders.ts'

function aMarkedNode(reason: string, deletionTimestamp?: string): StateNode {
  const conditions = [{ ...condition('DisruptionReason'), reason }]
  const node = { ...aStateNode('a', { conditions }), markedForDeletion: true }
  const { nodeClaim } = node
  if (nodeClaim === undefined || deletionTimestamp === undefined) return node
  return { ...node, nodeClaim: { ...nodeClaim, metadata: { ...nodeClaim.metadata, deletionTimestamp } } }
}

/** The pools that the guard is told of with the nodes. */
function aboutToMove(...nodes: readonly StateNode[]): readonly string[] {
  const told: string[] = []
  const guard = {
    breakers: { isAnyOpen: true },
    limit: () => 1,
    hold: (_pool: string, _reason: string, pools: ReadonlySet<string> = new Set()) => {
      told.push(...pools)
      return undefined
    },
  }
  breakerGate(guard, nodes).hold(aCandidate('b'), 'Drifted')
  return told
}

test('a node whose replacement is on its way is about to move its pods, until its claim is deleted', () => {
  expect(aboutToMove(aMarkedNode('Drifted'))).toEqual(['default'])
  expect(aboutToMove(aMarkedNode('Underutilized'))).toEqual(['default'])
  expect(aboutToMove(aMarkedNode('Empty'))).toEqual([])
  expect(aboutToMove(aMarkedNode('Drifted', '2026-06-15T12:00:00Z'))).toEqual([])
  expect(aboutToMove(aStateNode('a'))).toEqual([])
})
