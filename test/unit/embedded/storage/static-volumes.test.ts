import { expect, test } from 'vitest'
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  Unsaved,
} from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { events, persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '../../../../src/kube/kinds.ts'
import { aCluster, aPod, aStorageClass, conditionOf, getPod, launchReady } from '../world.ts'

interface Sizes {
  readonly storage: string
}

function aVolume(
  name: string,
  { storage, ...spec }: Partial<PersistentVolume['spec']> & Sizes,
  labels: Record<string, string> = {},
): Unsaved<PersistentVolume> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage },
      storageClassName: 'manual',
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
      ...spec,
    },
  }
}

function aClaim(
  name: string,
  { storage, ...spec }: Partial<PersistentVolumeClaimSpec> & Sizes,
): Unsaved<PersistentVolumeClaim> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'manual',
      resources: { requests: { storage } },
      ...spec,
    },
  }
}

const inZone = (zone: string): NonNullable<PersistentVolume['spec']['nodeAffinity']> => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] }],
  },
})

const uses = (claimName: string) => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] })

async function settle({ clock }: EmbeddedCluster): Promise<void> {
  await clock.run({ forMs: 5_000 })
}

async function makeVolumes(cluster: EmbeddedCluster, volumes: readonly Unsaved<PersistentVolume>[]): Promise<void> {
  for (const volume of volumes) await cluster.client.create(persistentVolumes, volume)
  await settle(cluster)
}

/** Where each claim came to lie, or what is told of one that waits. */
async function outcomes(cluster: EmbeddedCluster): Promise<Record<string, string | undefined>> {
  const told = (await cluster.client.list(events, { namespace: 'default' })).items
  const { items } = await cluster.client.list(persistentVolumeClaims)
  return Object.fromEntries(
    items.map(({ metadata, spec, status }) => [
      metadata.name,
      status?.phase === 'Bound'
        ? spec.volumeName
        : told.findLast(({ involvedObject }) => involvedObject?.uid === metadata.uid)?.message,
    ]),
  )
}

interface Case {
  readonly volumes: readonly Unsaved<PersistentVolume>[]
  readonly claims: readonly Unsaved<PersistentVolumeClaim>[]
  readonly want: Record<string, string>
}

const manualMissing = 'storageclass.storage.k8s.io "manual" not found'

const cases: Record<string, Case> = {
  'a claim takes the smallest volume that holds it': {
    volumes: [
      aVolume('large', { storage: '100Gi' }),
      aVolume('medium', { storage: '20Gi' }),
      aVolume('small', { storage: '5Gi' }),
    ],
    claims: [aClaim('data', { storage: '8Gi' })],
    want: { data: 'medium' },
  },
  'a claim that finds none says so': {
    volumes: [aVolume('small', { storage: '5Gi' })],
    claims: [aClaim('data', { storage: '8Gi' }), aClaim('plain', { storage: '1Gi', storageClassName: '' })],
    want: {
      data: manualMissing,
      plain: 'no persistent volumes available for this claim and no storage class is set',
    },
  },
  'labels, access modes and volume modes decide as well': {
    volumes: [
      aVolume('block', { storage: '10Gi', volumeMode: 'Block' }, { tier: 'fast' }),
      aVolume('shared', { storage: '10Gi', accessModes: ['ReadWriteMany'] }, { tier: 'fast' }),
      aVolume('slow', { storage: '10Gi' }, { tier: 'slow' }),
      aVolume('fast', { storage: '10Gi' }, { tier: 'fast' }),
    ],
    claims: [aClaim('data', { storage: '10Gi', selector: { matchLabels: { tier: 'fast' } } })],
    want: { data: 'fast' },
  },
  'a volume that two claims name goes to one of them': {
    volumes: [aVolume('share', { storage: '10Gi' })],
    claims: [
      aClaim('first', { storage: '10Gi', volumeName: 'share' }),
      aClaim('second', { storage: '10Gi', volumeName: 'share' }),
    ],
    want: { first: 'share', second: 'volume "share" already bound to a different claim.' },
  },
  'a named volume has to do for the claim': {
    volumes: [aVolume('share', { storage: '10Gi' })],
    claims: [aClaim('data', { storage: '20Gi', volumeName: 'share' })],
    want: { data: 'Cannot bind to requested volume "share": requested PV is too small' },
  },
  'a volume that names its claim waits for it': {
    volumes: [aVolume('kept', { storage: '10Gi', claimRef: { namespace: 'default', name: 'other' } })],
    claims: [aClaim('data', { storage: '10Gi' }), aClaim('other', { storage: '10Gi' })],
    want: { data: manualMissing, other: 'kept' },
  },
}

