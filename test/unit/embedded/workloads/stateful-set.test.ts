import { describe, expect, test } from 'vitest'
import type { StatefulSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { controllerRevisions, persistentVolumeClaims, pods, statefulSets } from '../../../../src/kube/kinds.ts'
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

  test('the next pod waits until the one before has been ready for minReadySeconds', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(2, { minReadySeconds: 60 }))
    await cluster.clock.run({ forMs: 30_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0'])
    const statusOf = async () =>
      (await cluster.client.get(statefulSets, { namespace: 'default', name: 'db' })).status ?? {}
    expect(await statusOf()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 })
    await cluster.clock.run({ forMs: 120_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0', 'db-1'])
    expect(await statusOf()).toMatchObject({ readyReplicas: 2, availableReplicas: 2 })
    await patch(cluster, statefulSets, 'db', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    await cluster.clock.run({ forMs: 50_000 })
    const images = async () => (await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)
    expect(await images()).toEqual(['app:1', 'app:2'])
    await cluster.clock.run({ forMs: 90_000 })
    expect(await images()).toEqual(['app:2', 'app:2'])
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

  describe('claims go as persistentVolumeClaimRetentionPolicy has it', () => {
    const all = ['data-db-0', 'data-db-1', 'data-db-2']
    const cases: Record<string, { whenScaled: string; whenDeleted: string; scaled: string[]; deleted: string[] }> = {
      never: { whenScaled: 'Retain', whenDeleted: 'Retain', scaled: all, deleted: all },
      'with the set': { whenScaled: 'Retain', whenDeleted: 'Delete', scaled: all, deleted: [] },
      'with pods that are one too many': {
        whenScaled: 'Delete',
        whenDeleted: 'Retain',
        scaled: ['data-db-0'],
        deleted: ['data-db-0'],
      },
      'with both': { whenScaled: 'Delete', whenDeleted: 'Delete', scaled: ['data-db-0'], deleted: [] },
    }
    const aSetWithClaims = (
      persistentVolumeClaimRetentionPolicy: StatefulSet['spec']['persistentVolumeClaimRetentionPolicy'] & object,
    ) => {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } }
      return aSet(3, {
        persistentVolumeClaimRetentionPolicy,
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
      })
    }
    const claims = async ({ client }: EmbeddedCluster) =>
      (await client.list(persistentVolumeClaims, { namespace: 'default' })).items

    test.each(Object.entries(cases))('%s', async (_name, { scaled, deleted, ...policy }) => {
      const cluster = await aCluster()
      const { client, clock } = cluster
      await launchReady(cluster)
      await client.create(statefulSets, aSetWithClaims(policy))
      await clock.run({ forMs: 60_000 })
      await client.delete(pods, { namespace: 'default', name: 'db-1' })
      await clock.run({ forMs: 60_000 })
      expect(names(await claims(cluster))).toEqual(all)
      await patch(cluster, statefulSets, 'db', { spec: { replicas: 1 } })
      await clock.run({ forMs: 60_000 })
      expect(names(await claims(cluster))).toEqual(scaled)
      await client.delete(statefulSets, { namespace: 'default', name: 'db' })
      await clock.run({ forMs: 60_000 })
      expect(names(await claims(cluster))).toEqual(deleted)
    })

    test('a pod that comes back while its old claim is going waits for a new one', async () => {
      const cluster = await aCluster()
      const { client, clock } = cluster
      await launchReady(cluster)
      await client.create(statefulSets, aSetWithClaims({ whenScaled: 'Delete' }))
      await clock.run({ forMs: 60_000 })
      const before = (await claims(cluster)).map(({ metadata }) => metadata.uid)
      await patch(cluster, persistentVolumeClaims, 'data-db-2', { metadata: { finalizers: ['example.com/backup'] } })
      await patch(cluster, statefulSets, 'db', { spec: { replicas: 2 } })
      await clock.run({ forMs: 60_000 })
      await patch(cluster, statefulSets, 'db', { spec: { replicas: 3 } })
      await clock.run({ forMs: 60_000 })
      expect(names(await listPods(cluster))).toEqual(['db-0', 'db-1'])
      await patch(cluster, persistentVolumeClaims, 'data-db-2', { metadata: { finalizers: null } })
      await clock.run({ forMs: 60_000 })
      expect((await listPods(cluster)).map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running'])
      const after = (await claims(cluster)).map(({ metadata }) => metadata.uid)
      expect(after.map((uid, index) => uid === before[index])).toEqual([true, true, false])
    })

    test('a claim that somebody else controls is left to them', async () => {
      const cluster = await aCluster()
      const { client, clock } = cluster
      await launchReady(cluster)
      await client.create(statefulSets, aSetWithClaims({}))
      await clock.run({ forMs: 60_000 })
      const owner = await client.get(pods, { namespace: 'default', name: 'db-0' })
      const reference = { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: owner.metadata.uid, controller: true }
      await patch(cluster, persistentVolumeClaims, 'data-db-2', { metadata: { ownerReferences: [reference] } })
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' }
      await patch(cluster, statefulSets, 'db', { spec: { replicas: 1, persistentVolumeClaimRetentionPolicy } })
      await clock.run({ forMs: 60_000 })
      expect(names(await claims(cluster))).toEqual(['data-db-0', 'data-db-2'])
    })
  })

  describe('revisions', () => {
    const key = { namespace: 'default', name: 'db' }
    const setImage = (cluster: EmbeddedCluster, image: string) =>
      patch(cluster, statefulSets, 'db', { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } })
    const images = async (cluster: EmbeddedCluster) =>
      Object.fromEntries(
        (await listPods(cluster)).map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]),
      )
    const history = async ({ client }: EmbeddedCluster) =>
      (await client.list(controllerRevisions, { namespace: 'default' })).items
        .toSorted((a, b) => a.revision - b.revision)
        .map(({ revision, data }) => [revision, data?.spec?.template?.spec.containers[0]?.image])

    test('below the partition a pod that is replaced comes back as it was', async () => {
      const cluster = await aCluster()
      await launchReady(cluster)
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
      await cluster.client.create(statefulSets, aSet(3, { updateStrategy, ordinals: { start: 4 } }))
      await cluster.clock.run({ forMs: 30_000 })
      await setImage(cluster, 'app:2')
      await cluster.clock.run({ forMs: 60_000 })
      const partly = { 'db-4': 'app:1', 'db-5': 'app:1', 'db-6': 'app:2' }
      expect(await images(cluster)).toEqual(partly)
      for (const name of ['db-4', 'db-6']) await cluster.client.delete(pods, { namespace: 'default', name })
      await cluster.clock.run({ forMs: 60_000 })
      expect(await images(cluster)).toEqual(partly)
      const { status } = await cluster.client.get(statefulSets, key)
      expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 2, updatedReplicas: 1 })
      const labels = (await listPods(cluster)).map(({ metadata }) => metadata.labels?.['controller-revision-hash'])
      expect(labels).toEqual([status?.['currentRevision'], status?.['currentRevision'], status?.['updateRevision']])

      await patch(cluster, statefulSets, 'db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })
      await cluster.clock.run({ forMs: 60_000 })
      expect(await images(cluster)).toEqual({ 'db-4': 'app:2', 'db-5': 'app:2', 'db-6': 'app:2' })
      const whole = (await cluster.client.get(statefulSets, key)).status
      expect(whole).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 })
      expect(whole?.['currentRevision']).toBe(whole?.['updateRevision'])
    })

    test('each template has one, and a template that comes back makes its own the latest again', async () => {
      const cluster = await aCluster()
      await launchReady(cluster)
      await cluster.client.create(statefulSets, aSet(2))
      await cluster.clock.run({ forMs: 30_000 })
      await setImage(cluster, 'app:2')
      await cluster.clock.run({ forMs: 60_000 })
      expect(await history(cluster)).toEqual([
        [1, 'app:1'],
        [2, 'app:2'],
      ])
      const [first] = (await cluster.client.list(controllerRevisions, { namespace: 'default' })).items.filter(
        ({ revision }) => revision === 1,
      )
      expect(first?.metadata).toMatchObject({
        labels: { app: 'db' },
        ownerReferences: [{ kind: 'StatefulSet', name: 'db' }],
      })
      // What `kubectl rollout undo` does.
      await cluster.client.patch(statefulSets, key, { kind: 'strategic', body: first?.data ?? {} })
      await cluster.clock.run({ forMs: 60_000 })
      expect(await images(cluster)).toEqual({ 'db-0': 'app:1', 'db-1': 'app:1' })
      expect(await history(cluster)).toEqual([
        [2, 'app:2'],
        [3, 'app:1'],
      ])
    })

    test('where pods are replaced by hand they come back new', async () => {
      const cluster = await aCluster()
      await launchReady(cluster)
      await cluster.client.create(statefulSets, aSet(2, { updateStrategy: { type: 'OnDelete' } }))
      await cluster.clock.run({ forMs: 30_000 })
      await setImage(cluster, 'app:2')
      await cluster.clock.run({ forMs: 30_000 })
      await cluster.client.delete(pods, { namespace: 'default', name: 'db-0' })
      await cluster.clock.run({ forMs: 60_000 })
      expect(await images(cluster)).toEqual({ 'db-0': 'app:2', 'db-1': 'app:1' })
      expect((await cluster.client.get(statefulSets, key)).status).toMatchObject({
        currentReplicas: 1,
        updatedReplicas: 1,
      })
    })

    test('beyond the limit the oldest are forgotten, those of pods kept', async () => {
      const cluster = await aCluster()
      await launchReady(cluster)
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
      await cluster.client.create(statefulSets, aSet(2, { updateStrategy, revisionHistoryLimit: 1 }))
      await cluster.clock.run({ forMs: 30_000 })
      for (const image of ['app:2', 'app:3', 'app:4']) {
        await setImage(cluster, image)
        await cluster.clock.run({ forMs: 10_000 })
      }
      expect(await history(cluster)).toEqual([
        [1, 'app:1'],
        [3, 'app:3'],
        [4, 'app:4'],
      ])
      await cluster.client.delete(statefulSets, key)
      await cluster.clock.run({ forMs: 60_000 })
      expect(await history(cluster)).toEqual([])
    })
  })
})
