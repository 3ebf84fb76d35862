import { describe, expect, test } from 'vitest'
import type { KubeObject, Node, Pod } from '../../../src/api/kubernetes.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import type { Cache, Change } from '../../../src/kube/controller.ts'
import { KubeError, SilentWatchError } from '../../../src/kube/errors.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { ListOptions, WatchOptions } from '../../../src/kube/port.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

function aPod(name: string, more: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: '', resourceVersion: '', creationTimestamp: '', ...more },
    spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '1' } } }] },
  }
}

function world() {
  const client = new FakeKubeClient()
  const clock = new VirtualClock()
  const log = recordingLogger()
  const caches = createCaches({ client, clock, random: fixedRandom(), log })
  const stop = new AbortController()
  return { client, clock, log, caches, stop }
}

function changesOf<T extends KubeObject>(cache: Cache<T>): string[] {
  const seen: string[] = []
  cache.subscribe((change: Change<T>) => {
    const object = change.after ?? change.before
    seen.push(`${change.kind} ${object?.metadata.name}`)
  })
  return seen
}

async function create(client: FakeKubeClient, ...names: string[]): Promise<void> {
  for (const name of names) await client.create(pods, unsaved(aPod(name)))
}

function unsaved<T extends KubeObject>(object: T): T {
  const { uid: _uid, resourceVersion: _version, ...metadata } = object.metadata
  return { ...object, metadata } as T
}

const names = (cache: Cache<Pod>): string[] => cache.list().map((pod) => pod.metadata.name)

