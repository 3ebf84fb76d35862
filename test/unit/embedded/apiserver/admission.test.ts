import { expect, test } from 'vitest'
import { clientFor, type WebhookTransport } from '../../../../src/embedded/apiserver/index.ts'
import { writeRequest } from '../../../../src/embedded/apiserver/server.ts'
import {
  aWorld,
  configMaps,
  createMap,
  failureOf,
  type Fields,
  resource,
  validatingWebhooks,
  webhookConfiguration,
} from './world.ts'

const group = 'admissionregistration.k8s.io'
const mutating = resource(group, 'v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
const policies = resource(group, 'v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const bindings = resource(group, 'v1', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings')

interface Review {
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly name: string
    readonly dryRun: boolean
    readonly object: { data?: Record<string, string> } | null
  }
}

/** A webhook that answers by this function and remembers what it was asked. */
function answering(answer: (request: Review['request']) => Fields): {
  transport: WebhookTransport
  asked: Review['request'][]
} {
  const asked: Review['request'][] = []
  return {
    asked,
    transport: async ({ body }) => {
      const { request } = JSON.parse(body) as Review
      asked.push(request)
      return JSON.stringify({ response: { uid: request.uid, ...answer(request) } })
    },
  }
}

const allow = () => ({ allowed: true })

test('a validating webhook that refuses stops the write, with its message and code', async () => {
  const { transport } = answering(() => ({ allowed: false, status: { code: 422, message: 'not like this' } }))
  const { client } = aWorld({ webhooks: { transport } })
  await client.create(validatingWebhooks, webhookConfiguration('Validating'))
  const failure = await failureOf(createMap(client, 'a'))
  expect(failure).toBe('Invalid: admission webhook "hook.example.com" denied the request: not like this')
  expect(await failureOf(client.get(configMaps, { namespace: 'default', name: 'a' }))).toContain('NotFound')
})

test('a mutating webhook changes what is stored', async () => {
  const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/data/added', value: 'yes' }])).toString('base64')
  const { transport } = answering(() => ({ allowed: true, patchType: 'JSONPatch', patch }))
  const { client } = aWorld({ webhooks: { transport } })
  await client.create(mutating, webhookConfiguration('Mutating'))
  const created = await createMap(client, 'a', {}, { own: 'yes' })
  expect(created.data).toEqual({ own: 'yes', added: 'yes' })
})

test('a patch that is not JSON fails the write', async () => {
  const { transport } = answering(() => ({ allowed: true, patchType: 'JSONPatch', patch: 'bm90IEpTT04=' }))
  const { client } = aWorld({ webhooks: { transport } })
  await client.create(mutating, webhookConfiguration('Mutating'))
  expect(await failureOf(createMap(client, 'a'))).toMatch(
    /^InternalError: Internal error occurred: the patch of admission webhook "hook.example.com" is no JSON:/,
  )
})

test('a webhook is asked about the operations, kinds and namespaces of its rules only', async () => {
  const { transport, asked } = answering(allow)
  const { client } = aWorld({ webhooks: { transport } })
  const namespaceSelector = {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
  }
  const matchConditions = [{ name: 'not-b', expression: "request.name != 'b'" }]
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { namespaceSelector, matchConditions }))
  await createMap(client, 'a')
  await createMap(client, 'b')
  await createMap(client, 'c', { namespace: 'kube-system' })
  await client.delete(configMaps, { namespace: 'default', name: 'a' })
  expect(asked.map(({ operation, name }) => `${operation} ${name}`)).toEqual(['CREATE a', 'DELETE a'])
})

test('what goes while a webhook is asked of a collection that is deleted keeps none of the others', async () => {
  const names = ['a', 'b', 'c']
  const transport: WebhookTransport = async ({ body }) => {
    const { request } = JSON.parse(body) as Review
    if (request.operation === 'DELETE' && request.name === 'a') {
      for (const name of ['a', 'b']) server.context.store.remove('/configmaps', `default/${name}`)
    }
    return JSON.stringify({ response: { uid: request.uid, allowed: true } })
  }
  const { client, server } = aWorld({ webhooks: { transport } })
  for (const name of names) await createMap(client, name)
  await client.create(validatingWebhooks, webhookConfiguration('Validating'))
  const deleted = await server.deleteCollection(
    server.definition('', 'v1', 'configmaps'),
    { namespace: 'default' },
    {},
    writeRequest(),
  )
  expect(deleted.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names))
  expect((await client.list(configMaps, { namespace: 'default' })).items).toEqual([])
})

test('a webhook that does not answer blocks the write, or is passed over, as its policy says', async () => {
  const transport: WebhookTransport = () => Promise.reject(new Error('connection refused'))
  const { client } = aWorld({ webhooks: { transport } })
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { failurePolicy: 'Fail' }))
  expect(await failureOf(createMap(client, 'a'))).toBe(
    'InternalError: Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: connection refused',
  )
  await client.delete(validatingWebhooks, { name: 'hooks' })
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { failurePolicy: 'Ignore' }))
  expect(await failureOf(createMap(client, 'a'))).toBe('none')
})

