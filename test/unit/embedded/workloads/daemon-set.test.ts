import { describe, expect, test } from 'vitest'
import type { DaemonSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import { controllerRevisions, daemonSets, nodes } from '../../../../src/kube/kinds.ts'
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

  test('each template has a revision that pods name, and what undoes a rollout is one of them', async () => {
    const cluster = await aCluster()
    const key = { namespace: 'default', name: 'agent' }
    await launchReady(cluster, { count: 2 })
    await cluster.client.create(daemonSets, aSet())
    await cluster.clock.run({ forMs: 10_000 })
    await patch(cluster, daemonSets, 'agent', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    await cluster.clock.run({ forMs: 60_000 })
    const history = async () =>
      (await cluster.client.list(controllerRevisions, { namespace: 'default' })).items.toSorted(
        (a, b) => a.revision - b.revision,
      )
    const [first, second] = await history()
    expect([first?.revision, second?.revision]).toEqual([1, 2])
    const labelsOf = async (name: string) => (await listPods(cluster)).map(({ metadata }) => metadata.labels?.[name])
    const hash = second?.metadata.labels?.['controller-revision-hash']
    expect(second?.metadata.name).toBe(`agent-${hash}`)
    expect(await labelsOf('controller-revision-hash')).toEqual([hash, hash])
    expect(await labelsOf('pod-template-generation')).toEqual(['2', '2'])
    // What `kubectl rollout undo` does.
    await cluster.client.patch(daemonSets, key, { kind: 'strategic', body: first?.data ?? {} })
    await cluster.clock.run({ forMs: 60_000 })
    expect((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:1', 'app:1'])
    expect((await history()).map(({ revision, metadata }) => [revision, metadata.name])).toEqual([
      [2, second?.metadata.name],
      [3, first?.metadata.name],
    ])
  })
})
