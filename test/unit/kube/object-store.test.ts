import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { ObjectStore } from '../../../src/kube/object-store.ts'

interface Labelled extends KubeObject {
  readonly on: readonly string[]
}

function anObject(name: string, on: readonly string[] = [], namespace = 'default'): Labelled {
  const metadata = { name, namespace, uid: name, resourceVersion: '1', creationTimestamp: '' }
  return { apiVersion: 'v1', kind: 'Thing', metadata, on }
}

const names = (objects: readonly Labelled[]): string[] =>
  objects.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)

describe('objects', () => {
  test('are listed by namespace and name, however they came', () => {
    const store = new ObjectStore<Labelled>()
    store.put(anObject('b'))
    expect(names(store.list())).toEqual(['default/b'])
    for (const [name, namespace] of [
      ['c', 'default'],
      ['a', 'default'],
      ['z', 'apps'],
      ['a', 'zoo'],
    ] as const) {
      store.put(anObject(name, [], namespace))
    }
    expect(names(store.list())).toEqual(['apps/z', 'default/a', 'default/b', 'default/c', 'zoo/a'])
    store.remove(anObject('b'))
    store.remove(anObject('never there'))
    expect(names(store.list())).toEqual(['apps/z', 'default/a', 'default/c', 'zoo/a'])
    expect(store.size).toBe(4)
  })

  test('a listing that was handed out stays as it was', () => {
    const store = new ObjectStore<Labelled>()
    store.addIndex('on', ({ on }) => on)
    store.put(anObject('a', ['n1']))
    const [all, some] = [store.list(), store.by('on', 'n1')]
    store.put(anObject('b', ['n1']))
    store.remove(anObject('a'))
    expect(names(all)).toEqual(['default/a'])
    expect(names(some)).toEqual(['default/a'])
    expect(names(store.list())).toEqual(['default/b'])
    expect(names(store.by('on', 'n1'))).toEqual(['default/b'])
  })

  test('the same listing is handed out until something changes', () => {
    const store = new ObjectStore<Labelled>()
    store.put(anObject('a'))
    expect(store.list()).toBe(store.list())
  })
})

describe('an index', () => {
  test('lists a new version in place of the old one, under the values it has now', () => {
    const store = new ObjectStore<Labelled>()
    store.put(anObject('b', ['n1']))
    store.addIndex('on', ({ on }) => on)
    store.put(anObject('a', ['n1', 'n2']))
    expect(names(store.by('on', 'n1'))).toEqual(['default/a', 'default/b'])
    const changed = anObject('a', ['n2', 'n3'])
    store.put(changed)
    expect(names(store.by('on', 'n1'))).toEqual(['default/b'])
    expect(store.by('on', 'n2')).toEqual([changed])
    expect(store.by('on', 'n2')[0]).toBe(changed)
    expect(store.by('on', 'n3')[0]).toBe(changed)
    store.remove(changed)
    expect(store.by('on', 'n2')).toEqual([])
    expect(store.by('on', 'n3')).toEqual([])
  })

  test('lists an object once that has a value twice', () => {
    const store = new ObjectStore<Labelled>()
    store.addIndex('on', ({ on }) => on)
    store.put(anObject('a', ['n1', 'n1']))
    expect(names(store.by('on', 'n1'))).toEqual(['default/a'])
  })
})
