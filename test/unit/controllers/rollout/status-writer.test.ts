import { expect, test } from 'vitest'
import type { NodePool, NodePoolStatus } from '../../../../src/api/karpenter.ts'
import { StatusWriter } from '../../../../src/controllers/rollout/status-writer.ts'
import { nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const key = { name: 'default' }

async function aWriter() {
  const world = aControllerWorld()
  await world.kube.create(nodePools, aPool('default'))
  const writer = new StatusWriter<NodePool>(world.kube, world.clock, nodePools)
  const live = () => world.kube.get(nodePools, key)
  const reads = () => world.kube.calls.filter(({ operation }) => operation === 'get').length
  return { world, writer, live, reads }
}

const counting = (pool: NodePool, upToDateNodes: number): NodePoolStatus => ({ ...pool.status, upToDateNodes })

test('what the cache shows is taken as it is until something is known to be newer', async () => {
  const { writer, live, reads } = await aWriter()
  const first = await live()
  await writer.write(first, counting(first, 1))
  const cached = await live()
  const before = reads()
  expect(await writer.latest(cached)).toBe(cached)
  await writer.write(cached, counting(cached, 1))
  expect(await writer.latest(cached)).toBe(cached)
  expect(reads()).toBe(before)
})

test('while the cache has not seen our own writes, each is computed from what the API server has', async () => {
  const { writer, live } = await aWriter()
  const stale = await live()
  await writer.write(stale, counting(stale, 1))
  for (const count of [2, 3, 4]) {
    const latest = await writer.latest(stale)
    expect(latest?.status?.upToDateNodes).toBe(count - 1)
    if (latest !== undefined) await writer.write(latest, counting(latest, count))
  }
  expect((await live()).status?.upToDateNodes).toBe(4)
  const caughtUp = await live()
  expect(await writer.latest(caughtUp)).toBe(caughtUp)
})

test('after a conflict the next is computed from what the API server has', async () => {
  const { world, writer, live } = await aWriter()
  const stale = await live()
  await world.kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { labels: { team: 'a' } } } })
  await expect(writer.write(stale, counting(stale, 1))).rejects.toMatchObject({ code: 'Conflict' })
  const latest = await writer.latest(stale)
  expect(latest?.metadata.labels).toEqual({ team: 'a' })
  if (latest !== undefined) await writer.write(latest, counting(latest, 1))
  expect((await live()).status?.upToDateNodes).toBe(1)
})

test('a write that changed nothing replaces nothing', async () => {
  const { world, writer, live } = await aWriter()
  const cached = await live()
  // As an API server whose CRD knows none of the fields.
  world.kube.patch = () => Promise.resolve(structuredClone(cached) as never)
  await writer.write(cached, counting(cached, 1))
  expect(await writer.latest(cached)).toBe(cached)
})

test('what is gone is undefined, and forgotten', async () => {
  const { world, writer, live } = await aWriter()
  const stale = await live()
  await writer.write(stale, counting(stale, 1))
  await world.kube.delete(nodePools, key)
  expect(await writer.latest(stale)).toBeUndefined()
  writer.forget(key)
  expect(await writer.latest(stale)).toBe(stale)
})
