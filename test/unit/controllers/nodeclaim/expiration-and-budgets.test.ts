import { expect, test } from 'vitest'
import { ClusterState } from '../../../../src/cluster/index.ts'
import { nodeClaimExpiration } from '../../../../src/controllers/nodeclaim/index.ts'
import { computeBudgets } from '../../../../src/disruption/budgets.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPool, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

/** A pool that lets no node go, with a claim that expires after ten minutes and one that never does. */
async function aFrozenPool() {
  const world = aControllerWorld()
  const cluster = new ClusterState({
    ...world,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  await world.kube.create(
    nodePools,
    aPool('default', { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } }),
  )
  const labels = {
    'karpenter.sh/nodepool': 'default',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  }
  for (const [name, expireAfter] of [
    ['old', '10m'],
    ['young', 'Never'],
  ] as const) {
    const providerID = `aws:///a/i-${name}`
    const conditions = ['Launched', 'Registered', 'Initialized'].map((type) => trueCondition(type))
    const metadata = { finalizers: ['hold'], labels }
    await world.kube.create(
      nodeClaims,
      aClaim(name, { metadata, spec: { expireAfter }, status: { providerID, conditions } }),
    )
    await world.kube.create(nodes, aNode(name, { metadata: { labels }, providerID }))
  }
  await world.start(nodeClaimExpiration(world))
  const budget = () => {
    const { nodePools: pools, nodes: all, now } = cluster.snapshot()
    return computeBudgets(pools, all, 'Drifted', now).get('default')
  }
  const deleting = async (name: string) =>
    (await world.read(nodeClaims, { name })).metadata.deletionTimestamp !== undefined
  return { ...world, budget, cluster, deleting }
}

test('case 22: an expired claim goes though its pool’s budget is zero, and is then held against that budget', async () => {
  const { budget, deleting, run } = await aFrozenPool()
  await run(599_000)
  expect(budget()).toMatchObject({ total: 2, disrupting: 0 })
  await run(2_000)
  expect([await deleting('old'), await deleting('young')]).toEqual([true, false])
  expect(budget()).toMatchObject({ total: 2, disrupting: 1, allowed: 0, remaining: 0 })
})

test('cases 5 and 8: so is one that the queue has marked; one whose instance terminates is not counted any more', async () => {
  const { budget, cluster, kube, read, run } = await aFrozenPool()
  await run(601_000)
  cluster.markForDeletion('aws:///a/i-young')
  expect(budget()).toMatchObject({ total: 2, disrupting: 2 })
  const { status } = await read(nodeClaims, { name: 'old' })
  const conditions = [...(status?.conditions ?? []), trueCondition('InstanceTerminating')]
  await kube.patch(nodeClaims, { name: 'old' }, { kind: 'merge', body: { status: { conditions } } })
  await run(100)
  expect(budget()).toMatchObject({ total: 1, disrupting: 1 })
})
