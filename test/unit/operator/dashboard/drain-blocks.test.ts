import { expect, test } from 'vitest'
import { annotationTerminationTimestamp } from '../../../../src/api/labels.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { fleetView, type NodeBlock } from '../../../../src/operator/dashboard/fleet-view.ts'
import { aBudget, aRunningPod, aStateNode, aWorld } from '../../../support/disruption-builders.ts'

const web = { app: 'web' }

function aDrainedNode(pods: readonly PodInfo[], annotations: Record<string, string> = {}): StateNode {
  const state = aStateNode('n', { pods, markedForDeletion: true })
  if (state.node === undefined || state.nodeClaim === undefined) throw new Error('a machine has both')
  return {
    ...state,
    node: { ...state.node, metadata: { ...state.node.metadata, deletionTimestamp: '2026-06-14T11:00:00Z' } },
    nodeClaim: { ...state.nodeClaim, metadata: { ...state.nodeClaim.metadata, annotations } },
  }
}

/** What the view says holds the node, where budgets allow no eviction of pods labelled web. */
function blocksOf(
  state: StateNode,
  budgets = [aBudget('web', { selector: { matchLabels: web } }, 0)],
): readonly NodeBlock[] {
  const before = new Map([['n', [{ code: 'ConsolidationUndone', message: 'as it was before' }]]])
  const view = fleetView({
    cluster: 'shop',
    snapshot: aWorld({ nodes: [state], budgets }),
    nodeClasses: [],
    policies: [],
    nodeClaims: [],
    priceOf: () => undefined,
    blocked: before,
  })
  return view.nodes[0]?.blocked ?? []
}

test('a node that is drained tells what holds its pods, each cause once', () => {
  const pods = [
    aRunningPod({ name: 'a', uid: 'a', labels: web }),
    aRunningPod({ name: 'b', uid: 'b', labels: web }),
    aRunningPod({ name: 'c', uid: 'c', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    aRunningPod({ name: 'd', uid: 'd' }),
  ]
  expect(blocksOf(aDrainedNode(pods))).toEqual([
    { code: 'PDBBlocked', message: 'PodDisruptionBudget default/web keeps default/a and 1 more' },
    { code: 'PodDoNotDisrupt', message: 'karpenter.sh/do-not-disrupt keeps default/c' },
  ])
  const twice = [
    aBudget('web', { selector: { matchLabels: web } }, 0),
    aBudget('other', { selector: { matchLabels: web } }, 1),
  ]
  expect(blocksOf(aDrainedNode(pods.slice(0, 1)), twice)).toMatchObject([{ code: 'MultiplePDBs' }])
})

test('a budget keeps no pod that the eviction API lets go, as one that has not started', () => {
  expect(blocksOf(aDrainedNode([aRunningPod({ labels: web, phase: 'Pending' })]))).toEqual([])
})

test('nothing holds pods that are going, or that are past their patience', () => {
  const going = aRunningPod({ name: 'a', uid: 'a', labels: web, deletedAt: Date.parse('2026-06-14T12:00:30Z') })
  expect(blocksOf(aDrainedNode([going]))).toEqual([])
  const pod = aRunningPod({ name: 'a', uid: 'a', labels: web, terminationGracePeriodSeconds: 30 })
  expect(blocksOf(aDrainedNode([pod], { [annotationTerminationTimestamp]: '2026-06-14T12:00:10Z' }))).toEqual([])
  expect(blocksOf(aDrainedNode([pod], { [annotationTerminationTimestamp]: 'soon' }))).toHaveLength(1)
})

test('a node that is not drained tells what kept it from being disrupted', () => {
  expect(blocksOf(aStateNode('n'))).toEqual([{ code: 'ConsolidationUndone', message: 'as it was before' }])
})