test.each(Object.entries(cases))('%s', async (_name, { volumes, claims, want }) => {
  const cluster = await aCluster()
  await makeVolumes(cluster, volumes)
  for (const claim of claims) {
    await cluster.client.create(persistentVolumeClaims, claim)
    await settle(cluster)
  }
  expect(await outcomes(cluster)).toEqual(want)
})

test('a claim is as large as the volume that it got, and tells whose it is', async () => {
  const cluster = await aCluster()
  await makeVolumes(cluster, [aVolume('share', { storage: '100Gi', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] })])
  await cluster.client.create(persistentVolumeClaims, aClaim('data', { storage: '10Gi', volumeName: 'share' }))
  await settle(cluster)
  const claim = await cluster.client.get(persistentVolumeClaims, { namespace: 'default', name: 'data' })
  expect(claim.status).toMatchObject({
    capacity: { storage: '100Gi' },
    accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
  })
  const volume = await cluster.client.get(persistentVolumes, { name: 'share' })
  expect(volume.spec.claimRef).toMatchObject({ namespace: 'default', name: 'data', uid: claim.metadata.uid })
})

test('a pod whose claim names a volume that another has waits', async () => {
  const cluster = await aCluster()
  await launchReady(cluster)
  await makeVolumes(cluster, [aVolume('share', { storage: '10Gi' })])
  for (const name of ['first', 'second']) {
    await cluster.client.create(persistentVolumeClaims, aClaim(name, { storage: '10Gi', volumeName: 'share' }))
    await settle(cluster)
    await cluster.client.create(pods, aPod(name, uses(name)))
  }
  await settle(cluster)
  expect((await getPod(cluster, 'first')).status?.phase).toBe('Running')
  expect(conditionOf(await getPod(cluster, 'second'), 'PodScheduled')).toMatchObject({
    message: expect.stringContaining('pod has unbound immediate PersistentVolumeClaims') as string,
  })
})

test('where a claim waits for its pod, the pod goes where a volume lies that people made', async () => {
  const cluster = await aCluster()
  const provisioner = 'kubernetes.io/no-provisioner'
  const local = aStorageClass('local', { provisioner, volumeBindingMode: 'WaitForFirstConsumer' })
  await cluster.client.create(storageClasses, local)
  await launchReady(cluster, { zone: 0 })
  const [second] = await launchReady(cluster, { zone: 1 })
  const storageClassName = 'local'
  for (const name of ['one', 'two']) {
    await cluster.client.create(persistentVolumeClaims, aClaim(name, { storage: '10Gi', storageClassName }))
    await cluster.client.create(pods, aPod(name, uses(name)))
  }
  await settle(cluster)
  const why = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
  expect(conditionOf(await getPod(cluster, 'one'), 'PodScheduled')).toMatchObject({
    message: expect.stringContaining(why) as string,
  })
  const nodeAffinity = inZone('us-west-2b')
  await makeVolumes(cluster, [aVolume('disk', { storage: '50Gi', storageClassName, nodeAffinity })])
  const placed = await Promise.all(['one', 'two'].map(async (name) => (await getPod(cluster, name)).spec.nodeName))
  expect(placed).toEqual([second?.metadata.name, undefined])
  expect(await outcomes(cluster)).toMatchObject({ one: 'disk' })
})

test('a file system that every zone reaches keeps its pod in none', async () => {
  const cluster = await aCluster()
  await cluster.client.create(storageClasses, aStorageClass('efs', { provisioner: 'efs.csi.aws.com' }))
  const spec = { storage: '5Gi', storageClassName: 'efs', accessModes: ['ReadWriteMany'] }
  await cluster.client.create(persistentVolumeClaims, aClaim('shared', spec))
  await settle(cluster)
  const [volume] = (await cluster.client.list(persistentVolumes)).items
  expect(volume).toMatchObject({ spec: { csi: { driver: 'efs.csi.aws.com' } }, status: { phase: 'Bound' } })
  expect(volume?.spec.nodeAffinity).toBeUndefined()
})
