import { describe, expect, test } from 'vitest'
import type { Pod, Unsaved } from '../../../src/api/kubernetes.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { pods } from '../../../src/kube/kinds.ts'
import type { ListOptions, WatchEvent } from '../../../src/kube/port.ts'
import { isOlder, Reflector } from '../../../src/kube/reflector.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

function aPod(name: string): Unsaved<Pod> {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { containers: [] } }
}

/** A reflector at work, and what it has told so far. */
function reflecting(resource: Resource<Pod> = pods, project = (pod: Pod): Pod => pod) {
  const client = new FakeKubeClient()
  const clock = new VirtualClock()
  const log = recordingLogger()
  const stop = new AbortController()
  const held = new Map<string, Pod>()
  const lists: string[] = []
  const state = { onApply: (): void => undefined }
  const reflector = new Reflector<Pod>(
    { client, clock, random: fixedRandom(), log },
    resource,
    {
      replace(objects, versions) {
        held.clear()
        for (const pod of objects) held.set(pod.metadata.name, pod)
        lists.push(`${[...held.keys()].join(' ')}${versions === undefined ? '' : ` (${versions})`}`)
      },
      apply({ type, object }) {
        if (type === 'DELETED') held.delete(object.metadata.name)
        else held.set(object.metadata.name, object)
        state.onApply()
      },
    },
    project,
  )
  const create = (...names: readonly string[]) => Promise.all(names.map((name) => client.create(pods, aPod(name))))
  const start = async (): Promise<void> => {
    void reflector.run(stop.signal)
    await clock.settle()
  }
  const names = (): readonly string[] => [...held.keys()]
  return { client, clock, log, stop, held, lists, state, reflector, create, start, names }
}

/** What a server in the past says. */
function answersFromThePast(client: FakeKubeClient, resourceVersion: string, names: readonly string[]) {
  const list = client.list.bind(client)
  let left = 0
  client.list = (async (resource: Resource<Pod>, options: ListOptions<Pod>) => {
    const now = await list(resource, options)
    left -= 1
    if (left < 0) return now
    return { items: now.items.filter(({ metadata }) => names.includes(metadata.name)), resourceVersion }
  }) as typeof client.list
  return { nextLists: (count: number) => (left = count) }
}

describe.each([new KubeError('NotFound', 404, 'page not found'), new KubeError('Forbidden', 403, 'may not list')])(
  '$code for a kind that no cluster is without',
  (answer) => {
    test('is a failure, and takes nothing away that was there', async () => {
      const { client, clock, log, lists, create, start, names } = reflecting()
      await create('a')
      await start()
      client.fault = () => {
        throw answer
      }
      client.endWatches()
      await clock.run({ forMs: 300_000 })
      expect(lists).toEqual(['a'])
      expect(log.lines.some(({ message }) => message === 'failed to list or watch')).toBe(true)
      client.fault = () => undefined
      await clock.run({ forMs: 61_000 })
      await create('b')
      await clock.settle()
      expect(names()).toEqual(['a', 'b'])
    })
  },
)

test('a kind that goes and comes back is listed each time, and both are said each time', async () => {
  const { client, clock, log, reflector, create, start, names } = reflecting({ ...pods, optional: true })
  await create('a')
  await start()
  for (let round = 0; round < 2; round += 1) {
    client.fault = () => {
      throw new KubeError('NotFound', 404, 'page not found')
    }
    client.endWatches()
    await clock.run({ forMs: 5_000 })
    expect(names()).toEqual([])
    client.fault = () => undefined
    await clock.run({ forMs: 60_000 })
    expect(names()).toEqual(['a'])
    reflector.relist()
    await clock.settle()
  }
  const [gone, back] = ['working without an optional kind', 'an optional kind is served now']
  expect(log.lines.map(({ message }) => message)).toEqual([gone, back, gone, back])
})

