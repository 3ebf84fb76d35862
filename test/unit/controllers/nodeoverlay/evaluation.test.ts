import { expect, test, vi } from 'vitest'
import type { NodeOverlay } from '../../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../../src/api/kubernetes.ts'
import { nodeOverlayEvaluation, OverlayStore } from '../../../../src/controllers/nodeoverlay/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeOverlays, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import type { InstanceType } from '../../../../src/model/instance-type.ts'
import { labelRequirements } from '../../../../src/model/requirements.ts'
import { noResources } from '../../../../src/model/resources.ts'
import type { InstanceTypeList } from '../../../../src/model/snapshot.ts'
import { aPool, conditionOf } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const type: InstanceType = {
  name: 'small',
  requirements: new Map(),
  capacity: noResources,
  overhead: { kubeReserved: noResources, systemReserved: noResources, evictionThreshold: noResources },
  offerings: [{ requirements: labelRequirements({ zone: 'z1' }, new Map()), price: 1, available: true }],
}

const anOverlay = (name: string, spec: Partial<NodeOverlay['spec']> = {}): Unsaved<NodeOverlay> => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name },
  spec: { requirements: [], price: '5', ...spec },
})

async function anOverlayWorld() {
  const world = aControllerWorld()
  const store = new OverlayStore()
  const lists = new Map<string, InstanceTypeList>()
  let unconsolidated = 0
  const types = [type]
  const base = async (pool: { metadata: { name: string } }): Promise<InstanceTypeList> =>
    lists.get(pool.metadata.name) ?? { kind: 'resolved', types }
  const controller = nodeOverlayEvaluation({
    ...world,
    store,
    cluster: {
      isManaged: ({ metadata }) => metadata.name !== 'foreign',
      markUnconsolidated: () => void unconsolidated++,
    },
    instanceTypes: base,
    errorsOf: ({ metadata }) => (metadata.name === 'invalid' ? ['invalid capacity: cpu in resource, restricted'] : []),
    labelAliases: new Map(),
    wellKnownLabels: new Set(['zone']),
  })
  const pricesOf = async (name: string) => {
    const pool = await world.read(nodePools, { name })
    const list = await store.over(base)(pool)
    return list.kind === 'resolved' ? list.types[0]?.offerings.map(({ price }) => price) : list.kind
  }
  const listOf = async (name: string) => {
    const list = await store.over(base)(await world.read(nodePools, { name }))
    return list.kind === 'resolved' ? list.types : undefined
  }
  const verdict = async (name: string) => conditionOf(await world.read(nodeOverlays, { name }), 'ValidationSucceeded')
  return {
    ...world,
    lists,
    listOf,
    pricesOf,
    verdict,
    evaluations: () => unconsolidated,
    start: () => world.start(controller),
  }
}

test('overlays are judged, and what holds changes the prices', async () => {
  const { kube, start, run, pricesOf, verdict } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  await kube.create(nodeOverlays, anOverlay('a'))
  await kube.create(nodeOverlays, anOverlay('b', { price: '7' }))
  await kube.create(nodeOverlays, anOverlay('invalid', { price: '9', weight: 100 }))
  await start()
  await run(1_000)
  expect(await verdict('b')).toBe('True/ValidationSucceeded/')
  expect(await verdict('a')).toBe('False/Conflict/conflict with another overlay')
  expect(await verdict('invalid')).toBe('False/RuntimeValidation/invalid capacity: cpu in resource, restricted')
  expect(await pricesOf('default')).toEqual([7])
})

test('case 155: a pool that came after the last evaluation waits for the next', async () => {
  const { kube, start, run, pricesOf } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  expect(await pricesOf('default')).toBe('awaitingOverlays')
  await start()
  expect(await pricesOf('default')).toEqual([1])
  await kube.create(nodePools, aPool('late'))
  expect(await pricesOf('late')).toBe('awaitingOverlays')
  await run(1_000)
  expect(await pricesOf('late')).toEqual([1])
})

