import { expect } from 'vitest'
import type { Pod, Unsaved } from '../../../src/api/kubernetes.ts'
import { nodes, podDisruptionBudgets, pods } from '../../../src/kube/kinds.ts'
import { codeOf, type PortCase } from './world.ts'

function aPod(namespace: string, name: string, spec: Partial<Pod['spec']> = {}): Unsaved<Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels: { app: 'guarded' } },
    // A node and a scheduler that do not exist keep other controllers away.
    spec: {
      schedulerName: 'contract',
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'c', image: 'i' }],
      ...spec,
    },
  }
}

async function createRunning({ client, namespace }: PortCase, name: string): Promise<void> {
  await client.create(pods, aPod(namespace, name, { nodeName: 'contract-node' }))
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await client.patch(pods, { namespace, name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
}

async function createBudget({ client, namespace }: PortCase, disruptionsAllowed: number): Promise<void> {
  const created = await client.create(podDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace, name: 'budget' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
  })
  const status = {
    disruptionsAllowed,
    currentHealthy: 1 + disruptionsAllowed,
    desiredHealthy: 1,
    expectedPods: 1 + disruptionsAllowed,
    observedGeneration: created.metadata.generation ?? 1,
  }
  await client.patch(
    podDisruptionBudgets,
    { namespace, name: 'budget' },
    { kind: 'merge', body: { status } },
    { subresource: 'status' },
  )
}

/** Pods: binding, graceful deletion, eviction. */
export const podCases: Readonly<Record<string, (world: PortCase) => Promise<void>>> = {
  'the status of a new pod is the server’s own; later only the subresource changes it': async ({
    client,
    namespace,
  }) => {
    const created = await client.create(pods, { ...aPod(namespace, 'p'), status: { phase: 'Running' } })
    expect(created.status?.phase).toBe('Pending')
    const updated = await client.update(pods, { ...created, status: { phase: 'Failed' } })
    expect(updated.status?.phase).toBe('Pending')
    const reported = await client.update(pods, { ...updated, status: { phase: 'Running' } }, { subresource: 'status' })
    expect(reported.status?.phase).toBe('Running')
  },

  'binding assigns a pod to a node, once': async ({ client, namespace }) => {
    const key = { namespace, name: 'p' }
    await client.create(pods, aPod(namespace, 'p'))
    await client.bind(key, 'contract-node')
    const bound = await client.get(pods, key)
    expect(bound.spec.nodeName).toBe('contract-node')
    expect(bound.status?.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }))
    expect(await codeOf(client.bind(key, 'another-node'))).toBe('Conflict')
  },

  'binding by the uid of another pod is a Conflict': async ({ client, namespace }) => {
    await client.create(pods, aPod(namespace, 'p'))
    const uid = '00000000-0000-4000-8000-000000000000'
    expect(await codeOf(client.bind({ namespace, name: 'p' }, 'contract-node', { uid }))).toBe('Conflict')
  },

  'the spec of a pod is fixed, its image is not': async ({ client, namespace }) => {
    const key = { namespace, name: 'p' }
    await client.create(pods, aPod(namespace, 'p'))
    const priority = { kind: 'strategic', body: { spec: { hostNetwork: true } } } as const
    expect(await codeOf(client.patch(pods, key, priority))).toBe('Invalid')
    const body = { spec: { containers: [{ name: 'c', image: 'j' }] } }
    expect((await client.patch(pods, key, { kind: 'strategic', body })).spec.containers[0]?.image).toBe('j')
  },

  'a pod on a node is deleted with grace, and at once when none is given': async (world) => {
    const { client, namespace } = world
    const key = { namespace, name: 'p' }
    await createRunning(world, 'p')
    await client.delete(pods, key)
    const going = await client.get(pods, key)
    expect(going.metadata.deletionGracePeriodSeconds).toBe(30)
    await client.delete(pods, key, { gracePeriodSeconds: 0 })
    expect(await codeOf(client.get(pods, key))).toBe('NotFound')
  },

  'a pod on no node is deleted at once': async ({ client, namespace }) => {
    await client.create(pods, aPod(namespace, 'p'))
    await client.delete(pods, { namespace, name: 'p' })
    expect(await codeOf(client.get(pods, { namespace, name: 'p' }))).toBe('NotFound')
  },

  'eviction without a budget deletes': async (world) => {
    await createRunning(world, 'p')
    await world.client.evict({ namespace: world.namespace, name: 'p' })
    const going = await world.client.get(pods, { namespace: world.namespace, name: 'p' })
    expect(going.metadata.deletionTimestamp).toBeDefined()
  },

  'eviction is TooManyRequests when the budget is spent': async (world) => {
    await createRunning(world, 'p')
    await createBudget(world, 0)
    const key = { namespace: world.namespace, name: 'p' }
    expect(await codeOf(world.client.evict(key))).toBe('TooManyRequests')
    expect((await world.client.get(pods, key)).metadata.deletionTimestamp).toBeUndefined()
  },

  'eviction spends the budget': async (world) => {
    const { client, namespace } = world
    await createRunning(world, 'p')
    await createRunning(world, 'q')
    await createBudget(world, 1)
    await client.evict({ namespace, name: 'p' })
    const budget = await client.get(podDisruptionBudgets, { namespace, name: 'budget' })
    expect(budget.status?.disruptionsAllowed).toBe(0)
    expect(await codeOf(client.evict({ namespace, name: 'q' }))).toBe('TooManyRequests')
  },

  'eviction of a pod that is not there is NotFound': async ({ client, namespace }) => {
    expect(await codeOf(client.evict({ namespace, name: 'p' }))).toBe('NotFound')
  },

  'a node keeps the status it is created with': async ({ client, namespace }) => {
    const created = await client.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `node-${namespace}` },
      spec: {},
      status: { capacity: { cpu: '4' } },
    })
    expect(created.status?.capacity).toEqual({ cpu: '4' })
    await client.delete(nodes, { name: created.metadata.name })
  },
}