describe('caches', () => {
  test('read the first list in pages and say when they are synced', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, ...Array.from({ length: 1_201 }, (_, i) => `p${String(i).padStart(4, '0')}`))
    const cache = caches.of(pods)
    caches.start(stop.signal)
    expect(cache.synced).toBe(false)
    await clock.settle()
    await caches.synced()
    expect(cache.list()).toHaveLength(1_201)
    expect(client.calls.filter((call) => call.operation === 'list')).toHaveLength(3)
    stop.abort(new Error('end'))
    await caches.stopped()
  })

  test('list in the order of keys, whatever order the watch brought', async () => {
    const { client, clock, caches, stop } = world()
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    await create(client, 'c', 'a', 'b')
    await clock.settle()
    const before = cache.list()
    await client.delete(pods, { namespace: 'default', name: 'b' })
    await clock.settle()
    expect(before.map((pod) => pod.metadata.name)).toEqual(['a', 'b', 'c'])
    expect(names(cache)).toEqual(['a', 'c'])
  })

  test('tell listeners of additions, updates and deletions in order', async () => {
    const { client, clock, caches, stop } = world()
    const seen = changesOf(caches.of(pods))
    caches.start(stop.signal)
    await clock.settle()
    await create(client, 'a')
    await client.bind({ namespace: 'default', name: 'a' }, 'n1')
    await client.delete(pods, { namespace: 'default', name: 'a' })
    await clock.settle()
    expect(seen).toEqual(['added a', 'updated a', 'deleted a'])
  })

  test('find after a gap what was deleted and what was made anew under the same name', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'gone', 'anew', 'same')
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    const seen = changesOf(cache)
    client.delivers = () => false
    await client.delete(pods, { namespace: 'default', name: 'gone' })
    await client.delete(pods, { namespace: 'default', name: 'anew' })
    await create(client, 'anew')
    client.delivers = () => true
    client.oldestVersion = client.version
    client.endWatches(new KubeError('Expired', 410, 'too old'))
    await clock.run({ forMs: 5_000 })
    expect(seen).toEqual(['deleted gone', 'deleted anew', 'added anew'])
  })

  test('a deletion that names another uid does not remove the object', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'a')
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    const held: unknown[] = []
    client.delivers = (event) => {
      if (event.type !== 'DELETED') return true
      held.push(event)
      return false
    }
    await client.delete(pods, { namespace: 'default', name: 'a' })
    await create(client, 'a')
    await clock.settle()
    const uid = cache.get({ namespace: 'default', name: 'a' })?.metadata.uid
    expect(held).toHaveLength(1)
    expect(uid).toBe((await client.get(pods, { namespace: 'default', name: 'a' })).metadata.uid)
  })

  test('go on from the last bookmark when a watch ends, without listing again', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'a')
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} })
    client.bookmark()
    await clock.settle()
    client.oldestVersion = client.version
    client.endWatches()
    await clock.run({ forMs: 10_000 })
    await create(client, 'b')
    await clock.settle()
    expect(names(cache)).toEqual(['a', 'b'])
    expect(client.calls.filter((call) => call.operation === 'list')).toHaveLength(1)
  })

  test('list again, with growing waits, for as long as the server fails', async () => {
    const { client, clock, caches, stop, log } = world()
    await create(client, 'a')
    let broken = true
    client.fault = () => {
      if (broken) throw new KubeError('InternalError', 500, 'boom')
    }
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.run({ forMs: 300_000 })
    const attempts = client.calls.length
    expect(attempts).toBeGreaterThan(5)
    expect(attempts).toBeLessThan(20)
    expect(cache.synced).toBe(false)
    expect(log.lines.some((line) => line.message === 'failed to list or watch')).toBe(true)
    broken = false
    await clock.run({ forMs: 61_000 })
    expect(names(cache)).toEqual(['a'])
  })

  test('a server that has too much to do is asked again no sooner than it says, and not for ever later', async () => {
    const { client, clock, caches, stop } = world()
    let retryAfterMs = 32_000
    client.fault = () => {
      throw new KubeError('TooManyRequests', 429, 'too many requests', { retryAfterMs })
    }
    caches.of(pods)
    caches.start(stop.signal)
    await clock.run({ forMs: 31_999 })
    expect(client.calls).toHaveLength(1)
    retryAfterMs = 86_400_000
    await clock.run({ forMs: 1 })
    expect(client.calls).toHaveLength(2)
    await clock.run({ forMs: 60_000 })
    expect(client.calls).toHaveLength(3)
  })

  test('a server whose every watch is too old, however new its list, is asked with growing waits', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'a')
    let broken = true
    client.fault = ({ operation }) => {
      if (broken && operation === 'watch') throw new KubeError('Expired', 410, 'too old resource version')
    }
    const cache = caches.of(pods)
    caches.start(stop.signal)
    const lists = () => client.calls.filter(({ operation }) => operation === 'list').length
    for (let turn = 0; turn < 1_000 && lists() < 100; turn++) await Promise.resolve()
    expect(lists()).toBe(1)
    await clock.run({ forMs: 300_000 })
    expect(lists()).toBeLessThan(20)
    broken = false
    await clock.run({ forMs: 61_000 })
    await create(client, 'b')
    await clock.settle()
    expect(names(cache)).toEqual(['a', 'b'])
  })

  test('a watch that has grown too old is listed anew at once', async () => {
    const { client, clock, caches, stop } = world()
    caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    await create(client, 'a')
    await clock.settle()
    client.endWatches()
    await clock.settle()
    client.endWatches(new KubeError('Expired', 410, 'too old resource version'))
    await clock.settle()
    expect(client.calls.filter(({ operation }) => operation === 'list')).toHaveLength(2)
  })

  describe('of a kind that a cluster may do without', () => {
    const missing = new KubeError('NotFound', 404, 'the server could not find the requested resource')
    const forbidden = new KubeError('Forbidden', 403, 'may not list')

    function optionalWorld(fault: KubeError | undefined) {
      const { client, caches, log, ...rest } = world()
      const state = { fault }
      client.fault = () => {
        if (state.fault !== undefined) throw state.fault
      }
      const cache = caches.of(Object.freeze({ ...pods, optional: true }))
      const said = (text: string) => log.lines.filter(({ message }) => message === text).length
      return { client, caches, cache, state, said, ...rest }
    }

    test.each([missing, forbidden])(
      'hold none while it is not served ($code), and those there are from then on',
      async (fault) => {
        const { client, clock, caches, cache, state, stop, said } = optionalWorld(fault)
        caches.start(stop.signal)
        await clock.run({ forMs: 300_000 })
        expect(cache.synced).toBe(true)
        expect(cache.list()).toEqual([])
        expect(said('working without an optional kind')).toBe(1)
        expect(said('failed to list or watch')).toBe(0)
        expect(client.calls.length).toBeLessThanOrEqual(6)
        state.fault = undefined
        await create(client, 'a')
        await clock.run({ forMs: 60_000 })
        expect(names(cache)).toEqual(['a'])
        expect(said('an optional kind is served now')).toBe(1)
      },
    )

    test('forget what there was once its definition is gone, but not for a refusal', async () => {
      const { client, clock, caches, cache, state, stop, said } = optionalWorld(undefined)
      await create(client, 'a')
      caches.start(stop.signal)
      await clock.settle()
      state.fault = forbidden
      caches.relist(cache.resource)
      await clock.run({ forMs: 120_000 })
      expect(names(cache)).toEqual(['a'])
      expect(said('failed to list or watch')).toBeGreaterThan(0)
      state.fault = missing
      await clock.run({ forMs: 120_000 })
      expect(names(cache)).toEqual([])
    })

    test('are not there yet while the server fails otherwise', async () => {
      const { clock, caches, cache, stop } = optionalWorld(new KubeError('InternalError', 500, 'boom'))
      caches.start(stop.signal)
      await clock.run({ forMs: 300_000 })
      expect(cache.synced).toBe(false)
    })
  })

  test('a watch that is silent for longer than it was asked to last is taken for dead', async () => {
    const { client, clock, caches, stop } = world()
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    client.delivers = () => false
    await create(client, 'missed')
    client.delivers = () => true
    const watches = () => client.calls.filter((call) => call.operation === 'watch').length
    expect(watches()).toBe(1)
    await clock.run({ forMs: 660_000 })
    expect(watches()).toBeGreaterThan(1)
    caches.relist(pods)
    await clock.run({ forMs: 1_000 })
    expect(names(cache)).toEqual(['missed'])
  })

  test('a watch of a kind of which nothing ever changes is asked for again at once, and nobody is warned', async () => {
    const { client, clock, caches, stop, log } = world()
    const list = client.list.bind(client)
    const limits: unknown[] = []
    client.list = <T extends KubeObject>(resource: Resource<T>, options?: ListOptions<T>) => {
      limits.push(options?.limit)
      return list(resource, options)
    }
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    const watches = () => client.calls.filter((call) => call.operation === 'watch').length
    for (const round of [2, 3, 4]) {
      client.endWatches(new SilentWatchError(120_000))
      await clock.settle()
      expect(watches()).toBe(round)
    }
    await create(client, 'heard')
    await clock.settle()
    expect(names(cache)).toEqual(['heard'])
    // One list, and how far the server is.
    expect(limits).toEqual([500, 1, 1, 1])
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([])
  })

  test('a kind of which nothing ever changes is not watched anew with growing waits, however often its watch ends', async () => {
    const { client, clock, caches, stop } = world()
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    for (let round = 0; round < 10; round += 1) {
      await clock.run({ forMs: 120_000 })
      client.endWatches()
      await clock.run({ forMs: 2_000 })
    }
    await create(client, 'heard')
    await clock.settle()
    expect(names(cache)).toEqual(['heard'])
  })

  test('a list that takes longer than the time between two calls for one comes to its end', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'a')
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    client.delivers = () => false
    await create(client, 'missed')
    const list = client.list.bind(client)
    client.list = async <T extends KubeObject>(resource: Resource<T>, options?: ListOptions<T>) => {
      await clock.sleep(90_000, options?.signal)
      return list(resource, options)
    }
    for (let minute = 0; minute < 5; minute += 1) {
      caches.relist(pods)
      await clock.run({ forMs: 60_000 })
    }
    expect(names(cache)).toEqual(['a', 'missed'])
  })

  test('a listener that throws harms neither the others nor the cache', async () => {
    const { client, clock, caches, stop, log } = world()
    const cache = caches.of(pods)
    cache.subscribe(() => {
      throw new Error('listener')
    })
    const seen = changesOf(cache)
    caches.start(stop.signal)
    await create(client, 'a')
    await clock.settle()
    expect(seen).toEqual(['added a'])
    expect(log.lines.some((line) => line.message === 'cache listener failed')).toBe(true)
  })

  test('indexes follow every change', async () => {
    const { client, clock, caches, stop } = world()
    const cache = caches.of(pods)
    const nodeNames = ({ spec }: Pod) => (spec.nodeName === undefined ? [] : [spec.nodeName])
    cache.addIndex('node', nodeNames)
    cache.addIndex('node', nodeNames)
    expect(() => cache.addIndex('node', () => ['other'])).toThrow('there is another index "node"')
    caches.start(stop.signal)
    await create(client, 'b', 'a')
    await clock.settle()
    expect(cache.by('node', 'n1')).toEqual([])
    await client.bind({ namespace: 'default', name: 'b' }, 'n1')
    await client.bind({ namespace: 'default', name: 'a' }, 'n1')
    await clock.settle()
    expect(cache.by('node', 'n1').map((pod) => pod.metadata.name)).toEqual(['a', 'b'])
    await client.delete(pods, { namespace: 'default', name: 'a' })
    await clock.settle()
    expect(cache.by('node', 'n1').map((pod) => pod.metadata.name)).toEqual(['b'])
    expect(() => cache.by('missing', 'x')).toThrow('there is no index')
  })

  test('a list that is older than what was seen is not believed', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, 'a', 'b')
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    const list = client.list.bind(client)
    client.list = (async (resource: Resource, options: object) => ({
      ...(await list(resource, options)),
      items: [],
      resourceVersion: '1',
    })) as typeof client.list
    caches.relist(pods)
    await clock.run({ forMs: 2_000 })
    expect(names(cache)).toEqual(['a', 'b'])
    client.list = list
    await clock.run({ forMs: 60_000 })
    expect(names(cache)).toEqual(['a', 'b'])
  })

  describe('of a server that was restored from a backup', () => {
    const label = (client: FakeKubeClient, name: string, v: string) =>
      client.patch(pods, { namespace: 'default', name }, { kind: 'merge', body: { metadata: { labels: { v } } } })
    const labels = (cache: Cache<Pod>) =>
      cache.list().map(({ metadata }) => `${metadata.name} ${metadata.labels?.['v']}`)

    /** Caches that know `changed` at version 6 and `same` at version 2, and the server whose lists and watches they get from now on. */
    async function restored() {
      const made = world()
      const { client, clock, caches, stop } = made
      const backup = new FakeKubeClient()
      for (const server of [client, backup]) {
        await server.create(pods, unsaved(aPod('changed', { labels: { v: 'backup' } })))
        await server.create(pods, unsaved(aPod('same', { labels: { v: server === client ? 'lost' : 'backup' } })))
      }
      for (const v of ['1', '2', '3', '4']) await label(client, 'changed', v)
      const cache = caches.of(pods)
      caches.start(stop.signal)
      await clock.settle()
      expect(labels(cache)).toEqual(['changed 4', 'same lost'])
      client.list = backup.list.bind(backup)
      client.watch = backup.watch.bind(backup)
      return { ...made, backup, cache }
    }

    test('come to know what it says, though versions begin again lower, and follow it from there', async () => {
      const { clock, caches, backup, cache } = await restored()
      const seen = changesOf(cache)
      caches.relist(pods)
      await clock.run({ forMs: 300_000 })
      expect(labels(cache)).toEqual(['changed backup', 'same backup'])
      expect(seen).toEqual(['updated changed', 'updated same'])
      await label(backup, 'changed', 'new')
      await clock.settle()
      expect(labels(cache)).toEqual(['changed new', 'same backup'])
    })

    test('notice it by themselves: a watch from a version that is yet to come is silent', async () => {
      const { client, clock, backup, cache } = await restored()
      client.watch = async function* watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions) {
        for await (const event of backup.watch(resource, options)) {
          const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion
          if (Number(version) > Number(options.resourceVersion)) yield event
        }
      }
      client.endWatches()
      await clock.run({ forMs: 1_000 })
      await label(backup, 'changed', 'new')
      backup.endWatches(new SilentWatchError(120_000))
      await clock.run({ forMs: 300_000 })
      expect(labels(cache)).toEqual(['changed new', 'same backup'])
    })

    test('come to know what it says of objects that did not change since, when its versions have caught up', async () => {
      const { clock, caches, backup, cache } = await restored()
      for (const v of ['1', '2', '3', '4', '5']) await label(backup, 'same', v)
      caches.relist(pods)
      await clock.settle()
      expect(labels(cache)).toEqual(['changed backup', 'same 5'])
    })
  })

  test('read everything at once when pages go stale under their feet', async () => {
    const { client, clock, caches, stop } = world()
    await create(client, ...Array.from({ length: 600 }, (_, i) => `p${i}`))
    const list = client.list.bind(client)
    client.list = (async (resource: Resource, options: { continue?: string }) => {
      if (options.continue !== undefined)
        throw new KubeError('Expired', 410, 'the provided continue parameter is too old')
      return list(resource, options)
    }) as typeof client.list
    const cache = caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    expect(cache.list()).toHaveLength(600)
  })

  test('keep of objects only what somebody reads', async () => {
    const { client, clock, caches, stop } = world()
    const heavy: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: 'n',
        uid: 'u',
        resourceVersion: '',
        creationTimestamp: '',
        managedFields: [{}],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
      },
      spec: { providerID: 'aws:///a/i-1' },
      status: { capacity: { cpu: '4' }, images: [{ names: ['x'] }] } as NonNullable<Node['status']>,
    }
    await client.create(nodes, heavy)
    await create(client, 'p')
    caches.of(pods)
    caches.of(nodes)
    caches.start(stop.signal)
    await clock.settle()
    const node = caches.of(nodes).get({ name: 'n' })
    expect(node?.metadata.annotations).toEqual({ kept: 'yes' })
    expect(node?.metadata).not.toHaveProperty('managedFields')
    expect(node?.status).toEqual({ capacity: { cpu: '4' } })
    expect(caches.of(pods).list()[0]?.spec).toEqual({
      containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
    })
  })

  test('end with the signal', async () => {
    const { client, clock, caches, stop } = world()
    caches.of(pods)
    caches.start(stop.signal)
    await clock.settle()
    expect(client.watching).toEqual(['pods'])
    stop.abort(new Error('end'))
    await caches.stopped()
    expect(client.watching).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
