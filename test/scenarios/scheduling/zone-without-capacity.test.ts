import { expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000
const zones = ['us-west-2a', 'us-west-2b', 'us-west-2c']

/** Pods of which each fills a c5.xlarge, one more in a zone than in another at the most. */
const web = deploymentOf('web', 3, {
  containers: [containerOf({ cpu: '3', memory: '1Gi' })],
  nodeSelector: { 'karpenter.sh/nodepool': 'default' },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
})

test('while a zone has no capacity, nodes of the others that wait for it stay, instead of being launched again and again', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock, aws } = cluster
  const count = async (): Promise<{ running: number; nodes: number }> => ({
    running: (await client.list(pods, { namespace: 'default' })).items.filter(
      ({ status }) => status?.phase === 'Running',
    ).length,
    nodes: (await client.list(nodeClaims)).items.length,
  })
  try {
    await aFleet(cluster)
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.xlarge'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: zones },
    ]
    const spec = { disruption: { consolidateAfter: '0s' }, template: { spec: { requirements } } }
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec } })
    await client.create(deployments, web)
    await clock.run({ forMs: 5 * minute })
    expect(await count()).toEqual({ running: 3, nodes: 3 })

    aws.setCapacity({ zone: 'us-west-2a' }, 0)
    const body = { spec: { replicas: 9 } }
    await client.patch(deployments, { name: 'web', namespace: 'default' }, { kind: 'merge', body })
    await clock.run({ forMs: 2 * minute })
    // Two in each of the other zones; the third of each would be two more than in the zone without capacity.
    expect(await count()).toEqual({ running: 5, nodes: 7 })
    const launched = aws.state.instances.length
    await clock.run({ forMs: 40 * minute })
    expect(await count()).toEqual({ running: 5, nodes: 7 })
    expect(aws.state.instances).toHaveLength(launched)

    aws.state.capacity = []
    await clock.run({ forMs: 10 * minute })
    expect(await count()).toEqual({ running: 9, nodes: 9 })
  } finally {
    await stop()
  }
})
