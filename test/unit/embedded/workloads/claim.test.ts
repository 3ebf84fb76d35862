import { describe, expect, test } from 'vitest'
import type { StatefulSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import { deployments, pods, replicaSets, statefulSets } from '../../../../src/kube/kinds.ts'
import { aCluster, aDeployment, aTemplate, launchReady, listPods, patch, names } from '../world.ts'

describe('what an owner leaves behind', () => {
  const orphaning = { propagationPolicy: 'Orphan' } as const
  const identities = (list: readonly { metadata: { uid: string } }[]) => list.map(({ metadata }) => metadata.uid)
  const owners = (list: readonly { metadata: { ownerReferences?: readonly { name: string }[] } }[]) =>
    list.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ name }) => name))

  test('a Deployment that is created again takes its ReplicaSet and pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    const before = identities(await listPods(cluster))
    const key = { namespace: 'default', name: 'web' }
    await cluster.client.delete(deployments, key, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    expect(owners((await cluster.client.list(replicaSets, { namespace: 'default' })).items)).toEqual([])
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    expect(owners((await cluster.client.list(replicaSets, { namespace: 'default' })).items)).toEqual(['web'])
    expect(identities(await listPods(cluster))).toEqual(before)
    await patch(cluster, deployments, 'web', { spec: { replicas: 3 } })
    await cluster.clock.run({ forMs: 10_000 })
    expect((await cluster.client.get(deployments, key)).status).toMatchObject({ availableReplicas: 3 })
  })

  const aReplicaSet = (replicas: number) => {
    const { metadata, spec } = aDeployment('web', replicas)
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata,
      spec: { replicas, selector: spec.selector, template: spec.template },
    }
  }

  test('a ReplicaSet takes its pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(replicaSets, aReplicaSet(2))
    await cluster.clock.run({ forMs: 10_000 })
    const before = identities(await listPods(cluster))
    await cluster.client.delete(replicaSets, { namespace: 'default', name: 'web' }, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    await cluster.client.create(replicaSets, aReplicaSet(2))
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    expect(owners(await listPods(cluster))).toEqual(['web', 'web'])
  })

  test('a pod that came before its ReplicaSet counts, one whose label is taken away is replaced', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(replicaSets, aReplicaSet(1))
    await cluster.clock.run({ forMs: 10_000 })
    const [pod] = names(await listPods(cluster))
    await patch(cluster, pods, pod ?? '', { metadata: { labels: { app: 'debug' } } })
    await cluster.clock.run({ forMs: 10_000 })
    const all = await listPods(cluster)
    expect(all).toHaveLength(2)
    expect(owners(all.filter(({ metadata }) => metadata.name === pod))).toEqual([])
    // Back under the label there is one too many.
    await patch(cluster, pods, pod ?? '', { metadata: { labels: { app: 'web' } } })
    await cluster.clock.run({ forMs: 60_000 })
    expect(owners(await listPods(cluster))).toEqual(['web'])
  })

  test('a StatefulSet takes its pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    const set: Unsaved<StatefulSet> = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'db' } }, template: aTemplate({ app: 'db' }) },
    }
    await cluster.client.create(statefulSets, set)
    await cluster.clock.run({ forMs: 30_000 })
    const before = identities(await listPods(cluster))
    await cluster.client.delete(statefulSets, { namespace: 'default', name: 'db' }, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    await cluster.client.create(statefulSets, set)
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    expect(owners(await listPods(cluster))).toEqual(['db', 'db'])
  })
})
