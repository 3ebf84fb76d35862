import { expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'
import { defaultOptions } from '../../../src/operator/options.ts'

const minute = 60_000

const requirements: NodePool['spec']['template']['spec']['requirements'] = [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
]

const pools: Record<string, Partial<NodePool['spec']>> = {
  'a drifted node': { disruption: { consolidateAfter: '0s' } },
  'a drifted node of a static pool': { replicas: 2, limits: { nodes: '4' } },
}

test.each(Object.entries(pools))(
  '%s is replaced though machines take longer to come up than a command waits, and none is launched twice for it',
  async (_, of) => {
    const { featureGates } = defaultOptions({ clusterName: 'test' })
    const { cluster, log, stop } = await anEmbeddedOperator({ featureGates: { ...featureGates, StaticCapacity: true } })
    const { client, clock, behaviours } = cluster
    const logged = (message: string) => log.lines.filter((line) => line.message === message)
    try {
      await aFleet(cluster)
      const { apiVersion, kind, spec } = await client.get(nodePools, { name: 'default' })
      const template = { ...spec.template, spec: { ...spec.template.spec, requirements } }
      await client.create(nodePools, { apiVersion, kind, metadata: { name: 'slow' }, spec: { ...of, template } })
      await client.delete(nodePools, { name: 'default' })
      const nodeSelector = { 'karpenter.sh/nodepool': 'slow' }
      const pods = { nodeSelector, containers: [containerOf({ cpu: '800m', memory: '1Gi' })] }
      await client.create(deployments, deploymentOf('web', 3, pods))
      await clock.run({ forMs: 6 * minute })
      const before = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
      expect(before).toHaveLength(2)

      behaviours.chooser = () => ({ readyMs: 12 * minute })
      const created = logged('created nodeclaim').length
      const change = { spec: { template: { metadata: { labels: { team: 'web' } } } } }
      await client.patch(nodePools, { name: 'slow' }, { kind: 'merge', body: change })
      await clock.run({ forMs: 90 * minute })
      const after = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
      expect(after).toHaveLength(2)
      expect(after.filter((name) => before.includes(name))).toEqual([])
      expect(logged('created nodeclaim').slice(created)).toHaveLength(2)
      expect(logged('failed terminating nodes while executing a disruption command')).toHaveLength(2)
    } finally {
      await stop()
    }
  },
)
