import { describe, expect, test } from 'vitest'
import type { CapacityBuffer } from '../../../../src/api/karpenter.ts'
import type { PodTemplateSpec, Unsaved } from '../../../../src/api/kubernetes.ts'
import {
  BufferBook,
  capacityBufferProvisioning,
  capacityBufferResolution,
} from '../../../../src/controllers/capacitybuffer/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { capacityBuffers } from '../../../../src/kube/karpenter-kinds.ts'
import { deployments, podTemplates } from '../../../../src/kube/kinds.ts'
import { bufferReplicas, virtualPods } from '../../../../src/scheduling/capacity-buffer.ts'
import { isProvisionable } from '../../../../src/model/pod.ts'
import { countPatches } from '../../../support/lagging-cache.ts'
import { conditionOf } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPod } from '../../../support/scheduling-world.ts'
import { solved } from '../../../support/solve-outcomes.ts'

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'web' }, annotations: { note: 'x' } },
  spec: {
    containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }],
    nodeName: 'n9',
    priority: 1_000,
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: {} },
      { name: 'tmp', emptyDir: {} },
    ],
  },
}

describe('how many', () => {
  const cases: Record<string, { spec: Partial<CapacityBuffer['spec']>; scale?: number; want: number }> = {
    'replicas alone': { spec: { replicas: 3 }, want: 3 },
    'a share of the scalable, rounded up': { spec: { percentage: 25 }, scale: 5, want: 2 },
    'the larger of both': { spec: { replicas: 1, percentage: 50 }, scale: 10, want: 5 },
    'a share of nothing is not looked at': { spec: { replicas: 1, percentage: 50 }, scale: 0, want: 1 },
    'nothing of something': { spec: { percentage: 0 }, scale: 10, want: 0 },
    'limits cap it': { spec: { replicas: 9, limits: { cpu: '2' } }, want: 4 },
    'the tightest limit counts': { spec: { replicas: 9, limits: { cpu: '2', memory: '2560Mi' } }, want: 2 },
    'limits alone say how many': { spec: { limits: { cpu: '1700m' } }, want: 3 },
    'limits on what the pods do not ask for are ignored': {
      spec: { replicas: 9, limits: { 'nvidia.com/gpu': '1' } },
      want: 9,
    },
    'limits that are no quantity hold nothing': { spec: { replicas: 9, limits: { cpu: '1e1.5' } }, want: 0 },
    'nor do those below zero': { spec: { replicas: 9, limits: { cpu: '-2' } }, want: 0 },
    'nothing said': { spec: {}, scale: 10, want: 0 },
    'no more than ten thousand, whoever asks': { spec: { replicas: 2_000_000_000 }, want: 10_000 },
    'nor whatever the limits hold': { spec: { limits: { cpu: '1000000' } }, want: 10_000 },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, scale, want }) => {
    expect(bufferReplicas(spec, template, scale)).toBe(want)
  })
})

test('the stand-ins look like pending pods of lowest priority, without volumes that need a claim', () => {
  const [first, second] = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, template, 2)
  expect(first).toMatchObject({
    namespace: 'shop',
    name: 'capacity-buffer-spare-1',
    uid: 'u-1',
    labels: { app: 'web' },
    annotations: {
      'karpenter.sh/capacity-buffer-fake-pod': 'true',
      'karpenter.sh/capacity-buffer-name': 'spare',
      'karpenter.sh/capacity-buffer-namespace': 'shop',
    },
    priority: -2_147_483_648,
    createdAt: Date.parse('9999-12-31T23:59:59Z'),
    nodeName: '',
    volumes: [],
    virtualBuffer: { namespace: 'shop', name: 'spare' },
  })
  expect(first === undefined ? false : isProvisionable(first)).toBe(true)
  expect(second?.uid).toBe('u-2')
})

const aBuffer = (spec: Partial<CapacityBuffer['spec']>): Unsaved<CapacityBuffer> => ({
  apiVersion: 'autoscaling.x-k8s.io/v1beta1',
  kind: 'CapacityBuffer',
  metadata: { namespace: 'shop', name: 'spare' },
  spec,
})

