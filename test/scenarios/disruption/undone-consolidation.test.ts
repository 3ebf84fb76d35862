import { expect, test } from 'vitest'
import type { EmbeddedCluster } from '../../../src/embedded/index.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000
const hour = 60 * minute

async function deploy(
  { client }: EmbeddedCluster,
  name: string,
  replicas: number,
  requests: Readonly<Record<'cpu' | 'memory', string>>,
  annotations: Record<string, string> = {},
): Promise<void> {
  // Off the node that the cluster begins with.
  const spec = { nodeSelector: { 'karpenter.sh/nodepool': 'default' }, containers: [containerOf(requests)] }
  await client.create(deployments, deploymentOf(name, replicas, spec, { annotations }))
}

/**
 * A c5.2xlarge (.34) with two pods of api and two of batch, a c5.xlarge (.17) with the third of batch, and one with room for one pod of
 * api. One m5.2xlarge (.38) has room for all but that pod, so consolidation pays. But kube-scheduler prefers the emptier node for both
 * pods of api, the third of batch has to wait while its PDB lets its siblings go first, and needs a c5.xlarge; what the m5.2xlarge is
 * left with fits a c5.2xlarge, which is where it began.
 */
test('a consolidation that kube-scheduler undoes by its choice of nodes is not repeated every few minutes', async () => {
  const { cluster, log, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.xlarge', 'c5.2xlarge', 'm5.2xlarge'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] },
    ]
    const spec = {
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
      template: { spec: { requirements } },
    }
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec } })
    await client.create(podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'batch', namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'batch' } } },
    })
    await deploy(cluster, 'api', 2, { cpu: '1', memory: '1Gi' })
    await deploy(cluster, 'batch', 2, { cpu: '2', memory: '5Gi' })
    await clock.run({ forMs: 4 * minute })
    await client.patch(
      deployments,
      { name: 'batch', namespace: 'default' },
      { kind: 'merge', body: { spec: { replicas: 3 } } },
    )
    await clock.run({ forMs: 4 * minute })
    await deploy(cluster, 'pinned', 1, { cpu: '2500m', memory: '4Gi' }, { 'karpenter.sh/do-not-disrupt': 'true' })
    await clock.run({ forMs: 6 * hour })
    const failures = log.lines.filter(({ message }) => message.startsWith('a consolidation did not hold'))
    expect(failures.map(({ fields }) => [fields['times'], fields['hold']])).toEqual([
      [1, '1h0m0s'],
      [2, '4h0m0s'],
      [3, '4h0m0s'],
    ])
    const merged = log.lines.filter(
      ({ message, fields }) => message === 'disrupting node(s)' && fields['disrupted-node-count'] === 2,
    )
    expect(merged).toHaveLength(3)
    const all = (await client.list(pods, { namespace: 'default' })).items
    expect(all.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 6 }, () => 'Running'))
  } finally {
    await stop()
  }
})
