import { expect, test } from 'vitest'
import {
  type Fault,
  type FaultInjection,
  clientFor,
  loadState,
  saveState,
  StateFormatError,
} from '../../../../src/embedded/apiserver/index.ts'
import type { WatchEvent } from '../../../../src/kube/port.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { aWorld, configMaps, createMap, failureOf, namesOf, type World } from './world.ts'

async function firstEvents({ client }: World, resourceVersion: string, count: number): Promise<string[]> {
  const seen: string[] = []
  for await (const event of client.watch(configMaps, { namespace: 'default', resourceVersion })) {
    seen.push(text(event))
    if (seen.length === count) break
  }
  return seen
}

function text(event: WatchEvent<KubeObject>): string {
  return event.type === 'BOOKMARK' ? `BOOKMARK ${event.resourceVersion}` : `${event.type} ${event.object.metadata.name}`
}

test('the same seed and calls give the same bytes', async () => {
  const run = async () => {
    const world = aWorld()
    for (let index = 0; index < 5; index += 1) {
      const metadata = { namespace: 'default', generateName: 'x-' }
      await world.client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
      await world.clock.run({ forMs: 1_500 })
    }
    return JSON.stringify(saveState(world.server.context.store))
  }
  expect(await run()).toBe(await run())
})

test('a watch from a compacted version is Expired; one from the present is not', async () => {
  const world = aWorld()
  const { resourceVersion } = await createMap(world.client, 'a').then((object) => object.metadata)
  await createMap(world.client, 'b')
  world.server.context.store.compact()
  expect(await failureOf(firstEvents(world, resourceVersion, 1))).toContain('Expired: too old resource version')
  const now = (await world.client.list(configMaps)).resourceVersion
  await createMap(world.client, 'c')
  expect(await firstEvents(world, now, 1)).toEqual(['ADDED c'])
})

test('history older than its window is gone, and with it continue tokens', async () => {
  const world = aWorld({ history: { historyMs: 60_000 } })
  for (const name of ['a', 'b', 'c']) await createMap(world.client, name)
  const page = await world.client.list(configMaps, { namespace: 'default', limit: 1 })
  await createMap(world.client, 'd')
  await world.clock.run({ forMs: 61_000 })
  const next = { namespace: 'default', limit: 1, continue: page.continue ?? '' }
  expect(await failureOf(world.client.list(configMaps, next))).toContain('Expired')
})

test('a version from the future is a timeout, as after a restore of an older state', async () => {
  const world = aWorld()
  expect(await failureOf(world.client.list(configMaps, { resourceVersion: '9999' }))).toContain(
    'Timeout: Too large resource version',
  )
})

test('a watch from 0 begins with what is there', async () => {
  const world = aWorld()
  await createMap(world.client, 'a')
  await createMap(world.client, 'b')
  expect(await firstEvents(world, '0', 2)).toEqual(['ADDED a', 'ADDED b'])
})

test('bookmarks come every minute, and before the end of a watch', async () => {
  const world = aWorld()
  const { resourceVersion } = await world.client.list(configMaps)
  const seen: string[] = []
  const watching = (async () => {
    const options = { namespace: 'default', resourceVersion, allowBookmarks: true, timeoutSeconds: 90 }
    for await (const event of world.client.watch(configMaps, options)) seen.push(text(event))
  })()
  await createMap(world.client, 'a')
  await world.clock.run({ forMs: 100_000 })
  await watching
  const current = String(world.server.context.store.revision)
  expect(seen).toEqual(['ADDED a', `BOOKMARK ${current}`, `BOOKMARK ${current}`])
})

test('what is saved can be loaded: objects, versions and custom kinds', async () => {
  const before = aWorld()
  await createMap(before.client, 'a', {}, { k: 'v' })
  const state: unknown = JSON.parse(JSON.stringify(saveState(before.server.context.store)))
  const after = aWorld({ state })
  expect(await after.client.list(configMaps)).toEqual(await before.client.list(configMaps))
  expect(() => loadState(after.server.context.store, { tables: {} })).toThrow(StateFormatError)
})

const lost = new KubeError('Network', 0, 'the connection was reset')

