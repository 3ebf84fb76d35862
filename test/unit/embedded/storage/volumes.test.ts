import { expect, test } from 'vitest'
import type { PersistentVolumeClaim, Unsaved } from '../../../../src/api/kubernetes.ts'
import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  volumeAttachments,
} from '../../../../src/kube/kinds.ts'
import { aCluster, aPod, aStorageClass, conditionOf, getPod, launchReady, patch } from '../world.ts'

const aClaim = (name = 'data'): Unsaved<PersistentVolumeClaim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
})

const withClaim = (claimName = 'data') => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] })

test('a claim waits for its pod, then gets a volume in the zone of the node', async () => {
  const cluster = await aCluster()
  await cluster.client.create(persistentVolumeClaims, aClaim())
  await launchReady(cluster, { zone: 1 })
  expect((await cluster.client.list(persistentVolumes)).items).toEqual([])
  await cluster.client.create(pods, aPod('db', withClaim()))
  await cluster.clock.run({ forMs: 10_000 })
  const [volume] = (await cluster.client.list(persistentVolumes)).items
  expect(volume?.spec.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values).toEqual([
    'us-west-2b',
  ])
  expect((await getPod(cluster, 'db')).status?.phase).toBe('Running')
})

test('a volume that somebody made is available until a claim takes it', async () => {
  const cluster = await aCluster()
  const phase = async () => (await cluster.client.get(persistentVolumes, { name: 'made' })).status?.phase
  await cluster.client.create(persistentVolumes, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'made' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
    },
  })
  await cluster.clock.run({ forMs: 1_000 })
  expect(await phase()).toBe('Available')
  const claim = aClaim()
  await cluster.client.create(persistentVolumeClaims, {
    ...claim,
    spec: { ...claim.spec, storageClassName: '', volumeName: 'made' },
  })
  await cluster.clock.run({ forMs: 10_000 })
  expect(await phase()).toBe('Bound')
})

test('a volume keeps its pod in its zone', async () => {
  const cluster = await aCluster()
  await cluster.client.create(persistentVolumeClaims, aClaim())
  const [node] = await launchReady(cluster, { zone: 1 })
  await cluster.client.create(pods, aPod('db', withClaim()))
  await cluster.clock.run({ forMs: 10_000 })
  await cluster.client.delete(pods, { namespace: 'default', name: 'db' })
  cluster.aws.terminateOutOfBand(node?.spec.providerID?.split('/').at(-1) ?? '')
  await cluster.clock.run({ forMs: 120_000 })
  await launchReady(cluster, { zone: 0 })
  await cluster.client.create(pods, aPod('db', withClaim()))
  await cluster.clock.run({ forMs: 10_000 })
  expect(conditionOf(await getPod(cluster, 'db'), 'PodScheduled')).toMatchObject({
    status: 'False',
    message:
      '0/1 nodes are available: 1 node(s) had volume node affinity conflict. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  })
})

test('a pod of a claim that does not exist cannot be placed', async () => {
  const cluster = await aCluster()
  await launchReady(cluster)
  await cluster.client.create(pods, aPod('db', withClaim('nope')))
  await cluster.clock.run({ forMs: 1_000 })
  expect(conditionOf(await getPod(cluster, 'db'), 'PodScheduled')).toMatchObject({
    message:
      '0/1 nodes are available: persistentvolumeclaim "nope" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  })
})

test('a volume is attached while pods use it and detached some time after', async () => {
  const cluster = await aCluster({ attachments: { detachMs: 30_000 } })
  await launchReady(cluster)
  await cluster.client.create(persistentVolumeClaims, aClaim())
  await cluster.client.create(pods, aPod('db', withClaim()))
  await cluster.clock.run({ forMs: 10_000 })
  const list = async () => (await cluster.client.list(volumeAttachments)).items
  expect(await list()).toMatchObject([{ spec: { attacher: 'ebs.csi.aws.com' }, status: { attached: true } }])
  await cluster.client.delete(pods, { namespace: 'default', name: 'db' })
  await cluster.clock.run({ forMs: 20_000 })
  expect(await list()).toHaveLength(1)
  await cluster.clock.run({ forMs: 20_000 })
  expect(await list()).toEqual([])
})

test('a generic ephemeral volume lives and dies with its pod', async () => {
  const cluster = await aCluster()
  await launchReady(cluster)
  const ephemeral = { volumeClaimTemplate: { spec: aClaim().spec } }
  await cluster.client.create(pods, aPod('job', { volumes: [{ name: 'scratch', ephemeral }] }))
  await cluster.clock.run({ forMs: 10_000 })
  expect((await getPod(cluster, 'job')).status?.phase).toBe('Running')
  expect((await cluster.client.list(persistentVolumes)).items).toHaveLength(1)
  await cluster.client.delete(pods, { namespace: 'default', name: 'job' })
  await cluster.clock.run({ forMs: 30_000 })
  expect((await cluster.client.list(persistentVolumeClaims, { namespace: 'default' })).items).toEqual([])
  expect((await cluster.client.list(persistentVolumes)).items).toEqual([])
})

test('a volume of a class that retains outlives its claim', async () => {
  const cluster = await aCluster()
  const kept = { provisioner: 'ebs.csi.aws.com', reclaimPolicy: 'Retain', mountOptions: ['noatime'] }
  await cluster.client.create(storageClasses, aStorageClass('keep', kept))
  const claim = aClaim()
  await cluster.client.create(persistentVolumeClaims, { ...claim, spec: { ...claim.spec, storageClassName: 'keep' } })
  await cluster.clock.run({ forMs: 5_000 })
  await cluster.client.delete(persistentVolumeClaims, { namespace: 'default', name: 'data' })
  await cluster.clock.run({ forMs: 5_000 })
  expect((await cluster.client.list(persistentVolumes)).items).toMatchObject([
    { spec: { persistentVolumeReclaimPolicy: 'Retain', mountOptions: ['noatime'] }, status: { phase: 'Released' } },
  ])
})

test('a claim grows where its class lets volumes grow, and is refused more where it does not', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  const grow = (name: string) =>
    patch(cluster, persistentVolumeClaims, name, { spec: { resources: { requests: { storage: '20Gi' } } } })
  const growing = { provisioner: 'ebs.csi.aws.com', allowVolumeExpansion: true }
  await client.create(storageClasses, aStorageClass('growing', growing))
  await client.create(storageClasses, aStorageClass('fixed', { provisioner: 'ebs.csi.aws.com' }))
  for (const storageClassName of ['growing', 'fixed']) {
    const claim = aClaim(storageClassName)
    await client.create(persistentVolumeClaims, { ...claim, spec: { ...claim.spec, storageClassName } })
  }
  await clock.run({ forMs: 10_000 })
  await grow('growing')
  await expect(grow('fixed')).rejects.toThrow(
    'persistentvolumeclaims "fixed" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
  await clock.run({ forMs: 10_000 })
  const claims = (await client.list(persistentVolumeClaims)).items
  expect(claims.map(({ metadata, status }) => [metadata.name, status?.capacity?.['storage']])).toEqual([
    ['fixed', '10Gi'],
    ['growing', '20Gi'],
  ])
  const volumes = (await client.list(persistentVolumes)).items
  expect(volumes.map(({ spec }) => [spec.claimRef?.name, spec.capacity?.['storage']])).toEqual(
    expect.arrayContaining([
      ['fixed', '10Gi'],
      ['growing', '20Gi'],
    ]),
  )
})
