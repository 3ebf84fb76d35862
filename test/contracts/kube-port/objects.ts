import { expect } from 'vitest'
import { aConfigMap, codeOf, configMaps, type PortCase } from './world.ts'

/** Create, read, replace and delete single objects. */
export const objectCases: Readonly<Record<string, (world: PortCase) => Promise<void>>> = {
  'a created object has uid, version and creation time, and is read back the same': async ({ client, namespace }) => {
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(created.metadata.resourceVersion).toMatch(/^\d+$/)
    expect(Date.parse(created.metadata.creationTimestamp)).not.toBeNaN()
    expect(await client.get(configMaps, { namespace, name: 'a' })).toEqual(created)
  },

  'what is not there is NotFound, what is there is AlreadyExists': async ({ client, namespace }) => {
    expect(await codeOf(client.get(configMaps, { namespace, name: 'a' }))).toBe('NotFound')
    await client.create(configMaps, aConfigMap(namespace, 'a'))
    expect(await codeOf(client.create(configMaps, aConfigMap(namespace, 'a')))).toBe('AlreadyExists')
    expect(await codeOf(client.delete(configMaps, { namespace, name: 'b' }))).toBe('NotFound')
  },

  'nothing is created in a namespace that does not exist': async ({ client, namespace }) => {
    expect(await codeOf(client.create(configMaps, aConfigMap(`${namespace}-none`, 'a')))).toBe('NotFound')
  },

  'generateName makes distinct names with its prefix': async ({ client, namespace }) => {
    const names = new Set<string>()
    for (let index = 0; index < 5; index += 1) {
      const created = await client.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, generateName: 'made-' },
      })
      expect(created.metadata.name).toMatch(/^made-[a-z0-9]{5}$/)
      names.add(created.metadata.name)
    }
    expect(names.size).toBe(5)
  },

  'a name that is no DNS subdomain is Invalid': async ({ client, namespace }) => {
    expect(await codeOf(client.create(configMaps, aConfigMap(namespace, 'Not_A_Name')))).toBe('Invalid')
  },

  'an update raises the version; one from an older version is a Conflict': async ({ client, namespace }) => {
    const first = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const second = await client.update(configMaps, { ...first, data: { k: 'w' } })
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion))
    expect(await codeOf(client.update(configMaps, { ...first, data: { k: 'x' } }))).toBe('Conflict')
    expect((await client.get(configMaps, { namespace, name: 'a' })).data).toEqual({ k: 'w' })
  },

  'an update that changes nothing keeps the version': async ({ client, namespace }) => {
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const updated = await client.update(configMaps, created)
    expect(updated.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  },

  'an update of an object that is another by uid is a Conflict': async ({ client, namespace }) => {
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const other = {
      ...created,
      metadata: { ...created.metadata, resourceVersion: '', uid: '00000000-0000-4000-8000-000000000000' },
    }
    expect(await codeOf(client.update(configMaps, other))).toBe('Conflict')
  },

  'dry run answers as if, and stores nothing': async ({ client, namespace }) => {
    const shown = await client.create(configMaps, aConfigMap(namespace, 'a'), { dryRun: true })
    expect(shown.metadata.name).toBe('a')
    expect(await codeOf(client.get(configMaps, { namespace, name: 'a' }))).toBe('NotFound')
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const updated = await client.update(configMaps, { ...created, data: { k: 'w' } }, { dryRun: true })
    expect(updated.data).toEqual({ k: 'w' })
    await client.delete(configMaps, { namespace, name: 'a' }, { dryRun: true })
    expect(await client.get(configMaps, { namespace, name: 'a' })).toEqual(created)
  },

  'a delete with preconditions on uid or version means that object only': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const uid = '00000000-0000-4000-8000-000000000000'
    expect(await codeOf(client.delete(configMaps, key, { preconditions: { uid } }))).toBe('Conflict')
    await client.update(configMaps, { ...created, data: {} })
    const { resourceVersion } = created.metadata
    expect(await codeOf(client.delete(configMaps, key, { preconditions: { resourceVersion } }))).toBe('Conflict')
    await client.delete(configMaps, key, { preconditions: { uid: created.metadata.uid } })
    expect(await codeOf(client.get(configMaps, key))).toBe('NotFound')
  },

  'finalizers hold a deleted object until the last one is gone': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    const metadata = { namespace, name: 'a', finalizers: ['example.com/one', 'example.com/two'] }
    await client.create(configMaps, aConfigMap(namespace, 'a', { metadata }))
    await client.delete(configMaps, key)
    const held = await client.get(configMaps, key)
    expect(held.metadata.deletionTimestamp).toBeDefined()
    await client.delete(configMaps, key)
    const late = { ...held, metadata: { ...held.metadata, finalizers: ['example.com/one', 'example.com/late'] } }
    expect(await codeOf(client.update(configMaps, late))).toBe('Invalid')
    const finalizers = ['example.com/two']
    await client.patch(configMaps, key, { kind: 'merge', body: { metadata: { finalizers } } })
    expect((await client.get(configMaps, key)).metadata.finalizers).toEqual(finalizers)
    await client.patch(configMaps, key, { kind: 'merge', body: { metadata: { finalizers: null } } })
    expect(await codeOf(client.get(configMaps, key))).toBe('NotFound')
  },
}
