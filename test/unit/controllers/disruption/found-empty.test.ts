import { describe, expect, test } from 'vitest'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { pods } from '../../../../src/kube/kinds.ts'
import { aPod } from '../../../support/controller-builders.ts'
import { aQueue } from './queue-world.ts'

describe('nodes that were found empty', () => {
  const empty = { method: 'emptiness', reason: 'Empty' } as const
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'logs', controller: true }
  const worthless = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' }

  test('stay where the API server knows of a pod that no watch has told of', async () => {
    const { world, queue, first, marked, found, begin, isTainted, reasonOf } = await aQueue(['a', 'b'])
    await world.kube.create(pods, aPod('late', { spec: { nodeName: 'b' } }))
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(2_000)
    for (const name of ['a', 'b']) expect(await isTainted(name)).toBe(false)
    expect(await reasonOf(first)).toBeUndefined()
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(true)
    expect([marked.size, queue.queued.size]).toEqual([0, 0])
    expect(found).toEqual(['late'])
    const [failure] = world.logged('failed terminating nodes while executing a disruption command')
    expect(String(failure?.['err'])).toContain('pod default/late runs on node b, which was thought to be empty')
  })

  test.each([
    ['pods of daemons', { metadata: { ownerReferences: [daemon] }, spec: { nodeName: 'a' } }],
    ['pods that are done', { spec: { nodeName: 'a' }, status: { phase: 'Succeeded' as const } }],
    ['pods elsewhere', { spec: { nodeName: 'z' } }],
    ['pods of so low a priority that moving them costs nothing', { spec: { nodeName: 'a', priority: -1_000_000_000 } }],
    ['pods of which people say as much', { metadata: { annotations: worthless }, spec: { nodeName: 'a' } }],
  ])('go in spite of %s', async (_what, pod) => {
    const { world, queue, first, begin } = await aQueue()
    await world.kube.create(pods, aPod('other', pod))
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(2_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(false)
  })

  test('wait while the API server does not say who runs on them', async () => {
    const { world, queue, first, begin } = await aQueue()
    let answers = false
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'list' && resource === 'pods' && !answers) throw new KubeError('Timeout', 504, 'no answer')
    }
    await begin([], empty)
    await world.start(queue.controller())
    await world.run(5_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(true)
    answers = true
    await world.run(15_000)
    expect(await world.exists(nodeClaims, { name: first.nodeClaim.metadata.name })).toBe(false)
  })

  test('nodes that are drained anyway are not asked about', async () => {
    const { world, queue, begin } = await aQueue()
    await begin([])
    await world.start(queue.controller())
    await world.run(2_000)
    expect(world.kube.calls.filter(({ operation, resource }) => operation === 'list' && resource === 'pods')).toEqual(
      [],
    )
  })
})