async function aBufferWorld(spec: Partial<CapacityBuffer['spec']>) {
  const world = aControllerWorld()
  const book = new BufferBook()
  const triggered: string[] = []
  const deps = { ...world, book, batcher: { trigger: (uid: string) => void triggered.push(uid) } }
  const buffer = await world.kube.create(capacityBuffers, aBuffer(spec))
  const key = { namespace: 'shop', name: 'spare' }
  const start = () => world.start(capacityBufferResolution(deps), capacityBufferProvisioning(deps))
  const condition = async (type: string) => conditionOf(await world.read(capacityBuffers, key), type)
  return { ...world, book, triggered, buffer, key, start, condition }
}

const aTemplate = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { namespace: 'shop', name: 'web', generation: 4 },
  template,
}

describe('resolution', () => {
  test('a template that is there makes the buffer ready and wakes provisioning', async () => {
    const world = await aBufferWorld({ podTemplateRef: { name: 'web' }, replicas: 2 })
    await world.kube.create(podTemplates, aTemplate)
    await world.start()
    await world.run(1_000)
    expect((await world.read(capacityBuffers, world.key)).status).toMatchObject({
      podTemplateRef: { name: 'web' },
      podTemplateGeneration: 4,
      replicas: 2,
      provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
    })
    expect(await world.condition('ReadyForProvisioning')).toBe('True/Resolved/Pod template resolved successfully')
    expect(world.triggered).toContain(world.buffer.metadata.uid)
    expect(world.book.virtualPods()).toHaveLength(2)
  })

  test('a scalable is looked at again every half minute', async () => {
    const world = await aBufferWorld({
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
      percentage: 50,
    })
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web' },
      spec: { replicas: 4, selector: {}, template },
    }
    await world.kube.create(deployments, deployment)
    await world.start()
    await world.run(1_000)
    expect(world.book.virtualPods()).toHaveLength(2)
    await world.kube.patch(
      deployments,
      world.key.namespace === 'shop' ? { namespace: 'shop', name: 'web' } : world.key,
      {
        kind: 'merge',
        body: { spec: { replicas: 10 } },
      },
    )
    await world.run(31_000)
    expect(world.book.virtualPods()).toHaveLength(5)
  })

  test('a scalable that does not say how many it wants, wants one', async () => {
    const world = await aBufferWorld({ scalableRef: { kind: 'Deployment', name: 'web' }, percentage: 300 })
    await world.kube.create(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web' },
      spec: { selector: {}, template },
    })
    await world.start()
    await world.run(1_000)
    expect(world.book.virtualPods()).toHaveLength(3)
  })

  test('nothing is kept ready once the template is gone, or the buffer itself', async () => {
    const world = await aBufferWorld({ podTemplateRef: { name: 'web' }, replicas: 2 })
    const templateKey = { namespace: 'shop', name: 'web' }
    await world.kube.create(podTemplates, aTemplate)
    await world.start()
    await world.run(1_000)
    expect(world.book.virtualPods()).toHaveLength(2)
    await world.kube.delete(podTemplates, templateKey)
    await world.run(31_000)
    expect(world.book.virtualPods()).toEqual([])
    expect(await world.condition('ReadyForProvisioning')).toMatch(/^False\/PodTemplateNotFound/)
    await world.kube.create(podTemplates, aTemplate)
    await world.run(31_000)
    expect(world.book.virtualPods()).toHaveLength(2)
    await world.kube.delete(capacityBuffers, world.key)
    await world.run(1_000)
    expect(world.book.virtualPods()).toEqual([])
  })

  const failures: Record<string, { spec: Partial<CapacityBuffer['spec']>; want: string }> = {
    'no template of that name': {
      spec: { podTemplateRef: { name: 'gone' }, replicas: 1 },
      want: 'False/PodTemplateNotFound/podtemplates "gone" not found',
    },
    'no scalable of that name': {
      spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'gone' } },
      want: 'False/ScalableRefNotFound/deployments.apps "gone" not found',
    },
    'a scalable of somebody else that is called like one of ours': {
      spec: { scalableRef: { apiGroup: 'example.com', kind: 'Deployment', name: 'web' } },
      want: 'False/ResolutionFailed/unsupported scalableRef example.com/Deployment',
    },
    'limits that are no quantity': {
      spec: { podTemplateRef: { name: 'gone' }, limits: { cpu: '1e1.5' } },
      want: 'False/ResolutionFailed/invalid value: "1e1.5" for cpu in limits, no quantity',
    },
    neither: { spec: { replicas: 1 }, want: 'False/ResolutionFailed/Neither podTemplateRef nor scalableRef is set' },
  }
  test.each(Object.entries(failures))('%s', async (_name, { spec, want }) => {
    const world = await aBufferWorld(spec)
    await world.start()
    await world.run(1_000)
    expect(await world.condition('ReadyForProvisioning')).toBe(want)
    expect(await world.condition('Provisioning')).toBe(
      'False/NotReadyForProvisioning/Buffer is not ReadyForProvisioning',
    )
    expect(world.triggered).toEqual([])
    expect(world.book.virtualPods()).toEqual([])
  })

  test('another strategy is left to others', async () => {
    const world = await aBufferWorld({ podTemplateRef: { name: 'web' }, replicas: 1, provisioningStrategy: 'other' })
    await world.kube.create(podTemplates, aTemplate)
    await world.start()
    await world.run(1_000)
    expect((await world.read(capacityBuffers, world.key)).status).toBeUndefined()
    expect(world.triggered).toEqual([])
  })
})

