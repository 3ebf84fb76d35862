import { expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { createRolloutWorld, hour, minute, newVersion } from './world.ts'

test('a canary whose security groups change before it is up has not failed, and the rollout ends with all nodes in the new ones', async () => {
  const world = await createRolloutWorld({
    nodes: 3,
    policy: {
      steps: [{ nodes: 1, soak: '20m' }],
      gates: { nodeReadyTimeout: '30m' },
      onFailure: 'Rollback',
    },
  })
  const { aws, behaviours } = world.stack.cluster
  behaviours.setAll({ bootMs: 10 * minute })
  await world.editAlias(newVersion)
  const canary = (): NodeClaim | undefined =>
    world.claims().find(({ metadata }) => world.onNewImage().includes(metadata.name))
  expect(await world.until(() => canary() !== undefined, hour)).toBe(true)

  const [present] = aws.account.state.securityGroups
  if (present === undefined) throw new Error('the account has no security group')
  aws.account.state.securityGroups.push({ ...present, id: 'sg-0123456789abcdef0', name: 'another' })
  const driftOf = (claim: NodeClaim | undefined) => claim && conditionOf(claim, 'Drifted')
  expect(await world.until(() => driftOf(canary())?.reason === 'SecurityGroupDrift', 10 * minute)).toBe(true)
  const drifted = canary()
  expect(drifted && isConditionTrue(drifted, 'Initialized')).toBe(false)

  expect(await world.until(() => world.status().phase === 'Soaking', hour)).toBe(true)
  expect(world.status().history).toBeUndefined()
  expect(canary()?.metadata.uid).toBe(drifted?.metadata.uid)
  expect(await world.until(() => world.status().phase === 'Completed', 6 * hour)).toBe(true)
  expect(world.status().history).toMatchObject([{ outcome: 'Completed' }])
  expect(world.onNewImage()).toHaveLength(3)
  expect(world.claims().map((claim) => driftOf(claim)?.status)).toEqual([undefined, undefined, undefined])
  const groups = world.claims().map(({ status }) => {
    const id = status?.providerID?.split('/').at(-1) ?? ''
    return aws.account.instance(id)?.securityGroupIDs.length
  })
  expect(groups).toEqual([2, 2, 2])
  await world.stack.stop()
}, 180_000)

test('an edit of the subnets is not finished while no node has it, also where an edit of the pool hides it', async () => {
  const world = await createRolloutWorld({ nodes: 3, policy: { mode: 'Approve' } })
  const { client } = world.stack.cluster
  const used = new Set(world.claims().map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']))
  const other = world.nodeClass().status?.subnets?.find(({ zone }) => !used.has(zone))
  if (other === undefined) throw new Error('nodes are in every zone')
  const template = { spec: { template: { metadata: { labels: { tier: 'front' } } } } }
  await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: template })
  await world.run(minute)
  // What only the pool wants is none of the class's business.
  expect(conditionOf(world.nodeClass(), 'Reconciling')).toMatchObject({ status: 'False', reason: 'UpToDate' })

  const body = { spec: { subnetSelectorTerms: [{ id: other.id }] } }
  await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body })
  await world.run(20 * minute)
  expect(world.claims().map((claim) => conditionOf(claim, 'Drifted')?.reason)).toEqual(
    Array.from({ length: 3 }, () => 'NodePoolDrifted'),
  )
  expect(world.nodeClass().status).toMatchObject({ observedGeneration: 2, driftedNodes: 3 })
  expect(conditionOf(world.nodeClass(), 'Reconciling')).toMatchObject({ status: 'True', observedGeneration: 2 })

  await world.annotate('pool', { 'joinery.dev/approve': world.pool().status?.target ?? '' })
  expect(await world.until(() => world.status().phase === 'Completed', 3 * hour)).toBe(true)
  await world.run(2 * minute)
  expect(conditionOf(world.nodeClass(), 'Reconciling')).toMatchObject({ status: 'False', reason: 'UpToDate' })
  await world.stack.stop()
}, 180_000)
