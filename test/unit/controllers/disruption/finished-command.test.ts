import { expect, test } from 'vitest'
import { OrchestrationQueue } from '../../../../src/controllers/disruption/index.ts'
import { type DisruptionMethod, reasonOf } from '../../../../src/disruption/command.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aWorld, candidatesOf, daemonSetOwner } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

interface Case {
  readonly method?: DisruptionMethod
  readonly grace?: string
  readonly policy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced'
}

/** A node goes, with two pods that have to move and one that has not. */
async function finished({ method = 'singleNode', grace, policy }: Case) {
  const world = aControllerWorld()
  const pods = [aRunningPod(), aRunningPod(), aRunningPod({ ownerReferences: daemonSetOwner })]
  const options = { pods, capacityType: 'spot', ...(grace === undefined ? {} : { terminationGracePeriod: grace }) }
  const state = await aStoredNode(world, 'a', options)
  const disruption = { consolidateAfter: '0s', ...(policy === undefined ? {} : { consolidationPolicy: policy }) }
  const [candidate] = candidatesOf(aWorld({ nodes: [state], pools: [aPool({ disruption })] }))
  if (candidate === undefined) throw new Error('it is a candidate')
  const queue = new OrchestrationQueue(disruptionDeps(world, { snapshot: () => aWorld() }))
  const command = {
    method,
    reason: reasonOf[method],
    candidates: [candidate],
    replacements: [],
    destinations: [],
  } as const
  const begun = {
    initialized: new Set<string>(),
    askedToGo: new Set<string>(),
    askedAt: new Map<string, number>(),
    startedAt: world.clock.monotonicMs(),
  }
  queue.add({ id: 'one', command, replacements: [], ...begun })
  await world.start(queue.controller())
  await world.run(1_000)
  return world
}

const cases: Record<string, [Case, Record<string, string>]> = {
  'drift is governed by no policy': [{ method: 'drift' }, { reason: 'drifted', consolidation_policy: '' }],
  'an empty node goes by the policy of its pool': [
    { method: 'emptiness', policy: 'WhenEmpty' },
    { reason: 'empty', consolidation_policy: 'when_empty' },
  ],
  'consolidation, too': [{ policy: 'Balanced' }, { reason: 'underutilized', consolidation_policy: 'balanced' }],
  'where the pool says none it has one all the same': [
    { method: 'multiNode' },
    { reason: 'underutilized', consolidation_policy: 'when_empty_or_underutilized' },
  ],
  'pods of a claim without a grace period are waited for': [{}, { termination_mode: 'graceful' }],
  'with one, up to its end': [{ grace: '5m' }, { termination_mode: 'eventual' }],
  'with one of nothing not at all': [{ grace: '0s' }, { termination_mode: 'forceful' }],
}

test.each(Object.entries(cases))('%s', async (_name, [of, labels]) => {
  const { counts } = await finished(of)
  const all = { nodepool: 'default', capacity_type: 'spot', ...labels }
  expect(counts.observed('karpenter_nodeclaims_disrupted_total', all)).toEqual([1])
  expect(counts.observed('karpenter_pods_disruption_initiated_total', all)).toEqual([2])
})

test('node and claim are told why they go, and the end is logged', async () => {
  const { logged, recorder } = await finished({ method: 'emptiness' })
  expect(recorder.published.map(({ object, reason, type, message }) => [object.kind, type, reason, message])).toEqual([
    ['Node', 'Normal', 'DisruptionTerminating', 'Disrupting Node: Empty'],
    ['NodeClaim', 'Normal', 'DisruptionTerminating', 'Disrupting NodeClaim: Empty'],
  ])
  expect(logged('command succeeded')).toHaveLength(1)
})
