import { expect } from 'vitest'
import { pods } from '../../../src/kube/kinds.ts'
import { aConfigMap, codeOf, configMaps, described, type PortCase, take } from './world.ts'

async function createNamed({ client, namespace }: PortCase, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const labels = { parity: name.charCodeAt(0) % 2 === 0 ? 'even' : 'odd', name }
    await client.create(configMaps, aConfigMap(namespace, name, { metadata: { namespace, name, labels } }))
  }
}

/** Real namespaces may hold objects that a controller put there. */
const ours = 'name'

/** Lists, pages, selectors and watches. */
export const readingCases: Readonly<Record<string, (world: PortCase) => Promise<void>>> = {
  'lists are in order of names and carry a version': async (world) => {
    await createNamed(world, ['c', 'a', 'b'])
    const { client, namespace } = world
    const list = await client.list(configMaps, { namespace, labelSelector: ours })
    expect(list.items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c'])
    expect(list.resourceVersion).toMatch(/^\d+$/)
    expect(list.continue ?? '').toBe('')
  },

  'pages are of one version: what is created meanwhile is in none of them': async (world) => {
    await createNamed(world, ['a', 'b', 'd', 'e', 'f'])
    const { client, namespace } = world
    const names: string[] = []
    let next: string | undefined
    let pages = 0
    do {
      const page = await client.list(configMaps, {
        namespace,
        labelSelector: ours,
        limit: 2,
        ...(next === undefined ? {} : { continue: next }),
      })
      names.push(...page.items.map((item) => item.metadata.name))
      next = page.continue === '' ? undefined : page.continue
      pages += 1
      if (pages === 1) await createNamed(world, ['c'])
    } while (next !== undefined && pages < 10)
    expect(names).toEqual(['a', 'b', 'd', 'e', 'f'])
    expect(pages).toBe(3)
  },

  'label selectors select by equality, sets and existence, as text and as object': async (world) => {
    await createNamed(world, ['a', 'b', 'c', 'd'])
    const { client, namespace } = world
    const selected = async (labelSelector: NonNullable<Parameters<typeof client.list>[1]>['labelSelector']) => {
      const list = await client.list(
        configMaps,
        labelSelector === undefined ? { namespace } : { namespace, labelSelector },
      )
      return list.items.map((item) => item.metadata.name).join('')
    }
    expect(await selected('parity=odd')).toBe('ac')
    expect(await selected('name,parity!=odd')).toBe('bd')
    expect(await selected('name in (a,d)')).toBe('ad')
    expect(await selected('name,name notin (a,d)')).toBe('bc')
    expect(await selected('name,!none')).toBe('abcd')
    expect(await selected({ matchLabels: { parity: 'even' } })).toBe('bd')
    expect(await selected({ matchExpressions: [{ key: 'name', operator: 'In', values: ['b', 'c'] }] })).toBe('bc')
    expect(
      await selected({ matchExpressions: [{ key: 'name', operator: 'DoesNotExist' }], matchLabels: { parity: 'odd' } }),
    ).toBe('')
  },

  'field selectors select by name, and pods by node; unknown fields are refused': async (world) => {
    await createNamed(world, ['a', 'b'])
    const { client, namespace } = world
    const one = await client.list(configMaps, { namespace, fieldSelector: 'metadata.name=b' })
    expect(one.items.map((item) => item.metadata.name)).toEqual(['b'])
    const containers = [{ name: 'c', image: 'i' }]
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: 'p' },
      spec: { containers },
    })
    const unbound = await client.list(pods, { namespace, fieldSelector: 'spec.nodeName=' })
    expect(unbound.items.map((item) => item.metadata.name)).toEqual(['p'])
    expect((await client.list(pods, { namespace, fieldSelector: 'spec.nodeName!=' })).items).toEqual([])
    expect(await codeOf(client.list(configMaps, { namespace, fieldSelector: 'data.k=v' }))).toBe('BadRequest')
  },

  'a list holds what is kept of each item': async (world) => {
    await createNamed(world, ['a', 'b', 'c'])
    const { client, namespace } = world
    const kinds: string[] = []
    const { items } = await client.list(configMaps, {
      namespace,
      labelSelector: ours,
      limit: 2,
      keep: (item) => {
        kinds.push(`${item.apiVersion} ${item.kind}`)
        return { ...item, data: { kept: item.metadata.name } }
      },
    })
    expect(items.map(({ data }) => data)).toEqual([{ kept: 'a' }, { kept: 'b' }])
    expect(kinds).toEqual(['v1 ConfigMap', 'v1 ConfigMap'])
  },

  'a watch continues from the version of a list, in order': async (world) => {
    await createNamed(world, ['a'])
    const { client, namespace } = world
    const { resourceVersion } = await client.list(configMaps, { namespace })
    const key = { namespace, name: 'a' }
    await client.patch(configMaps, key, { kind: 'merge', body: { data: { k: 'w' } } })
    await client.delete(configMaps, key)
    await createNamed(world, ['b'])
    const events = await take(world, client.watch(configMaps, { namespace, resourceVersion }), 3)
    expect(events.map(described)).toEqual(['MODIFIED a', 'DELETED a', 'ADDED b'])
  },

  'a watch with a selector sees objects appear and disappear as they begin and cease to match': async (world) => {
    const { client, namespace } = world
    const { resourceVersion } = await client.list(configMaps, { namespace })
    const key = { namespace, name: 'a' }
    const label = (value: string) =>
      client.patch(configMaps, key, { kind: 'merge', body: { metadata: { labels: { on: value } } } })
    await createNamed(world, ['a'])
    await label('yes')
    await client.patch(configMaps, key, { kind: 'merge', body: { data: { k: 'w' } } })
    await label('no')
    await label('yes')
    const events = await take(
      world,
      client.watch(configMaps, { namespace, resourceVersion, labelSelector: 'on=yes' }),
      4,
    )
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED'])
  },

  'a watch that is open sees later changes': async (world) => {
    const { client, namespace } = world
    const { resourceVersion } = await client.list(configMaps, { namespace })
    const taken = take(world, client.watch(configMaps, { namespace, resourceVersion, labelSelector: ours }), 2)
    await createNamed(world, ['a', 'b'])
    expect((await taken).map(described)).toEqual(['ADDED a', 'ADDED b'])
  },

  'a watch ends at its timeout': async (world) => {
    const { client, namespace } = world
    const { resourceVersion } = await client.list(configMaps, { namespace })
    await createNamed(world, ['a'])
    const options = { namespace, resourceVersion, labelSelector: ours, timeoutSeconds: 1 }
    expect((await take(world, client.watch(configMaps, options), 100)).map(described)).toEqual(['ADDED a'])
  },

  'an aborted watch rejects with the reason': async (world) => {
    const { client, namespace } = world
    const { resourceVersion } = await client.list(configMaps, { namespace })
    const abort = new AbortController()
    const reason = new Error('enough')
    const iterator = client
      .watch(configMaps, { namespace, resourceVersion, signal: abort.signal })
      [Symbol.asyncIterator]()
    const next = iterator.next()
    abort.abort(reason)
    await expect(next).rejects.toBe(reason)
  },
}
