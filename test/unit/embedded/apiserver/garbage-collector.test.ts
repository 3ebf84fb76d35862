import { expect, test } from 'vitest'
import type { OwnerReference } from '../../../../src/api/kubernetes.ts'
import { namespaces, persistentVolumeClaims, pods } from '../../../../src/kube/kinds.ts'
import {
  aWorld,
  configMaps,
  createMap,
  failureOf,
  namesOf,
  validatingWebhooks,
  webhookConfiguration,
  type World,
} from './world.ts'

async function ownerRef({ client }: World, name: string, more: Partial<OwnerReference> = {}): Promise<OwnerReference> {
  const owner = await client.get(configMaps, { namespace: 'default', name })
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: owner.metadata.uid, ...more }
}

test('dependents go after their last owner, through every level', async () => {
  const world = aWorld()
  const { client, settle } = world
  await createMap(client, 'a')
  await createMap(client, 'b', { ownerReferences: [await ownerRef(world, 'a')] })
  await createMap(client, 'c', { ownerReferences: [await ownerRef(world, 'b')] })
  await createMap(client, 'free')
  await client.delete(configMaps, { namespace: 'default', name: 'a' })
  await settle()
  expect(await namesOf(client)).toEqual(['free'])
})

test('a dependent with another owner stays and loses the reference', async () => {
  const world = aWorld()
  const { client, settle } = world
  await createMap(client, 'a')
  await createMap(client, 'b')
  await createMap(client, 'c', { ownerReferences: [await ownerRef(world, 'a'), await ownerRef(world, 'b')] })
  await client.delete(configMaps, { namespace: 'default', name: 'a' })
  await settle()
  const left = await client.get(configMaps, { namespace: 'default', name: 'c' })
  expect(left.metadata.ownerReferences?.map((owner) => owner.name)).toEqual(['b'])
})

test('an object whose owner never was goes; one of an unknown kind stays', async () => {
  const { client, settle } = aWorld()
  const uid = '00000000-0000-4000-8000-000000000000'
  await createMap(client, 'lost', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid }] })
  await createMap(client, 'kept', {
    ownerReferences: [{ apiVersion: 'none.example/v1', kind: 'None', name: 'none', uid }],
  })
  await settle()
  expect(await namesOf(client)).toEqual(['kept'])
})

test('foreground deletion keeps the owner until its blocking dependents are gone', async () => {
  const world = aWorld()
  const { client, settle } = world
  await createMap(client, 'a')
  const ownerReferences = [await ownerRef(world, 'a', { blockOwnerDeletion: true })]
  await createMap(client, 'b', { ownerReferences, finalizers: ['example.com/hold'] })
  await client.delete(configMaps, { namespace: 'default', name: 'a' }, { propagationPolicy: 'Foreground' })
  await settle()
  expect(await namesOf(client)).toEqual(['a', 'b'])
  const body = { metadata: { finalizers: null } }
  await client.patch(configMaps, { namespace: 'default', name: 'b' }, { kind: 'merge', body })
  await settle()
  expect(await namesOf(client)).toEqual([])
})

test('orphaning cuts the references and keeps the dependents', async () => {
  const world = aWorld()
  const { client, settle } = world
  await createMap(client, 'a')
  await createMap(client, 'b', { ownerReferences: [await ownerRef(world, 'a')] })
  await client.delete(configMaps, { namespace: 'default', name: 'a' }, { propagationPolicy: 'Orphan' })
  await settle()
  expect(await namesOf(client)).toEqual(['b'])
  const left = await client.get(configMaps, { namespace: 'default', name: 'b' })
  expect(left.metadata.ownerReferences).toBeUndefined()
})

test.each(['default', 'kube-system', 'kube-public'])('namespace %s may not be deleted', async (name) => {
  const { client } = aWorld()
  await expect(client.delete(namespaces, { name })).rejects.toMatchObject({
    code: 'Forbidden',
    message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
  })
})

test('a deleted namespace takes nothing new, empties itself, then goes', async () => {
  const { client, settle } = aWorld()
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } })
  await createMap(client, 'held', { namespace: 'ns', finalizers: ['example.com/hold'] })
  await client.delete(namespaces, { name: 'ns' })
  await settle()
  expect((await client.get(namespaces, { name: 'ns' })).status?.phase).toBe('Terminating')
  expect(await failureOf(createMap(client, 'late', { namespace: 'ns' }))).toContain('because it is being terminated')
  const body = { metadata: { finalizers: null } }
  await client.patch(configMaps, { namespace: 'ns', name: 'held' }, { kind: 'merge', body })
  await settle()
  expect(await failureOf(client.get(namespaces, { name: 'ns' }))).toBe('NotFound: namespaces "ns" not found')
})

test('a claim in use is kept until its last pod is gone', async () => {
  const { client, settle } = aWorld()
  const key = { namespace: 'default', name: 'claim' }
  await client.create(persistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: key,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await client.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'p' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
    },
  })
  await client.delete(persistentVolumeClaims, key)
  await settle()
  expect((await client.get(persistentVolumeClaims, key)).metadata.deletionTimestamp).toBeDefined()
  await client.delete(pods, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 })
  await settle()
  expect(await failureOf(client.get(persistentVolumeClaims, key))).toContain('NotFound')
})

test('what a webhook refuses to let go is asked for again, less and less often, until it may go', async () => {
  let refused = 0
  let isRefusing = true
  const transport = async ({ body }: { readonly body: string }) => {
    const { request } = JSON.parse(body) as { request: { uid: string; name: string } }
    const allowed = !isRefusing || request.name !== 'b'
    if (!allowed) refused += 1
    return JSON.stringify({ response: { uid: request.uid, allowed } })
  }
  const world = aWorld({ webhooks: { transport } })
  const { client, clock } = world
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }]
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { rules }))
  await createMap(client, 'a')
  await createMap(client, 'b', { ownerReferences: [await ownerRef(world, 'a')] })
  await client.delete(configMaps, { namespace: 'default', name: 'a' })
  await clock.run({ forMs: 600_000 })
  expect(refused).toBeGreaterThan(10)
  expect(refused).toBeLessThan(40)
  isRefusing = false
  await clock.run({ forMs: 31_000 })
  expect(await namesOf(client)).toEqual([])
})