test.each<[string, Fault, string, string[]]>([
  ['a call that fails before has no effect', { failBefore: lost }, 'Network: the connection was reset', []],
  ['a call whose answer is lost has its effect', { failAfter: lost }, 'Network: the connection was reset', ['a']],
])('%s', async (_name, fault, failure, left) => {
  const { client, server } = aWorld()
  const faulty = clientFor(server, { fieldManager: 'test', faults: { onCall: () => fault } })
  expect(await failureOf(createMap(faulty, 'a'))).toBe(failure)
  expect(await namesOf(client)).toEqual(left)
})

test('a delayed call takes its effect later', async () => {
  const { client, server, clock } = aWorld()
  const slow = clientFor(server, { fieldManager: 'test', faults: { onCall: () => ({ delayMs: 5_000 }) } })
  const creating = createMap(slow, 'a')
  await clock.run({ forMs: 4_999 })
  expect(await namesOf(client)).toEqual([])
  await clock.run({ forMs: 1 })
  await creating
  expect(await namesOf(client)).toEqual(['a'])
})

test('a stale read is answered from the past', async () => {
  const { client, server } = aWorld()
  const stale = clientFor(server, { fieldManager: 'test', faults: { onCall: () => ({ staleRevisions: 1 }) } })
  await createMap(client, 'a', {}, { k: 'old' })
  await client.patch(configMaps, { namespace: 'default', name: 'a' }, { kind: 'merge', body: { data: { k: 'new' } } })
  expect((await stale.get(configMaps, { namespace: 'default', name: 'a' })).data).toEqual({ k: 'old' })
  await client.delete(configMaps, { namespace: 'default', name: 'a' })
  expect(await namesOf(stale)).toEqual(['a'])
})

test('watch events may be dropped, doubled, or end in an error', async () => {
  const { client, server } = aWorld()
  const outcomes = { a: 'drop', b: 'double', c: 'break' } as const
  const watcher = clientFor(server, {
    fieldManager: 'test',
    faults: {
      onWatchMessage: (_call, message) => {
        const name = message.type === 'BOOKMARK' ? '' : message.object.metadata.name
        const outcome = name === 'a' || name === 'b' || name === 'c' ? outcomes[name] : 'pass'
        if (outcome === 'break') return lost
        return outcome === 'drop' ? [] : outcome === 'double' ? [message, message] : [message]
      },
    },
  })
  const { resourceVersion } = await client.list(configMaps)
  for (const name of ['a', 'b', 'c']) await createMap(client, name)
  const seen: string[] = []
  const watching = (async () => {
    for await (const event of watcher.watch(configMaps, { resourceVersion })) seen.push(text(event))
  })()
  await expect(watching).rejects.toBe(lost)
  expect(seen).toEqual(['ADDED b', 'ADDED b'])
})

test('a watch message that is held holds all after it', async () => {
  const { client, server, clock } = aWorld()
  const faults: FaultInjection = {
    onWatchMessage: (_call, message) => clock.sleep(5_000).then(() => [message]),
  }
  const watcher = clientFor(server, { fieldManager: 'test', faults })
  const { resourceVersion } = await client.list(configMaps)
  const seen: string[] = []
  const end = new AbortController()
  const watching = (async () => {
    for await (const event of watcher.watch(configMaps, { resourceVersion, signal: end.signal })) seen.push(text(event))
  })()
  const ended = expect(watching).rejects.toBe(lost)
  for (const name of ['a', 'b']) await createMap(client, name)
  await clock.run({ forMs: 4_000 })
  expect(seen).toEqual([])
  await clock.run({ forMs: 2_000 })
  expect(seen).toEqual(['ADDED a'])
  end.abort(lost)
  await clock.run({ forMs: 10_000 })
  await ended
  expect(seen).toEqual(['ADDED a'])
})

test('a late call has its effect even when its caller has given up', async () => {
  const { server, clock, client } = aWorld()
  const late = clientFor(server, { fieldManager: 'test', faults: { onCall: () => ({ lateMs: 20_000 }) } })
  const end = new AbortController()
  const metadata = { namespace: 'default', name: 'a' }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const given = failureOf(late.create(configMaps, object, { signal: end.signal }))
  end.abort(new KubeError('Timeout', 504, 'given up'))
  expect(await given).toContain('given up')
  expect(await namesOf(client)).toEqual([])
  await clock.run({ forMs: 21_000 })
  expect(await namesOf(client)).toEqual(['a'])
})
