import { expect, test } from 'vitest'
import type { Pod, Unsaved } from '../../../../src/api/kubernetes.ts'
import { createApiServer, saveState } from '../../../../src/embedded/apiserver/index.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'
import { pods } from '../../../../src/kube/kinds.ts'
import { aWorld, resource } from './world.ts'

const accounts = resource('', 'v1', 'ServiceAccount', 'serviceaccounts', true)
const namespaces = resource('', 'v1', 'Namespace', 'namespaces')
const account = { namespace: 'team', name: 'default' }
const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }
const pod: Unsaved<Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'team' },
  spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
}

test('a namespace has its account at once, and it comes back when it is deleted', async () => {
  const { client, settle } = aWorld({ serviceAccounts: 'admitted' })
  await client.create(namespaces, team)
  await client.create(pods, pod)
  expect((await client.get(pods, { namespace: 'team', name: 'a' })).spec.serviceAccountName).toBe('default')
  await client.delete(accounts, account)
  await expect(client.create(pods, { ...pod, metadata: { ...pod.metadata, name: 'b' } })).rejects.toThrow(
    'error looking up service account team/default: serviceaccount "default" not found',
  )
  await settle()
  expect((await client.get(accounts, account)).metadata.name).toBe('default')
})

test('it goes with its namespace', async () => {
  const { client, settle } = aWorld({ serviceAccounts: 'admitted' })
  await client.create(namespaces, team)
  await client.delete(namespaces, { name: 'team' })
  await settle()
  await expect(client.get(namespaces, { name: 'team' })).rejects.toThrow('not found')
  await expect(client.get(accounts, account)).rejects.toThrow('not found')
})

test('namespaces of a state that was saved without accounts get theirs', async () => {
  const before = aWorld()
  await before.client.create(namespaces, team)
  const state = saveState(before.server.context.store)
  const server = createApiServer({
    clock: before.clock,
    random: new SeededRandom(8),
    state,
    serviceAccounts: 'admitted',
  })
  expect(server.context.store.get('/serviceaccounts', 'team/default')?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
})

test('a server that runs alone asks for none', async () => {
  const { client } = aWorld()
  await client.create(namespaces, team)
  await client.create(pods, pod)
  expect((await client.get(pods, { namespace: 'team', name: 'a' })).spec.serviceAccountName).toBeUndefined()
})
