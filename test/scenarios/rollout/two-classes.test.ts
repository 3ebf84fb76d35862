import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { EC2NodeClass } from '../../../src/api/karpenter.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld } from './world.ts'

const bottlerocket = (version: string) => ({ amiSelectorTerms: [{ alias: `bottlerocket@v${version}` }] })

/** Beside the one that there is, with images, a pool and a workload of its own. */
async function addClass(world: RolloutWorld, name: string, nodes: number): Promise<void> {
  const { client } = world.stack.cluster
  const { apiVersion, kind, spec } = world.nodeClass()
  const ownSpec = { ...spec, ...bottlerocket('1.20.0') } as NonNullable<EC2NodeClass['spec']>
  await client.create(ec2NodeClasses, { apiVersion, kind, metadata: { name }, spec: ownSpec })
  const pool = world.pool()
  const { template } = pool.spec
  const ofPool = { ...template, spec: { ...template.spec, nodeClassRef: { ...template.spec.nodeClassRef, name } } }
  await client.create(nodePools, {
    apiVersion: pool.apiVersion,
    kind: pool.kind,
    metadata: { name, labels: { team: 'web' } },
    spec: { ...pool.spec, template: ofPool },
  })
  const nodeSelector = { [labelNodePool]: name }
  const containers = [containerOf({ cpu: '3', memory: '1Gi' })]
  await client.create(deployments, deploymentOf(name, nodes, { nodeSelector, containers }))
}

test('of two classes that go to other images together the one whose nodes do not come up returns, and the other goes on once Git has mended that', async () => {
  const world = await createRolloutWorld({
    pools: [
      { name: 'default', nodes: 1 },
      { name: 'more', nodes: 1 },
    ],
    policy: {
      steps: [{ nodes: 2, soak: '10m' }],
      order: { by: 'NodePool', first: ['more', 'other'] },
      gates: { nodeReadyTimeout: '5m' },
      onFailure: 'Rollback',
    },
  })
  const { cluster, operator } = world.stack
  const classOf = (name: string) => operator.caches.of(ec2NodeClasses).get({ name })
  const outcomes = (name: string) => classOf(name)?.status?.imageHistory?.map(({ outcome }) => outcome)
  const isPinned = (name: string): boolean => classOf(name)?.status?.pinnedImages !== undefined
  const edit = (version: string) =>
    cluster.client.patch(ec2NodeClasses, { name: 'other' }, { kind: 'merge', body: { spec: bottlerocket(version) } })
  cluster.aws.publishImage('bottlerocket', { version: '1.20.0' })
  const bad = cluster.aws.publishImage('bottlerocket', { version: '1.21.0' })
  await addClass(world, 'other', 2)
  const isSettled = (): boolean => world.claims().length === 4 && outcomes('other')?.[0] === 'good'
  expect(await world.until(isSettled, hour)).toBe(true)
  // Pods have just come to the new ones: for a moment nothing disrupts these.
  await world.run(5 * minute)

  for (const { id } of bad) cluster.behaviours.setImage(id, { becomesReady: false })
  await edit('1.21.0')
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 2 * hour)).toBe(true)
  await world.run(10 * minute)
  expect(world.status().failure?.nodeClasses).toEqual(['other'])
  expect([isPinned('default'), isPinned('other')]).toEqual([false, true])
  expect([outcomes('default'), outcomes('other')]).toEqual([
    ['unknown', 'good'],
    ['bad', 'good'],
  ])
  // What it has brought of the sound image stays.
  expect(world.onNewImage()).toHaveLength(1)
  expect(conditionOf(world.pool(), 'Stalled')).toMatchObject({ status: 'True', reason: 'RolledBack' })

  await edit('1.20.0')
  expect(await world.until(() => world.status().phase === 'Completed', 4 * hour)).toBe(true)
  await world.run(5 * minute)
  expect(world.onNewImage()).toHaveLength(2)
  expect(outcomes('default')).toEqual(['good', 'good'])
  expect(isConditionTrue(world.pool(), 'Stalled')).toBe(false)
  await world.stack.stop()
}, 180_000)
