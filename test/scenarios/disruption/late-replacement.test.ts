import { expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator, anOperatorOn } from '../../support/embedded-operator.ts'
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

/** A fleet of two nodes in a pool of that kind. */
async function aSlowFleet(of: Partial<NodePool['spec']>) {
  const { featureGates } = defaultOptions({ clusterName: 'test' })
  const options = { featureGates: { ...featureGates, StaticCapacity: true } }
  const world = await anEmbeddedOperator(options)
  const { client, clock } = world.cluster
  await aFleet(world.cluster)
  const { apiVersion, kind, spec } = await client.get(nodePools, { name: 'default' })
  const template = { ...spec.template, spec: { ...spec.template.spec, requirements } }
  await client.create(nodePools, { apiVersion, kind, metadata: { name: 'slow' }, spec: { ...of, template } })
  await client.delete(nodePools, { name: 'default' })
  const nodeSelector = { 'karpenter.sh/nodepool': 'slow' }
  const pods = { nodeSelector, containers: [containerOf({ cpu: '800m', memory: '1Gi' })] }
  await client.create(deployments, deploymentOf('web', 3, pods))
  await clock.run({ forMs: 6 * minute })
  const claims = async () => (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
  const before = await claims()
  expect(before).toHaveLength(2)
  const change = { spec: { template: { metadata: { labels: { team: 'web' } } } } }
  const drift = () => client.patch(nodePools, { name: 'slow' }, { kind: 'merge', body: change })
  return { ...world, options, before, claims, drift }
}

test.each(Object.entries(pools))(
  '%s is replaced though machines take longer to come up than a command waits, and none is launched twice for it',
  async (_, of) => {
    const { cluster, log, before, claims, drift, stop } = await aSlowFleet(of)
    const logged = (message: string) => log.lines.filter((line) => line.message === message)
    try {
      cluster.behaviours.chooser = () => ({ readyMs: 12 * minute })
      const created = logged('created nodeclaim').length
      await drift()
      await cluster.clock.run({ forMs: 90 * minute })
      const after = await claims()
      expect(after).toHaveLength(2)
      expect(after.filter((name) => before.includes(name))).toEqual([])
      expect(logged('created nodeclaim').slice(created)).toHaveLength(2)
      expect(logged('failed terminating nodes while executing a disruption command')).toHaveLength(2)
    } finally {
      await stop()
    }
  },
)

test.each(Object.entries(pools).flatMap(([name, of]) => [1, 2].map((restarts) => ({ name, of, restarts }))))(
  '$name is replaced by what the operator before had launched for it, and none is launched twice (restarts: $restarts)',
  async ({ of, restarts }) => {
    const { cluster, operator, options, before, claims, drift, stop } = await aSlowFleet(of)
    const { clock } = cluster
    try {
      cluster.behaviours.chooser = () => ({ readyMs: 3 * minute })
      await drift()
      const isLaunched = () => cluster.aws.state.instances.filter(({ state }) => state === 'running').length > 3
      expect(await clock.run({ until: isLaunched, withinMs: 10 * minute })).toBe(true)
      void operator.stop()
      await clock.run({ forMs: 20_000 })
      const launched = (await claims()).filter((name) => !before.includes(name))
      expect(launched.length).toBeGreaterThan(0)
      for (let restart = 1; restart < restarts; restart += 1) {
        const short = anOperatorOn(cluster, options)
        await clock.run({ forMs: minute })
        void short.operator.stop()
        await clock.run({ forMs: 20_000 })
      }
      const next = anOperatorOn(cluster, options)
      await clock.run({ forMs: 30 * minute })
      const after = await claims()
      expect(after).toHaveLength(2)
      expect(after).toEqual(expect.arrayContaining(launched))
      const created = next.log.lines.filter(({ message }) => message === 'created nodeclaim')
      expect(created).toHaveLength(2 - launched.length)
      void next.operator.stop()
    } finally {
      await stop()
    }
  },
)