test('a dry run asks webhooks without side effects, and refuses where one has them', async () => {
  const { transport, asked } = answering(allow)
  const { client } = aWorld({ webhooks: { transport } })
  await client.create(validatingWebhooks, webhookConfiguration('Validating'))
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } }
  await client.create(configMaps, object, { dryRun: true })
  expect(asked.map((request) => request.dryRun)).toEqual([true])
  const body = [{ op: 'replace', path: '/webhooks/0/sideEffects', value: 'Some' }]
  await client.patch(validatingWebhooks, { name: 'hooks' }, { kind: 'json', body })
  expect(await failureOf(client.create(configMaps, object, { dryRun: true }))).toContain('does not support dry run')
})

test('a write that a webhook kept waiting does not overwrite what came in between', async () => {
  let interfere: () => Promise<unknown> = async () => undefined
  const transport: WebhookTransport = async ({ body }) => {
    const { request } = JSON.parse(body) as Review
    const first = interfere
    interfere = async () => undefined
    await first()
    return JSON.stringify({ response: { uid: request.uid, allowed: true } })
  }
  const { client, server } = aWorld({ webhooks: { transport } })
  await createMap(client, 'a', {}, { n: '1' })
  const stored = await client.get(configMaps, { namespace: 'default', name: 'a' })
  await client.create(validatingWebhooks, webhookConfiguration('Validating'))
  const other = clientFor(server, { fieldManager: 'other' })
  const set = (body: object) => other.patch(configMaps, { namespace: 'default', name: 'a' }, { kind: 'merge', body })
  interfere = () => set({ data: { between: 'yes' } })
  const patched = await set({ data: { late: 'yes' } })
  expect(patched.data).toEqual({ n: '1', between: 'yes', late: 'yes' })
  interfere = () => set({ data: { again: 'yes' } })
  expect(await failureOf(client.update(configMaps, { ...patched, data: {} }))).toContain('Conflict')
  expect(stored.data).toEqual({ n: '1' })
})

const guard = {
  apiVersion: `${group}/v1`,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'guard' },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] },
      ],
    },
    variables: [{ name: 'labels', expression: 'has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}' }],
    matchConditions: [{ name: 'deletes', expression: "request.operation == 'DELETE'" }],
    validations: [
      {
        expression: "!('keep' in variables.labels)",
        messageExpression: "'the object ' + oldObject.metadata.name + ' is to be kept'",
        reason: 'Forbidden',
      },
    ],
  },
}
const binding = {
  apiVersion: `${group}/v1`,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'guard-binding' },
  spec: { policyName: 'guard', validationActions: ['Deny'] },
}

test('a policy denies through its binding, in its own words', async () => {
  const { client } = aWorld()
  await client.create(policies, guard)
  await createMap(client, 'kept', { labels: { keep: 'yes' } })
  await createMap(client, 'free')
  const key = { namespace: 'default', name: 'kept' }
  await client.delete(configMaps, key, { dryRun: true })
  await client.create(bindings, binding)
  expect(await failureOf(client.delete(configMaps, key))).toBe(
    `Forbidden: configmaps "kept" is forbidden: ValidatingAdmissionPolicy 'guard' with binding 'guard-binding' denied request: the object kept is to be kept`,
  )
  expect(await failureOf(client.delete(configMaps, { namespace: 'default', name: 'free' }))).toBe('none')
  // Of an object that is invalid kubectl prints the causes alone.
  await expect(client.delete(configMaps, key)).rejects.toMatchObject({
    details: {
      causes: [
        {
          message:
            "ValidatingAdmissionPolicy 'guard' with binding 'guard-binding' denied request: the object kept is to be kept",
        },
      ],
    },
  })
})

test('a policy that only warns lets the write through with a warning', async () => {
  const { client, server } = aWorld()
  await client.create(policies, guard)
  const warning = { ...binding, spec: { ...binding.spec, validationActions: ['Warn'] } }
  await client.create(bindings, warning)
  await createMap(client, 'kept', { labels: { keep: 'yes' } })
  const warnings: string[] = []
  const definition = server.definition('', 'v1', 'configmaps')
  const request = writeRequest({ warn: (message) => warnings.push(message) })
  await server.delete(definition, { namespace: 'default', name: 'kept' }, {}, request)
  expect(warnings).toEqual([
    "Validation failed for ValidatingAdmissionPolicy 'guard' with binding 'guard-binding': the object kept is to be kept",
  ])
})

test('a webhook behind a service of an add-on, whose pods run nothing here, is passed over with a warning', async () => {
  const { client, server } = aWorld()
  const clientConfig = { service: { namespace: 'default', name: 'add-on', path: '/mutate' } }
  await client.create(validatingWebhooks, webhookConfiguration('Validating', { clientConfig }))
  expect(await failureOf(createMap(client, 'a'))).toBe(
    'InternalError: Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: service "add-on" not found',
  )
  const spec = { ports: [{ port: 443 }] }
  const header = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'add-on', namespace: 'default' } }
  await client.create(resource('', 'v1', 'Service', 'services', true), { ...header, spec } as never)
  const warnings: string[] = []
  const request = writeRequest({ warn: (message) => warnings.push(message) })
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  await server.create(server.definition('', 'v1', 'configmaps'), 'default', map, request)
  expect(warnings).toEqual([
    'webhook "hook.example.com" was not asked: no program runs behind service default/add-on in this cluster',
  ])
})
