import { expect, test } from 'vitest'
import { nodePoolHash } from '../../../../src/api/hash/index.ts'
import type { EC2NodeClass, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import { poolTarget } from '../../../../src/rollout/target.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn } from '../../../support/fleet-objects.ts'
import { waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

const startTime = '2026-06-14T11:00:00Z'
const failure = { reason: 'NodesFailed', message: 'they failed', time: startTime, generation: 1, targets: [] }

/** Of a rollout that took the class to `ami-2`, and takes it back. */
const policy: RolloutPolicy = {
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: {
    name: 'careful',
    uid: 'policy',
    resourceVersion: '1',
    creationTimestamp: '2026-06-01T00:00:00Z',
    generation: 1,
  },
  spec: { nodePoolSelector: { names: ['default'] }, rate: { nodes: 1, per: '20m' } },
  status: {
    observedGeneration: 1,
    phase: 'RollingBack',
    revision: 'failed',
    startTime,
    startNodes: 2,
    imageChanges: ['default'],
    nodePools: [{ name: 'default', startNodes: 2 }],
    failure: { ...failure, state: 'RollingBack' },
    history: [{ revision: 'failed', outcome: 'Halted', images: ['ami-2'], startTime }],
    rate: { tokens: '0.000000', time: '2026-06-14T12:00:00Z' },
  },
}

function pinnedClass(): EC2NodeClass {
  const nodeClass = aFleetClass()
  const imageHistory = (['ami-2', 'ami-1'] as const).map((id, index) => ({
    revision: 2 - index,
    images: [{ id }],
    firstSeen: startTime,
    outcome: id === 'ami-1' ? ('good' as const) : ('bad' as const),
  }))
  const pinnedImages = { images: [{ id: 'ami-1' }], insteadOf: 'another', reason: 'they failed' }
  return { ...nodeClass, status: { ...nodeClass.status, imageHistory, pinnedImages } }
}

test('the end of a pin by an edit of its class brings the images that failed back, as a rollout of its own', () => {
  const [pool, nodeClass] = [aFleetPool(), pinnedClass()]
  const failed = { ...policy.status, phase: 'Halted' as const, failure: { ...failure, state: 'RolledBack' as const } }
  const targets = [{ name: 'default', target: poolTarget(nodePoolHash(pool), pool, 'another') }]
  const rolledBack = {
    ...policy,
    spec: { nodePoolSelector: {} },
    status: { ...failed, failure: { ...failed.failure, targets } },
  }
  const cluster = [pool, nodeClass, rolledBack, ...aMachine('n1', pool, nodeClass), aPodOn('n1', 'pod')]
  expect(waves(planOf(cluster, [nodeClass]))).toEqual([])
  const tagged = aFleetClass({ tags: { team: 'a' } })
  const plan = planOf(cluster, [tagged])
  expect(plan.nodes[0]).toMatchObject({ action: 'replace', reason: 'NodeClassDrift' })
  expect(plan.blockedBy).toEqual([])
  expect(waves(plan)).toEqual(['1 12:00:00 n1'])
})

test('what a rollback takes back heeds no rate, and pays none', () => {
  const [pool, nodeClass] = [aFleetPool(), pinnedClass()]
  const fleet = ['n1', 'n2'].flatMap((name) => [
    ...aMachine(name, pool, nodeClass, { imageID: 'ami-2', createdAt: '2026-06-14T11:10:00Z' }),
    aPodOn(name, `pod-${name}`, { cpu: '1500m' }),
  ])
  const plan = planOf([pool, nodeClass, policy, ...fleet], [])
  expect(plan.blockedBy).toEqual([])
  expect(waves(plan)).toEqual(['1 12:00:00 n1 n2'])
})
