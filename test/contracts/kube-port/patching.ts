import { expect } from 'vitest'
import { deployments } from '../../../src/kube/kinds.ts'
import type { Deployment, Unsaved } from '../../../src/api/kubernetes.ts'
import { aConfigMap, codeOf, configMaps, type PortCase } from './world.ts'

function aDeployment(namespace: string): Unsaved<Deployment> {
  const labels = { app: 'd' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'd' },
    spec: {
      replicas: 2,
      // Nothing rolls out while controllers may be running.
      paused: true,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'a', image: 'a:1' },
            { name: 'b', image: 'b:1' },
          ],
        },
      },
    },
  }
}

const images = (deployment: Deployment): string =>
  deployment.spec.template.spec.containers.map((each) => each.image).join(' ')

/** The four kinds of patch. */
export const patchingCases: Readonly<Record<string, (world: PortCase) => Promise<void>>> = {
  'a merge patch merges objects, replaces lists and removes by null': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    await client.create(configMaps, aConfigMap(namespace, 'a', { data: { a: '1', b: '2' } }))
    const patched = await client.patch(configMaps, key, { kind: 'merge', body: { data: { a: null, c: '3' } } })
    expect(patched.data).toEqual({ b: '2', c: '3' })
  },

  'a patch that names a version is conditional': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const { resourceVersion } = created.metadata
    const body = { metadata: { resourceVersion }, data: { k: 'w' } }
    await client.patch(configMaps, key, { kind: 'merge', body })
    expect(await codeOf(client.patch(configMaps, key, { kind: 'merge', body: { ...body, data: { k: 'x' } } }))).toBe(
      'Conflict',
    )
  },

  'a json patch is applied whole or not at all': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    await client.create(configMaps, aConfigMap(namespace, 'a'))
    await client.patch(configMaps, key, {
      kind: 'merge',
      body: { metadata: { annotations: { 'example.com/a': 'b' } } },
    })
    const added = await client.patch(configMaps, key, {
      kind: 'json',
      body: [
        { op: 'test', path: '/data/k', value: 'v' },
        { op: 'replace', path: '/metadata/annotations/example.com~1a', value: 'c' },
        { op: 'add', path: '/data/l', value: 'x' },
      ],
    })
    expect(added.data).toEqual({ k: 'v', l: 'x' })
    expect(added.metadata.annotations).toEqual({ 'example.com/a': 'c' })
    const failing = [
      { op: 'remove', path: '/data/k' },
      { op: 'test', path: '/data/l', value: 'y' },
    ]
    expect(await codeOf(client.patch(configMaps, key, { kind: 'json', body: failing }))).toBe('Invalid')
    expect((await client.get(configMaps, key)).data).toEqual({ k: 'v', l: 'x' })
  },

  'a strategic patch merges containers by name and deletes by directive': async ({ client, namespace }) => {
    const key = { namespace, name: 'd' }
    await client.create(deployments, aDeployment(namespace))
    const containers = (items: readonly object[]) => ({ spec: { template: { spec: { containers: items } } } })
    const changed = await client.patch(deployments, key, {
      kind: 'strategic',
      body: containers([{ name: 'b', image: 'b:2' }]),
    })
    expect(images(changed)).toBe('a:1 b:2')
    const removed = await client.patch(deployments, key, {
      kind: 'strategic',
      body: containers([{ name: 'a', $patch: 'delete' }]),
    })
    expect(images(removed)).toBe('b:2')
  },

  'apply creates, owns what it says, and takes back what it no longer says': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    const apply = (data: Record<string, string>) =>
      client.patch(configMaps, key, {
        kind: 'apply',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'a' }, data },
      })
    expect((await apply({ x: '1', y: '1' })).data).toEqual({ x: '1', y: '1' })
    await client.patch(configMaps, key, { kind: 'merge', body: { data: { z: '1' } } })
    expect((await apply({ x: '2' })).data).toEqual({ x: '2', z: '1' })
  },

  'applying the same again changes nothing': async ({ client, namespace }) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'a' }, data: { x: '1' } }
    const first = await client.patch(configMaps, { namespace, name: 'a' }, { kind: 'apply', body })
    const second = await client.patch(configMaps, { namespace, name: 'a' }, { kind: 'apply', body })
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
  },

  "apply conflicts with another manager's field unless forced, which takes it over": async ({
    client,
    other,
    namespace,
  }) => {
    const key = { namespace, name: 'a' }
    const body = (x: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'a' },
      data: { x },
    })
    await client.patch(configMaps, key, { kind: 'apply', body: body('1') })
    expect(await codeOf(other.patch(configMaps, key, { kind: 'apply', body: body('2') }))).toBe('Conflict')
    const forced = await other.patch(configMaps, key, { kind: 'apply', body: body('2'), force: true })
    expect(forced.data).toEqual({ x: '2' })
    expect(await codeOf(client.patch(configMaps, key, { kind: 'apply', body: body('1') }))).toBe('Conflict')
  },

  'apply merges keyed lists of different managers': async ({ client, other, namespace }) => {
    const key = { namespace, name: 'd' }
    await client.create(deployments, aDeployment(namespace))
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'd' },
      spec: { template: { spec: { containers: [{ name: 'c', image: 'c:1' }] } } },
    }
    const applied = await other.patch(deployments, key, { kind: 'apply', body })
    expect(images(applied)).toBe('a:1 b:1 c:1')
  },

  'a dry run of a patch shows the outcome only': async ({ client, namespace }) => {
    const key = { namespace, name: 'a' }
    const created = await client.create(configMaps, aConfigMap(namespace, 'a'))
    const shown = await client.patch(configMaps, key, { kind: 'merge', body: { data: { k: 'w' } } }, { dryRun: true })
    expect(shown.data).toEqual({ k: 'w' })
    expect(await client.get(configMaps, key)).toEqual(created)
  },

  'the spec of a workload counts generations; its metadata and status do not': async ({ client, namespace }) => {
    const key = { namespace, name: 'd' }
    const created = await client.create(deployments, aDeployment(namespace))
    expect(created.metadata.generation).toBe(1)
    const labelled = await client.patch(deployments, key, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    expect(labelled.metadata.generation).toBe(1)
    const scaled = await client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas: 3 } } })
    expect(scaled.metadata.generation).toBe(2)
    const through = { status: { replicas: 1 }, spec: { replicas: 9 } }
    const reported = await client.patch(deployments, key, { kind: 'merge', body: through }, { subresource: 'status' })
    expect(reported.metadata.generation).toBe(2)
    expect(reported.spec.replicas).toBe(3)
  },

  'the scale subresource changes replicas': async ({ client, namespace }) => {
    const key = { namespace, name: 'd' }
    await client.create(deployments, aDeployment(namespace))
    await client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas: 5 } } }, { subresource: 'scale' })
    expect((await client.get(deployments, key)).spec.replicas).toBe(5)
  },
}
