import { expect } from 'vitest'
import {
  codeOf,
  customResourceDefinitions,
  eventually,
  type PortCase,
  type PortWorld,
  type Widget,
  widgets,
} from './world.ts'

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 1, minimum: 0 },
    color: { type: 'string', enum: ['red', 'green'] },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }] },
  },
  'x-kubernetes-validations': [
    { rule: "!has(self.color) || self.color != 'red' || self.size < 10", message: 'red widgets are small' },
  ],
}

const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.contract.example.com' },
  spec: {
    group: widgets.group,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: { spec, status: { type: 'object', properties: { ready: { type: 'boolean' } } } },
          },
        },
      },
    ],
  },
}

/** Installs the custom kind that the cases use, and waits until it is served. */
export async function installWidgets(world: PortWorld): Promise<void> {
  const code = await codeOf(world.client.create(customResourceDefinitions, widgetDefinition))
  if (code !== 'none' && code !== 'AlreadyExists') throw new Error(`the CRD was refused: ${code}`)
  await eventually(world, 'widgets are served', async () => (await codeOf(world.client.list(widgets))) === 'none')
}

function create({ client, namespace }: PortCase, name: string, fields: Widget['spec']): Promise<Widget> {
  return client.create(widgets, {
    apiVersion: 'contract.example.com/v1',
    kind: 'Widget',
    metadata: { namespace, name },
    spec: fields,
  })
}

/** Custom resources: the schema of the stored CRD decides. */
export const customCases: Readonly<Record<string, (world: PortCase) => Promise<void>>> = {
  'unknown fields are pruned and defaults filled in': async (world) => {
    const created = await create(world, 'w', { color: 'red', extra: true })
    expect(created.spec).toEqual({ color: 'red', size: 1 })
  },

  'what the schema forbids is Invalid': async (world) => {
    expect(await codeOf(create(world, 'w', { color: 'blue' }))).toBe('Invalid')
    expect(await codeOf(create(world, 'w', { size: -1 }))).toBe('Invalid')
    const { client, namespace } = world
    const bare = { apiVersion: 'contract.example.com/v1', kind: 'Widget', metadata: { namespace, name: 'w' } }
    expect(await codeOf(client.patch(widgets, { namespace, name: 'w' }, { kind: 'apply', body: bare }))).toBe('Invalid')
  },

  'CEL rules see the whole object, and transition rules the old one': async (world) => {
    expect(await codeOf(create(world, 'w', { color: 'red', size: 10 }))).toBe('Invalid')
    const { client, namespace } = world
    await create(world, 'w', { color: 'red', fixed: 'a' })
    const patch = (fields: object) =>
      codeOf(client.patch(widgets, { namespace, name: 'w' }, { kind: 'merge', body: { spec: fields } }))
    expect(await patch({ fixed: 'b' })).toBe('Invalid')
    expect(await patch({ size: 9 })).toBe('none')
    expect(await patch({ size: 10 })).toBe('Invalid')
  },

  'status is written through its subresource only, and counts no generation': async (world) => {
    const { client, namespace } = world
    const created = await create(world, 'w', {})
    const key = { namespace, name: 'w' }
    const ignored = await client.patch(widgets, key, { kind: 'merge', body: { status: { ready: true } } })
    expect(ignored.status).toBeUndefined()
    const body = { status: { ready: true }, spec: { size: 5 } }
    const reported = await client.patch(widgets, key, { kind: 'merge', body }, { subresource: 'status' })
    expect(reported).toMatchObject({
      status: { ready: true },
      spec: { size: 1 },
      metadata: { generation: created.metadata.generation },
    })
    const changed = await client.patch(widgets, key, { kind: 'merge', body: { spec: { size: 5 } } })
    expect(changed.metadata.generation).toBe(2)
  },

  'a replace must name the version it replaces': async (world) => {
    const created = await create(world, 'w', {})
    const blind = { ...created, metadata: { ...created.metadata, resourceVersion: '' } }
    expect(await codeOf(world.client.update(widgets, blind))).toBe('Invalid')
  },

  'a strategic patch is no media type for custom kinds': async (world) => {
    const { client, namespace } = world
    await create(world, 'w', {})
    const patch = { kind: 'strategic', body: { spec: { size: 2 } } } as const
    expect(await codeOf(client.patch(widgets, { namespace, name: 'w' }, patch))).toBe('UnsupportedMediaType')
  },

  'apply owns fields of custom kinds too': async (world) => {
    const { client, other, namespace } = world
    const key = { namespace, name: 'w' }
    const body = (size: number) => ({
      apiVersion: 'contract.example.com/v1',
      kind: 'Widget',
      metadata: { namespace, name: 'w' },
      spec: { size },
    })
    await client.patch(widgets, key, { kind: 'apply', body: body(2) })
    expect(await codeOf(other.patch(widgets, key, { kind: 'apply', body: body(3) }))).toBe('Conflict')
  },
}
