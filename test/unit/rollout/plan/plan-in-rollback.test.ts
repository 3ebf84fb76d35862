import { expect, test } from 'vitest'
import { nodePoolHash } from '../../../../src/api/hash/index.ts'
import type { EC2NodeClass, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import { poolTarget } from '../../../../src/rollout/target.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn } from '../../../support/fleet-objects.ts'
import { actions, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'
import { aStoredPolicy } from '../../../support/stored-policy.ts'

const startTime = '2026-06-14T11:00:00Z'
const failure = { reason: 'NodesFailed', message: 'they failed', time: startTime, generation: 1, targets: [] }

/** Of a rollout that took the class to `ami-2`, and takes it back. */
const policy: RolloutPolicy = {
  ...aStoredPolicy({ rate: { nodes: 1, per: '20m' } }),
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
  const nodeClass = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260602' }] })
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
  const imageHistory = (['ami-2', 'ami-1'] as const).map((id, index) => ({
    revision: 2 - index,
    images: [{ id, name: `al2023-v2026060${2 - index}`, requirements }],
    firstSeen: startTime,
    outcome: id === 'ami-1' ? ('good' as const) : ('bad' as const),
  }))
  const pinnedImages = { images: [{ id: 'ami-1' }], insteadOf: 'another', reason: 'they failed' }
  return { ...nodeClass, status: { ...nodeClass.status, imageHistory, pinnedImages } }
}

/** All are back on `ami-1`. */
function rolledBack() {
  const [pool, nodeClass] = [aFleetPool(), pinnedClass()]
  const targets = [{ name: 'default', target: poolTarget(nodePoolHash(pool), pool, 'another') }]
  const status = {
    ...policy.status,
    phase: 'Halted' as const,
    failure: { ...failure, state: 'RolledBack' as const, targets },
  }
  const machine = [...aMachine('n1', pool, nodeClass), aPodOn('n1', 'pod')]
  return {
    cluster: [pool, nodeClass, { ...policy, spec: { nodePoolSelector: {} }, status }, ...machine],
    pool,
    nodeClass,
  }
}

test('the end of a pin by an edit of its class brings the images that failed back, as a rollout of its own', () => {
  const { cluster, nodeClass } = rolledBack()
  expect(waves(planOf(cluster, [nodeClass]))).toEqual([])
  const plan = planOf(cluster, [aFleetClass({ ...nodeClass.spec, tags: { team: 'a' } })])
  expect(plan.nodes[0]).toMatchObject({ action: 'replace', reason: 'NodeClassDrift' })
  expect(plan.blockedBy).toEqual([])
  expect(waves(plan)).toEqual(['1 12:00:00 n1'])
})

test('the alias that a rollback went back to ends the matter and replaces nothing, and what is older is not held any more', () => {
  const { cluster, pool, nodeClass } = rolledBack()
  const back = aFleetClass({ ...nodeClass.spec, amiSelectorTerms: [{ alias: 'al2023@v20260601' }] })
  expect(actions(planOf(cluster, [back]))).toEqual({ n1: 'inPlace' })
  const withOlder = [...cluster, ...aMachine('n2', pool, nodeClass, { imageID: 'ami-0' })]
  expect(planOf(withOlder, [nodeClass]).blockedBy[0]?.message).toContain('the rollout has failed')
  const plan = planOf(withOlder, [back])
  expect(plan.blockedBy).toEqual([])
  expect(waves(plan)).toEqual(['1 12:00:00 n2'])
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
