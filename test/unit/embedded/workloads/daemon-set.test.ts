import { describe, expect, test } from 'vitest'
import type { DaemonSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import { daemonSets, nodes } from '../../../../src/kube/kinds.ts'
import { aCluster, aTemplate, launchReady, listPods, patch } from '../world.ts'

describe('DaemonSets', () => {
  const aSet = (spec = {}): Unsaved<DaemonSet> => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: aTemplate({ app: 'agent' }, spec) },
  })

  test('each node that may run the daemon gets one, nodes that come later too', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 2 })
    await cluster.client.create(daemonSets, aSet())
    await cluster.clock.run({ forMs: 10_000 })
    expect(new Set((await listPods(cluster)).map(({ spec }) => spec.nodeName)).size).toBe(2)
    await launchReady(cluster)
    expect(new Set((await listPods(cluster)).map(({ spec }) => spec.nodeName)).size).toBe(3)
    const set = await cluster.client.get(daemonSets, { namespace: 'default', name: 'agent' })
    expect(set.status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 3 })
  })

  test('selectors and taints keep daemons away', async () => {
    const cluster = await aCluster()
    const [first, second] = await launchReady(cluster, { count: 2 })
    await patch(cluster, nodes, first?.metadata.name ?? '', { metadata: { labels: { disk: 'ssd' } } }, '')
    await cluster.client.create(daemonSets, aSet({ nodeSelector: { disk: 'ssd' } }))
    await cluster.clock.run({ forMs: 10_000 })
    expect((await listPods(cluster)).map(({ spec }) => spec.nodeName)).toEqual([first?.metadata.name])
    await patch(
      cluster,
      nodes,
      first?.metadata.name ?? '',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } },
      '',
    )
    await patch(
      cluster,
      nodes,
      second?.metadata.name ?? '',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] }, metadata: { labels: { disk: 'ssd' } } },
      '',
    )
    await cluster.clock.run({ forMs: 10_000 })
    // NoSchedule does not drive out the daemon that is there, and lets none in elsewhere.
    expect((await listPods(cluster)).map(({ spec }) => spec.nodeName)).toEqual([first?.metadata.name])
  })

  test('a new template is rolled out one node at a time', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 3 })
    await cluster.client.create(daemonSets, aSet())
    await cluster.clock.run({ forMs: 10_000 })
    await patch(cluster, daemonSets, 'agent', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    let fewest = 3
    for (let second = 0; second < 40; second += 1) {
      await cluster.clock.run({ forMs: 1_000 })
      const ready = (await listPods(cluster)).filter(
        (pod) => pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Running',
      )
      fewest = Math.min(fewest, ready.length)
    }
    expect(fewest).toBe(2)
    expect((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:2', 'app:2', 'app:2'])
  })
})
