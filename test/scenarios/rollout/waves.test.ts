import { expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { podDisruptionBudgets } from '../../../src/kube/kinds.ts'
import { createRolloutWorld, hour, minute, newVersion, watchFleet } from './world.ts'

test('an edited alias reaches one node, soaks, and then the rest in waves', async () => {
  const world = await createRolloutWorld({
    policy: {
      steps: [
        { nodes: 1, soak: '20m' },
        { nodes: '50%', soak: '10m' },
      ],
    },
  })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)

  const isSoaking = (): boolean => world.status().phase === 'Soaking'
  expect(await world.until(isSoaking, 2 * hour)).toBe(true)
  expect(world.onNewImage()).toHaveLength(1)
  expect(watch.touched.size).toBe(1)
  expect(isConditionTrue(world.pool(), 'Reconciling')).toBe(true)
  expect(argoHealth('NodePool', world.pool())).toMatchObject({ status: 'Progressing' })
  expect(fluxHealth('NodePool', world.pool())).toBe('Progressing')

  await world.run(15 * minute)
  expect(world.status().phase).toBe('Soaking')
  expect(watch.touched.size).toBe(1)

  expect(await world.until(() => isSoaking() && world.status().step === 1, 2 * hour)).toBe(true)
  expect(watch.touched.size).toBe(3)

  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  await world.run(5 * minute)
  expect(world.onNewImage()).toHaveLength(6)
  expect(world.claims()).toHaveLength(6)
  expect(watch.mostUnavailable).toBeLessThanOrEqual(2)
  expect(world.allRun()).toBe(true)
  expect(isConditionTrue(world.pool(), 'Reconciling')).toBe(false)
  expect(argoHealth('NodePool', world.pool())).toMatchObject({ status: 'Healthy' })
  expect(fluxHealth('NodePool', world.pool())).toBe('Healthy')
  expect(world.nodeClass().status?.imageHistory?.[0]?.outcome).toBe('good')
  expect(world.status().history?.[0]).toMatchObject({ number: 1, outcome: 'Completed', totalNodes: 6, updatedNodes: 6 })
  await world.stack.stop()
}, 180_000)

test('the policy says what else than itself keeps its nodes, and how many, until nothing does', async () => {
  const world = await createRolloutWorld({ nodes: 3, policy: { steps: [{ nodes: 1, soak: '20m' }] } })
  const { client } = world.stack.cluster
  const key = { namespace: 'default', name: 'all' }
  await client.create(podDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: key,
    spec: { minAvailable: 3, selector: { matchLabels: { app: 'default' } } },
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().blockedNodes === 3, hour)).toBe(true)
  expect(world.status()).toMatchObject({
    blockedBy: [{ reason: 'PDBBlocked', nodes: 3, message: expect.stringContaining('default/all') }],
    nodePools: [{ name: 'default', blockedNodes: 3 }],
  })

  await client.delete(podDisruptionBudgets, key)
  expect(await world.until(() => world.status().phase === 'Soaking', hour)).toBe(true)
  // The others wait for the policy alone.
  expect(world.status()).toMatchObject({ blockedNodes: 0, blockedBy: [] })
  await world.stack.stop()
}, 180_000)
