import { describe, expect, test } from 'vitest'
import type { DaemonSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
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

  test('a daemon that waits for room goes with the node that it waits for', async () => {
    const cluster = await aCluster()
    const [first] = await launchReady(cluster, { count: 2 })
    await cluster.client.create(
      daemonSets,
      aSet({ containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '99' } } }] }),
    )
    await cluster.clock.run({ forMs: 10_000 })
    expect((await listPods(cluster)).map(({ status }) => status?.phase)).toEqual(['Pending', 'Pending'])
    await cluster.client.delete(nodes, { name: first?.metadata.name ?? '' })
    await cluster.clock.run({ forMs: 10_000 })
    expect(await listPods(cluster)).toHaveLength(1)
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

  const secondImage = { spec: { containers: [{ name: 'main', image: 'app:2' }] } }
  const liveBy = async (cluster: EmbeddedCluster) => {
    const live = (await listPods(cluster)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const of = (image: string) => live.filter(({ spec }) => spec.containers[0]?.image === image)
    return { old: of('app:1'), current: of('app:2') }
  }

  test('the next node waits until the daemon has been ready for minReadySeconds', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 2 })
    const set = aSet()
    await cluster.client.create(daemonSets, { ...set, spec: { ...set.spec, minReadySeconds: 60 } })
    await cluster.clock.run({ forMs: 30_000 })
    const statusOf = async () =>
      (await cluster.client.get(daemonSets, { namespace: 'default', name: 'agent' })).status ?? {}
    expect(await statusOf()).toMatchObject({ numberReady: 2, numberAvailable: 0, numberUnavailable: 2 })
    await cluster.clock.run({ forMs: 60_000 })
    expect(await statusOf()).toMatchObject({ numberReady: 2, numberAvailable: 2, numberUnavailable: 0 })
    await patch(cluster, daemonSets, 'agent', { spec: { template: secondImage } })
    await cluster.clock.run({ forMs: 60_000 })
    expect((await liveBy(cluster)).old).toHaveLength(1)
    await cluster.clock.run({ forMs: 60_000 })
    expect((await liveBy(cluster)).old).toHaveLength(0)
  })

  test('with maxSurge the new daemon of a node runs before the old one goes', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 3 })
    const set = aSet()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    await cluster.client.create(daemonSets, { ...set, spec: { ...set.spec, updateStrategy, minReadySeconds: 5 } })
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, daemonSets, 'agent', { spec: { template: secondImage } })
    let [fewest, most] = [3, 3]
    for (let second = 0; second < 90; second += 1) {
      await cluster.clock.run({ forMs: 1_000 })
      const { old, current } = await liveBy(cluster)
      const running = [...old, ...current].filter(({ status }) => status?.phase === 'Running')
      fewest = Math.min(fewest, running.length)
      most = Math.max(most, old.length + current.length)
    }
    expect({ fewest, most }).toEqual({ fewest: 3, most: 4 })
    const { old, current } = await liveBy(cluster)
    expect([old.length, current.length]).toEqual([0, 3])
    expect(new Set(current.map(({ spec }) => spec.nodeName)).size).toBe(3)
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