test('a pool whose types cannot be listed waits alone, and is tried again', async () => {
  const { kube, lists, start, run, pricesOf } = await anOverlayWorld()
  lists.set('broken', { kind: 'unresolved', error: 'throttled' })
  await kube.create(nodePools, aPool())
  await kube.create(nodePools, aPool('broken'))
  await kube.create(nodeOverlays, anOverlay('a'))
  await start()
  await run(1_000)
  expect(await pricesOf('default')).toEqual([5])
  expect(await pricesOf('broken')).toBe('awaitingOverlays')
  lists.delete('broken')
  await run(60_000)
  expect(await pricesOf('broken')).toEqual([5])
})

test('the same types come back as the same list until overlays are evaluated anew', async () => {
  const { kube, start, run, listOf } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  await kube.create(nodeOverlays, anOverlay('a'))
  await start()
  await run(1_000)
  const before = await listOf('default')
  expect(await listOf('default')).toBe(before)
  const key = { name: 'a' }
  await kube.patch(nodeOverlays, key, { kind: 'merge', body: { metadata: { generation: 2 }, spec: { price: '6' } } })
  await run(1_000)
  expect((await listOf('default'))?.[0]?.offerings[0]?.price).toBe(6)
})

test('its own status is no reason to evaluate again; six hours are', async () => {
  const { kube, start, run, evaluations } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  await kube.create(nodeOverlays, anOverlay('a'))
  await start()
  await run(3_600_000)
  expect(evaluations()).toBe(1)
  await run(5 * 3_600_000)
  expect(evaluations()).toBe(2)
})

test('pools whose class is of another kind are none of its business, nor is what cannot be listed of them', async () => {
  const { kube, lists, start, run, pricesOf, evaluations } = await anOverlayWorld()
  lists.set('foreign', { kind: 'unresolved', error: 'no such class' })
  await kube.create(nodePools, aPool())
  await kube.create(nodePools, aPool('foreign'))
  await start()
  await run(60_000)
  expect(await pricesOf('default')).toEqual([1])
  expect(await pricesOf('foreign')).toBe('awaitingOverlays')
  expect(evaluations()).toBe(1)
})

test('an overlay that has changed since it was read is judged anew before anything holds', async () => {
  const { kube, start, run, pricesOf, verdict, logged } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  const { metadata } = await kube.create(nodeOverlays, anOverlay('a'))
  let conflicts = 1
  kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'nodeoverlays' && conflicts-- > 0) {
      throw new KubeError('Conflict', 409, 'changed')
    }
  }
  const patch = vi.spyOn(kube, 'patch')
  await start()
  expect(await pricesOf('default')).toBe('awaitingOverlays')
  await run(60_000)
  expect(await pricesOf('default')).toEqual([5])
  expect(await verdict('a')).toBe('True/ValidationSucceeded/')
  expect(logged('Reconciler error')).toEqual([])
  const { resourceVersion } = metadata
  expect(patch.mock.calls.map(([, , { body }]) => body)).toMatchObject([
    { metadata: { resourceVersion } },
    { metadata: { resourceVersion } },
  ])
})

test('an overlay that is gone by the time it is judged keeps none of the others from holding', async () => {
  const { kube, start, run, pricesOf, verdict } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  await kube.create(nodeOverlays, anOverlay('a', { price: '9' }))
  await kube.create(nodeOverlays, anOverlay('b', { price: '7' }))
  kube.fault = ({ operation, name }) => {
    if (operation === 'patch' && name === 'a') throw new KubeError('NotFound', 404, 'gone')
  }
  await start()
  await run(1_000)
  expect(await verdict('b')).toBe('True/ValidationSucceeded/')
  expect(await pricesOf('default')).toEqual([7])
})

test('an overlay whose status may not be written is told, and keeps no pool from its types nor another overlay from its verdict', async () => {
  const { kube, start, run, pricesOf, verdict, logged } = await anOverlayWorld()
  await kube.create(nodePools, aPool())
  await kube.create(nodeOverlays, anOverlay('a', { price: '7' }))
  await kube.create(nodeOverlays, anOverlay('b', { price: '9', weight: 100 }))
  kube.fault = ({ operation, name }) => {
    if (operation === 'patch' && name === 'a') throw new KubeError('Forbidden', 403, 'denied by policy')
  }
  await start()
  await run(1_000)
  expect(await pricesOf('default')).toEqual([9])
  expect(await verdict('b')).toBe('True/ValidationSucceeded/')
  expect(logged('Reconciler error')[0]).toMatchObject({ err: { message: 'denied by policy' } })
})
