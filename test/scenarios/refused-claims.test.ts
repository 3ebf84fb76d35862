import { expect, test } from 'vitest'
import type { NodePool } from '../../src/api/karpenter.ts'
import { nodeClaims, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { denied } from '../support/denying-policy.ts'
import { containerOf, deploymentOf } from '../support/deployments.ts'
import { aDeployment, aFleet, anEmbeddedOperator } from '../support/embedded-operator.ts'

const minute = 60_000

/** A pool that is tried before the one of the fleet, with this taint. */
async function aPoolBefore(client: KubeClient, taints: readonly object[] = []): Promise<void> {
  const { spec } = await client.get(nodePools, { name: 'default' })
  const template = { ...spec.template, spec: { ...spec.template.spec, taints } }
  await client.create(nodePools, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'first' },
    spec: { ...spec, weight: 100, template },
  } as unknown as NodePool)
}

const ofFirst = {
  apiGroup: 'karpenter.sh',
  when: 'object.metadata.labels["karpenter.sh/nodepool"] == "first"',
  message: 'not of this pool',
}

async function running(client: KubeClient, app: string): Promise<number> {
  const { items } = await client.list(pods, { namespace: 'default', labelSelector: `app=${app}` })
  return items.filter(({ status }) => status?.phase === 'Running').length
}

test('claims whose status may not be written keep no pods of other pools from their nodes, are given up, and launch once they may', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    await aPoolBefore(client, [{ key: 'dedicated', effect: 'NoSchedule' }])
    const admit = await denied(client, { ...ofFirst, operation: 'UPDATE', resource: 'nodeclaims/status' })
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }]
    const nodeSelector = { 'karpenter.sh/nodepool': 'first' }
    const spec = { containers: [containerOf({ cpu: '1', memory: '1Gi' })], nodeSelector, tolerations }
    await client.create(deployments, deploymentOf('held', 1, spec))
    await clock.run({ forMs: minute })
    const before = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
    expect(before).toHaveLength(1)
    await aDeployment(cluster, 3)
    await clock.run({ forMs: 3 * minute })
    expect(await running(client, 'web')).toBe(3)
    expect(await running(client, 'held')).toBe(0)
    await clock.run({ forMs: 8 * minute })
    expect((await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).not.toContain(before[0])
    await admit()
    await clock.run({ forMs: 10 * minute })
    expect(await running(client, 'held')).toBe(1)
    const live = cluster.aws.state.instances.filter(
      ({ state, tags }) => state === 'running' && 'karpenter.sh/nodepool' in tags,
    )
    expect(live).toHaveLength((await client.list(nodeClaims)).items.length)
  } finally {
    await stop()
  }
})

test('pods whose claims of one pool are refused get nodes of another, and the first is taken again soon after that has ended', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  const spec = { containers: [containerOf({ cpu: '1', memory: '1Gi' })] }
  const pools = async () =>
    new Set((await client.list(nodeClaims)).items.map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool']))
  try {
    await aFleet(cluster)
    await aPoolBefore(client)
    const admit = await denied(client, { ...ofFirst, operation: 'CREATE', resource: 'nodeclaims' })
    await aDeployment(cluster, 3)
    const nodeSelector = { 'karpenter.sh/nodepool': 'first' }
    await client.create(deployments, deploymentOf('held', 1, { ...spec, nodeSelector }))
    await clock.run({ forMs: 2 * minute })
    expect(await pools()).toEqual(new Set(['default']))
    expect(await running(client, 'web')).toBe(3)
    expect(await running(client, 'held')).toBe(0)
    await clock.run({ forMs: minute })
    await admit()
    await clock.run({ forMs: 2 * minute + 30_000 })
    expect(await pools()).toEqual(new Set(['default', 'first']))
    expect(await running(client, 'held')).toBe(1)
  } finally {
    await stop()
  }
})