test('a buffer has its room soon after its status may be written, however long that was refused', async () => {
  const world = await aBufferWorld({ podTemplateRef: { name: 'web' }, replicas: 2 })
  await world.kube.create(podTemplates, aTemplate)
  world.kube.fault = ({ operation, resource }) => {
    if (operation === 'patch' && resource === 'capacitybuffers') throw new KubeError('Forbidden', 403, 'no rights')
  }
  await world.start()
  await world.run(3_600_000)
  expect(world.book.virtualPods()).toEqual([])
  world.kube.fault = () => undefined
  await world.run(95_000)
  expect(world.book.virtualPods()).toHaveLength(2)
})

describe('what a pass says of a buffer', () => {
  async function afterPass(place: (book: BufferBook) => void, replicas = 2) {
    const world = await aBufferWorld({ podTemplateRef: { name: 'web' }, replicas })
    await world.kube.create(podTemplates, aTemplate)
    await world.start()
    await world.run(1_000)
    place(world.book)
    await world.run(1_000)
    return world
  }
  const nothing = solved()

  test('all fit on what is there, and their nodes are known', async () => {
    const world = await afterPass((book) =>
      book.observePass({
        ...nothing,
        existing: [
          { key: 'n1', pods: [aPod(), ...book.virtualPods()] },
          { key: 'n2', pods: [aPod()] },
        ],
      }),
    )
    expect(await world.condition('Provisioning')).toBe(
      'True/FitsExistingCapacity/All 2 virtual pods fit on existing capacity',
    )
    expect([...world.book.bufferNodes]).toEqual(['n1'])
  })

  test('another process that leads for a moment and has placed them otherwise is not answered before the next pass', async () => {
    const fits = (book: BufferBook): void =>
      book.observePass({ ...nothing, existing: [{ key: 'n1', pods: book.virtualPods() }] })
    const world = await afterPass(fits)
    const stored = await world.read(capacityBuffers, world.key)
    const conditions = (stored.status?.conditions ?? []).map((condition) =>
      condition.type === 'Provisioning' ? { ...condition, status: 'False', reason: 'RequiresNewCapacity' } : condition,
    )
    await world.kube.patch(capacityBuffers, world.key, { kind: 'merge', body: { status: { conditions } } })
    const writes = countPatches(world, capacityBuffers)
    await world.run(1_000)
    expect(writes()).toBe(0)
    fits(world.book)
    await world.run(1_000)
    expect(await world.condition('Provisioning')).toMatch(/^True\/FitsExistingCapacity/)
  })

  test('nodes are known no longer when the buffer whose pods they hold goes, though no pass follows', async () => {
    const [shop, farm] = [
      { namespace: 'shop', name: 'spare', uid: 'u1', template, replicas: 1 },
      { namespace: 'farm', name: 'spare', uid: 'u2', template, replicas: 1 },
    ]
    const book = new BufferBook()
    for (const buffer of [shop, farm]) book.resolve(buffer)
    const [first, second] = book.virtualPods()
    if (first === undefined || second === undefined) throw new Error('no pods')
    book.observePass({
      ...nothing,
      existing: [
        { key: 'both', pods: [first, second] },
        { key: 'one', pods: [second] },
      ],
    })
    const before = book.bufferNodes
    book.resolve({ ...farm })
    expect(book.bufferNodes).toBe(before)
    expect(book.placementOf(shop)).toEqual({ onExisting: 2, onNew: 0, failed: 0 })
    book.forget(shop)
    expect(book.placementOf(shop)).toBeUndefined()
    expect([...book.bufferNodes]).toEqual(['both'])
    book.resolve({ ...farm, replicas: 0 })
    expect([...book.bufferNodes]).toEqual([])
  })

  test('nodes are still known after a pass that had no time for all stand-ins', () => {
    const book = new BufferBook()
    book.resolve({ namespace: 'shop', name: 'spare', uid: 'u1', template, replicas: 2 })
    const [first, second] = book.virtualPods()
    if (first === undefined || second === undefined) throw new Error('no pods')
    const on = (key: string, pod: typeof first) => ({ key, pods: [pod] })
    book.observePass({ ...nothing, existing: [on('n1', first), on('n2', second)] })
    book.observePass({ ...nothing, existing: [on('n3', first)], timedOut: true })
    expect([...book.bufferNodes].toSorted()).toEqual(['n1', 'n2', 'n3'])
    book.observePass({ ...nothing, existing: [on('n3', first)] })
    expect([...book.bufferNodes]).toEqual(['n3'])
  })

  test('the stand-ins are the same until a buffer changes', () => {
    const buffer = { namespace: 'shop', name: 'spare', uid: 'u1', template, replicas: 1 }
    const book = new BufferBook()
    book.resolve(buffer)
    const before = book.virtualPods()
    book.resolve({ ...buffer })
    expect(book.virtualPods()).toBe(before)
    for (const change of [{ replicas: 2 }, { replicas: 2, template: { ...template } }, { replicas: 2, uid: 'u2' }]) {
      const last = book.virtualPods()
      book.resolve({ ...buffer, ...change })
      expect(book.virtualPods()).not.toBe(last)
    }
    book.forget(buffer)
    expect(book.virtualPods()).toEqual([])
  })

  test('one fails', async () => {
    const world = await afterPass((book) => {
      const [first, second] = book.virtualPods()
      if (first === undefined || second === undefined) throw new Error('no pods')
      book.observePass({
        ...nothing,
        existing: [{ key: 'n1', pods: [first] }],
        failed: [{ pod: second, error: 'x', kind: 'unschedulable' }],
      })
    })
    expect(await world.condition('Provisioning')).toBe(
      'False/RequiresNewCapacity/0/2 virtual pods required new capacity, 1 failed',
    )
  })

  test('a pass that saw none of its pods says nothing', async () => {
    const world = await afterPass((book) => book.observePass(nothing))
    expect(await world.condition('Provisioning')).toBeUndefined()
  })

  test('a buffer that wants nothing', async () => {
    const world = await afterPass((book) => book.observePass(nothing), 0)
    expect(await world.condition('Provisioning')).toBe('False/BufferEmpty/Buffer has zero desired replicas')
  })
})
