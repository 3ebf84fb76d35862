import { expect, test } from 'vitest'
import type { Condition } from '../../../../src/api/kubernetes.ts'
import { namespaces } from '../../../../src/kube/kinds.ts'
import { exchange } from './plain-exchange.ts'
import {
  aWorld,
  configMaps,
  createMap,
  failureOf,
  validatingWebhooks,
  webhookConfiguration,
  type World,
} from './world.ts'

async function aNamespace({ client }: World): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
}

/** Type, reason and message of what holds it. */
async function heldBy({ client }: World): Promise<readonly unknown[]> {
  const { status } = await client.get(namespaces, { name: 'shop' })
  const { conditions = [] } = status as { conditions?: readonly Condition[] }
  return conditions
    .filter((condition) => condition.status === 'True')
    .map(({ type, reason, message }) => [type, reason, message])
}

test('a namespace says which of its objects are left, and whose finalizers hold them', async () => {
  const world = aWorld()
  const { client, settle } = world
  await aNamespace(world)
  await createMap(client, 'a', { namespace: 'shop', finalizers: ['example.com/backup'] })
  await createMap(client, 'b', { namespace: 'shop', finalizers: ['example.com/backup'] })
  await client.delete(namespaces, { name: 'shop' })
  await settle()
  expect(await heldBy(world)).toEqual([
    [
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 2 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: example.com/backup in 2 resource instances',
    ],
  ])
  for (const name of ['a', 'b']) {
    const body = { metadata: { finalizers: null } }
    await client.patch(configMaps, { namespace: 'shop', name }, { kind: 'merge', body })
  }
  await settle()
  expect(await failureOf(client.get(namespaces, { name: 'shop' }))).toContain('NotFound')
})

test('what a webhook refuses to let go is asked for again, and the namespace says who refuses', async () => {
  let refused = 0
  let isRefusing = true
  const transport = async ({ body }: { readonly body: string }) => {
    const { request } = JSON.parse(body) as { request: { uid: string } }
    if (isRefusing) refused += 1
    return JSON.stringify({ response: { uid: request.uid, allowed: !isRefusing, status: { message: 'not yet' } } })
  }
  const world = aWorld({ webhooks: { transport } })
  const { client, clock } = world
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }]
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { rules }))
  await aNamespace(world)
  await createMap(client, 'a', { namespace: 'shop' })
  await client.delete(namespaces, { name: 'shop' })
  await clock.run({ forMs: 600_000 })
  expect(refused).toBeGreaterThan(10)
  expect(refused).toBeLessThan(40)
  expect((await heldBy(world))[0]).toEqual([
    'NamespaceDeletionContentFailure',
    'ContentDeletionFailed',
    expect.stringMatching(/^Failed to delete all resource types, 1 remaining: .*: not yet$/),
  ])
  isRefusing = false
  await clock.run({ forMs: 31_000 })
  expect(await failureOf(client.get(namespaces, { name: 'shop' }))).toContain('NotFound')
})

test('a namespace without finalizers is let go, as by kubectl replace --raw, whatever holds what is in it', async () => {
  const world = aWorld()
  const { client, server, settle } = world
  await aNamespace(world)
  await createMap(client, 'a', { namespace: 'shop', finalizers: ['example.com/backup'] })
  const finalize = (finalizers: readonly string[]) =>
    exchange(server, {
      method: 'PUT',
      path: '/api/v1/namespaces/shop/finalize',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: { finalizers } },
    })
  expect((await finalize([])).status).toBe(200)
  await finalize(['kubernetes'])
  await client.delete(namespaces, { name: 'shop' })
  await settle()
  expect(await heldBy(world)).toHaveLength(2)
  expect((await finalize([])).status).toBe(200)
  expect(await failureOf(client.get(namespaces, { name: 'shop' }))).toContain('NotFound')
})
