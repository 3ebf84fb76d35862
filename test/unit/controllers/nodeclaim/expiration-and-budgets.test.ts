import { expect, test } from 'vitest'
import { ClusterState } from '../../../../src/cluster/index.ts'
import { nodeClaimExpiration } from '../../../../src/controllers/nodeclaim/index.ts'
import { computeBudgets } from '../../../../src/disruption/budgets.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPool, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

test('case 22: an expired claim goes though its pool’s budget is zero, and is then held against that budget', async () => {
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
  await world.run(599_000)
  expect(budget()).toMatchObject({ total: 2, disrupting: 0 })
  await world.run(2_000)
  expect([await deleting('old'), await deleting('young')]).toEqual([true, false])
  expect(budget()).toMatchObject({ total: 2, disrupting: 1, allowed: 0, remaining: 0 })
})
