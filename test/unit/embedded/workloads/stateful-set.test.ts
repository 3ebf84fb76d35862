import { describe, expect, test } from 'vitest'
import type { StatefulSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import { persistentVolumeClaims, pods, statefulSets } from '../../../../src/kube/kinds.ts'
import { aCluster, aTemplate, launchReady, listPods, patch, names } from '../world.ts'

describe('StatefulSets', () => {
  const aSet = (replicas: number, more: Partial<StatefulSet['spec']> = {}): Unsaved<StatefulSet> => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: aTemplate({ app: 'db' }),
      ...more,
    },
  })

  test('pods start one after the other and stop from the last', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(3))
    await cluster.clock.run({ forMs: 1_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0'])
    await cluster.clock.run({ forMs: 30_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0', 'db-1', 'db-2'])
    const set = await cluster.client.get(statefulSets, { namespace: 'default', name: 'db' })
    expect(set.status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 })
    expect(set.status?.['currentRevision']).toBe(set.status?.['updateRevision'])
    await patch(cluster, statefulSets, 'db', { spec: { replicas: 1 } })
    await cluster.clock.run({ forMs: 30_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0'])
  })

  test('they are numbered from the first ordinal on, and each has its name under that of the service', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(2, { ordinals: { start: 5 } }))
    await cluster.clock.run({ forMs: 30_000 })
    const all = await listPods(cluster)
    expect(all.map(({ spec }) => [spec.hostname, spec.subdomain])).toEqual([
      ['db-5', 'db'],
      ['db-6', 'db'],
    ])
    await patch(cluster, statefulSets, 'db', { spec: { ordinals: { start: 6 } } })
    await cluster.clock.run({ forMs: 60_000 })
    expect(names(await listPods(cluster))).toEqual(['db-6', 'db-7'])
  })

  test('in parallel they start at once', async () => {
    const cluster = await aCluster()
    await cluster.client.create(statefulSets, aSet(3, { podManagementPolicy: 'Parallel' }))
    await cluster.clock.run({ forMs: 1_000 })
    expect(await listPods(cluster)).toHaveLength(3)
  })

  test('a new template replaces pods from the last to the first', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(3))
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, statefulSets, 'db', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    await cluster.clock.run({ forMs: 3_000 })
    const images = async () =>
      Object.fromEntries(
        (await listPods(cluster)).map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]),
      )
    expect(await images()).toMatchObject({ 'db-0': 'app:1', 'db-1': 'app:1' })
    await cluster.clock.run({ forMs: 60_000 })
    expect(await images()).toEqual({ 'db-0': 'app:2', 'db-1': 'app:2', 'db-2': 'app:2' })
  })

  test('claims are made from templates and survive their pods', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    }
    await cluster.client.create(statefulSets, aSet(1, { volumeClaimTemplates: [claim] }))
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, statefulSets, 'db', { spec: { replicas: 0 } })
    await cluster.clock.run({ forMs: 30_000 })
    expect(await listPods(cluster)).toEqual([])
    const claims = (await cluster.client.list(persistentVolumeClaims, { namespace: 'default' })).items
    expect(claims.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([['data-db-0', 'Bound']])
  })

  test('a claim that is deleted with its pod is made anew for the next one', async () => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await launchReady(cluster)
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    }
    await client.create(statefulSets, aSet(2, { volumeClaimTemplates: [claim] }))
    await clock.run({ forMs: 60_000 })
    const key = { namespace: 'default', name: 'data-db-1' }
    const before = await client.get(persistentVolumeClaims, key)
    await client.delete(persistentVolumeClaims, key)
    await client.delete(pods, { namespace: 'default', name: 'db-1' })
    await clock.run({ forMs: 4 * 60_000 })
    expect((await listPods(cluster)).map(({ status }) => status?.phase)).toEqual(['Running', 'Running'])
    expect((await client.get(persistentVolumeClaims, key)).metadata.uid).not.toBe(before.metadata.uid)
  })
})