describe('a list that is older than what was seen', () => {
  test('by the watch is not believed', async () => {
    const { client, clock, lists, reflector, create, start, names } = reflecting()
    await create('a')
    await start()
    const past = answersFromThePast(client, String(client.version), ['a'])
    await create('b')
    await clock.settle()
    past.nextLists(1)
    reflector.relist()
    await clock.run({ forMs: 60_000 })
    expect(lists).toEqual(['a', 'a b'])
    expect(names()).toEqual(['a', 'b'])
  })

  test('is not believed either where others were long ago: only so many in a row tell of a backup', async () => {
    const { client, clock, lists, reflector, create, start } = reflecting()
    await create('a', 'b')
    await start()
    const past = answersFromThePast(client, '1', ['a'])
    for (let round = 0; round < 10; round += 1) {
      past.nextLists(1)
      reflector.relist()
      await clock.run({ forMs: 60_000 })
    }
    expect(lists).toEqual(Array.from({ length: 11 }, () => 'a b'))
  })

  test('is believed of a server that was restored, as what its watch has told meanwhile is of no other', async () => {
    const { client, clock, lists, reflector, create, start } = reflecting()
    await create('a', 'b', 'c')
    await start()
    const watch = client.watch.bind(client)
    const old = await client.get(pods, { namespace: 'default', name: 'a' })
    client.watch = async function* restored(resource, options) {
      yield { type: 'MODIFIED', object: { ...old, metadata: { ...old.metadata, resourceVersion: '1' } } } as never
      yield* watch(resource, options)
    }
    client.endWatches()
    await clock.run({ forMs: 5_000 })
    answersFromThePast(client, '2', ['a', 'b']).nextLists(100)
    reflector.relist()
    await clock.run({ forMs: 300_000 })
    expect(lists).toEqual(['a b c', 'a b (reused)'])
  })
})

test('listing anew is not forgotten for what the watch had still to tell', async () => {
  const { client, clock, lists, state, reflector, create, start, names } = reflecting()
  await start()
  client.delivers = () => false
  await create('missed')
  client.delivers = () => true
  state.onApply = () => {
    state.onApply = () => undefined
    reflector.relist()
  }
  await create('a', 'b')
  await clock.settle()
  expect(lists).toEqual(['', 'a b missed'])
  expect(names()).toEqual(['a', 'b', 'missed'])
})

test('a server whose every watch ends at once is asked with growing waits', async () => {
  const { client, clock, start } = reflecting()
  let watches = 0
  client.watch = async function* watch(): AsyncGenerator<WatchEvent<never>> {
    watches += 1
    if (watches > 1_000) throw new Error('without any wait')
    yield* []
  }
  await start()
  await clock.run({ forMs: 300_000 })
  expect(watches).toBeGreaterThan(5)
  expect(watches).toBeLessThan(25)
})

test('a watch that has told something ends a series of failures, however short it was', async () => {
  const { client, clock, create, start, names } = reflecting()
  let broken = true
  client.fault = ({ operation }) => {
    if (broken && operation !== 'create') throw new KubeError('Network', 0, 'cut off')
  }
  await start()
  await clock.run({ forMs: 180_000 })
  broken = false
  await clock.run({ forMs: 61_000 })
  await create('a')
  await clock.settle()
  broken = true
  client.endWatches()
  await clock.settle()
  broken = false
  await create('b')
  await clock.run({ forMs: 2_000 })
  expect(names()).toEqual(['a', 'b'])
})

test('of what a watch tells no more is kept than of what is listed', async () => {
  const { clock, held, create, start } = reflecting(pods, ({ spec: _spec, ...pod }) => pod as Pod)
  await create('listed')
  await start()
  await create('told')
  await clock.settle()
  expect([...held.values()].map((pod) => Object.keys(pod))).toEqual(
    ['listed', 'told'].map(() => ['apiVersion', 'kind', 'metadata']),
  )
})

test.each(['list', 'watch'])('the end comes in a %s without a warning', async (during) => {
  const { client, clock, log, stop, create, start } = reflecting()
  if (during === 'list') client.list = (_resource, options) => clock.sleep(60_000, options?.signal) as Promise<never>
  await start()
  stop.abort(new Error('stopping'))
  await create('a')
  await clock.run({ forMs: 60_000 })
  expect(log.lines).toEqual([])
})

test.each([
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['9', undefined, false],
  ['', '10', false],
  // Of a server whose versions are no numbers nobody can say.
  ['9a', '10b', false],
  ['9', '10b', false],
])('version %j older than %j: %j', (version, than, want) => {
  expect(isOlder(version, than)).toBe(want)
})
