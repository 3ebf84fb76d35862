import { expect, test } from 'vitest'
import { nodeClaims, nodePools, rolloutPolicies } from '../../src/kube/karpenter-kinds.ts'
import { hour, minute } from './world.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { at, matching, sabotage } from './invariants/sabotage.ts'

/** Writes into the status of the one policy that there is. */
function statusOf(client: KubeClient): (status: object) => Promise<unknown> {
  const key = { name: 'everything' }
  return (status) => client.patch(rolloutPolicies, key, { kind: 'merge', body: { status } }, { subresource: 'status' })
}

test('rollouts: beyond the shared budget, beyond the step, while halted', async () => {
  const { claims, client, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { steps: [{ nodes: 1 }], sharedBudget: '2' },
  })
  const set = statusOf(client)
  await set({ revision: 'r1', startTime: '2026-01-01T00:00:00Z', step: 0, totalNodes: 5, phase: 'Progressing' })
  await taint(at(claims, 0))
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .*: 3 nodes in replacement, shared budget 2$/))
  for (const index of [0, 1]) await client.delete(nodeClaims, { name: at(claims, index).metadata.name })
  expect(found()).toContainEqual(
    expect.stringMatching(/^rollout everything\/r1@.*Z: 2 nodes were replaced in step 0, which has 1$/),
  )
  await set({ phase: 'Halted' })
  await scenario.run(4 * minute)
  await taint(at(claims, 3))
  expect(found()).toContainEqual(
    expect.stringMatching(/^rollout everything.* is replaced while the rollout is Halted$/),
  )
})

test('rollouts: beyond the rate', async () => {
  const { claims, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { rate: { nodes: 1, per: '10m' } },
  })
  await taint(at(claims, 0))
  await scenario.run(11 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins beyond 1 nodes per 10m$/))
})

test('rollouts: a clock that is set forward fills the rate, by no more than that', async () => {
  const { claims, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { rate: { nodes: 1, per: '10m' } },
  })
  const { clock } = scenario.world.stack.cluster
  await taint(at(claims, 0))
  clock.jump(-10 * minute)
  await scenario.run(minute)
  clock.jump(10 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual([])
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins beyond 1 nodes per 10m$/))
})

test('rollouts: without approval, outside windows, and a rollback without end', async () => {
  const { claims, client, taint, found, scenario } = await sabotage({
    pools: [{ name: 'general', budget: '100%' }],
    policy: { mode: 'Approve', windows: [{ schedule: '0 * * * *', duration: '30m' }] },
  })
  const { clock } = scenario.world.stack.cluster
  const set = statusOf(client)
  const approve = (target: string) => {
    const body = { metadata: { annotations: { 'joinery.dev/approve': target } } }
    return client.patch(nodePools, { name: 'general' }, { kind: 'merge', body })
  }
  await scenario.run(hour - (clock.now() % hour))
  await approve('t1')
  await set({ phase: 'Progressing', nodePools: [{ name: 'general', targetHash: 't1' }] })
  await scenario.run(4 * minute)
  await taint(at(claims, 0))
  expect(found()).toEqual([])
  await set({ nodePools: [{ name: 'general', targetHash: 't2' }] })
  await scenario.run(4 * minute)
  await taint(at(claims, 1))
  expect(found()).toEqual(matching(/^rollout .* begins towards t2, which nobody has approved$/))
  await approve('t2')
  await scenario.run(30 * minute)
  await taint(at(claims, 2))
  expect(found()).toEqual(matching(/^rollout .* begins outside all windows$/))
  await set({ phase: 'RollingBack', revision: 'r1', totalNodes: 5, updatedNodes: 4, blockedNodes: 1 })
  await scenario.run(70 * minute)
  expect(found().filter((text) => text.startsWith('rollout'))).toEqual([])
  await set({ phase: 'RollingBack', revision: 'r1', blockedNodes: 0 })
  await scenario.run(70 * minute)
  expect(found()).toContainEqual(expect.stringMatching(/^rollout everything\/r1: is still being rolled back$/))
})

test('rollouts: a rollback that waits for a held node, and one that waits for nothing', async () => {
  const { claims, client, found, scenario } = await sabotage({ policy: {} })
  const bad = 'ami-0bad'
  const history = [{ revision: 'r1', outcome: 'RolledBack', images: [bad] }]
  const set = statusOf(client)
  const runs = (index: number, imageID: string | undefined) => {
    const { name } = at(claims, index).metadata
    return client.patch(
      nodeClaims,
      { name },
      { kind: 'merge', body: { status: { imageID } } },
      { subresource: 'status' },
    )
  }
  const stuck = async () => {
    await scenario.run(70 * minute)
    return found().filter((text) => text.includes('is still being rolled back'))
  }
  await runs(0, bad)
  await set({ phase: 'RollingBack', revision: 'r1', totalNodes: 5, updatedNodes: 2, blockedNodes: 1, history })
  expect(await stuck()).toEqual([])
  await runs(1, bad)
  expect(await stuck()).toEqual(['rollout everything/r1: is still being rolled back'])
  for (const index of [0, 1]) await runs(index, at(claims, 2).status?.imageID)
  await set({ revision: 'r2' })
  expect(await stuck()).toEqual(['rollout everything/r2: is still being rolled back'])
})
