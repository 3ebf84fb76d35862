import { describe, expect, test } from 'vitest'
import type { RolloutPolicy } from '../../../../src/api/karpenter.ts'
import { RolloutBook } from '../../../../src/controllers/rollout/index.ts'
import { nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aNode, aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRolloutFleet } from '../../../support/rollout-fleet.ts'

const message = 'RolloutPolicy careful: 1 new node(s) failed to come up, 0 allowed'

function halted(generation: number): RolloutPolicy {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful', uid: 'uid', resourceVersion: '1', creationTimestamp: lastTransitionTime, generation },
    spec: { nodePoolSelector: { names: ['default'] } },
    status: {
      observedGeneration: 1,
      phase: 'Halted',
      reason: 'NodesFailed',
      message: '1 new node(s) failed to come up, 0 allowed',
      conditions: [{ type: 'Stalled', status: 'True', reason: 'Halted', message, lastTransitionTime }],
    },
  }
}

async function aBookOf(policy: RolloutPolicy): Promise<RolloutBook> {
  const world = aControllerWorld()
  await world.kube.create(nodePools, aPool())
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  world.caches.of(nodePools)
  await world.start()
  await world.run(1_000)
  const policies = [policy]
  return new RolloutBook({ policies: { list: () => policies }, fleet, clock: world.clock })
}

describe('a process that has not looked at a policy yet', () => {
  test('tells what the one before it found', async () => {
    const book = await aBookOf(halted(1))
    expect(book.ofPool('default')).toEqual([{ reason: 'Halted', message }])
    expect(book.poolStatus('default')).toMatchObject({ policy: 'careful', phase: 'Halted', reason: 'NodesFailed' })
  })

  test('tells nothing of one that was edited since', async () => {
    const book = await aBookOf(halted(2))
    expect(book.ofPool('default')).toEqual([])
    expect(book.poolStatus('default')).toBeUndefined()
  })
})

test('nodes that a policy left alone are unfinished work as soon as its mode is another', async () => {
  const policy = { ...halted(1), spec: { ...halted(1).spec, mode: 'NewNodesOnly' as const } }
  const book = await aBookOf(policy)
  const status = { observedGeneration: 1, phase: 'Idle' as const, reason: 'NewNodesOnly', message: 'left alone' }
  const result = { status, stalled: [] } as unknown as Parameters<typeof book.record>[1]
  book.record(policy, result)
  expect(book.poolStatus('default')).toMatchObject({ phase: 'Idle', reason: 'NewNodesOnly' })
  const edited = await aBookOf({ ...policy, spec: { ...policy.spec, mode: 'Automatic' } })
  edited.record(policy, result)
  expect(edited.poolStatus('default')).toBeUndefined()
})
