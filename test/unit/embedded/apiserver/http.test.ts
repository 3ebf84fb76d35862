import type { IncomingMessage } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCertificates } from '../../../../src/embedded/apiserver/http/certificates.ts'
import {
  type ApiServer,
  createApiServer,
  type RunningAPIServer,
  serve,
  writeRequest,
} from '../../../../src/embedded/apiserver/index.ts'
import { systemClock } from '../../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../../src/kube/system-random.ts'

interface Answer {
  readonly status: number
  readonly type: string
  readonly warnings: string
  readonly text: string
}

let server: ApiServer
let running: RunningAPIServer

beforeAll(async () => {
  server = createApiServer({ clock: systemClock(), random: systemRandom() })
  running = await serve({ server })
})
afterAll(async () => {
  await running.close()
  server.stop()
})

function send(
  path: string,
  more: { method?: string; headers?: Record<string, string>; body?: string | Buffer; anonymous?: true } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, anonymous } = more
  const authorization = anonymous === true ? {} : { authorization: `Bearer ${running.token}` }
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(path, running.url),
      { method, headers: { ...authorization, ...headers }, ca: running.authority, agent: false },
      (response: IncomingMessage) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8')
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            warnings: String(response.headers['warning'] ?? ''),
            text,
          }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

const json = { 'content-type': 'application/json' }

test('without a certificate or token of ours nothing is answered but health and version', async () => {
  expect(JSON.parse((await send('/api/v1/nodes', { anonymous: true })).text)).toMatchObject({
    code: 401,
    reason: 'Unauthorized',
  })
  const wrong = { anonymous: true, headers: { authorization: 'Bearer wrong' } } as const
  expect((await send('/api/v1/nodes', wrong)).status).toBe(401)
  expect((await send('/readyz', { anonymous: true })).text).toBe('ok')
  expect((await send('/api/v1/nodes')).status).toBe(200)
})

test('roles keep nobody from anything, and reviews say so', async () => {
  const [group, version] = ['authorization.k8s.io', 'v1']
  const spec = { user: 'nobody', resourceAttributes: { verb: 'delete', resource: 'nodes' } }
  const answer = await send(`/apis/${group}/${version}/subjectaccessreviews`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ apiVersion: `${group}/${version}`, kind: 'SubjectAccessReview', spec }),
  })
  expect(JSON.parse(answer.text)).toMatchObject({ status: { allowed: true } })
})

const brokenBodies: Readonly<Record<string, readonly [type: string, body: string | Buffer, status: number]>> = {
  'cut-off JSON': ['application/json', '{"metadata":', 400],
  'JSON that is no object': ['application/json', '[1]', 400],
  'nothing at all': ['application/json', '', 400],
  'protobuf without its header': ['application/vnd.kubernetes.protobuf', Buffer.from([1, 2, 3]), 415],
  'protobuf that is cut off': [
    'application/vnd.kubernetes.protobuf',
    Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 0x7f, 1]),
    400,
  ],
  'protobuf of a kind that is not read': [
    'application/vnd.kubernetes.protobuf',
    // TypeMeta { apiVersion: 'v1', kind: 'Zebra' }
    Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 0x0b, 0x0a, 2, 0x76, 0x31, 0x12, 5, 0x5a, 0x65, 0x62, 0x72, 0x61]),
    415,
  ],
}

test.each(Object.entries(brokenBodies))(
  '%s is refused, and the server goes on',
  async (_name, [type, body, status]) => {
    const answer = await send('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', status: 'Failure', code: status })
    expect((await send('/readyz')).status).toBe(200)
  },
)

test('kubectl debug of a node, which sends a pod in protobuf, is told that no programs run', async () => {
  const answer = await send('/api/v1/namespaces/default/pods', {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    // TypeMeta { apiVersion: 'v1', kind: 'Pod' }
    body: Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 9, 0x0a, 2, 0x76, 0x31, 0x12, 3, 0x50, 0x6f, 0x64]),
  })
  expect(answer.status).toBe(415)
  expect(answer.text).toContain('pods of the embedded cluster run no programs, there is nothing to debug')
})

test('unknown fields are warned about, refused or ignored, as the request asks', async () => {
  const create = (name: string, validation: string) =>
    send(`/api/v1/namespaces/default/configmaps?fieldValidation=${validation}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ metadata: { name }, dta: {} }),
    })
  expect(await create('warned', 'Warn')).toMatchObject({ status: 201, warnings: '299 - "unknown field \\"dta\\""' })
  expect(await create('ignored', 'Ignore')).toMatchObject({ status: 201, warnings: '' })
  // What is refused for something else is warned about all the same.
  expect(await create('Not a name', 'Warn')).toMatchObject({ status: 422, warnings: '299 - "unknown field \\"dta\\""' })
  expect((await create('refused', 'Strict')).status).toBe(400)
})

const discoveries = [
  ['application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json', 'apidiscovery.k8s.io/v2'],
  [
    'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    'apidiscovery.k8s.io/v2beta1',
  ],
  ['application/json', 'v1'],
] as const

const representations: Record<string, { readonly accept: string; readonly want: readonly [number, string] }> = {
  'none that is asked for': { accept: '', want: [200, 'application/json'] },
  'the first that is there': { accept: 'image/png, application/json;q=0.5', want: [200, 'application/json'] },
  'anything at last': { accept: 'application/vnd.kubernetes.protobuf, */*', want: [200, 'application/json'] },
  YAML: { accept: 'application/yaml', want: [200, 'application/yaml'] },
  'a page': { accept: 'text/html', want: [406, 'application/json'] },
  'protobuf alone': { accept: 'application/vnd.kubernetes.protobuf', want: [406, 'application/json'] },
  'a form that is none': { accept: 'application/json;as=Picture;v=v1', want: [406, 'application/json'] },
  'a table of another time': {
    accept: 'application/json;as=Table;v=v1alpha1;g=meta.k8s.io',
    want: [406, 'application/json'],
  },
}

test.each(Object.entries(representations))('an object in %s', async (_name, { accept, want }) => {
  const answer = await send('/api/v1/namespaces/default', { headers: { accept } })
  expect([answer.status, answer.type]).toEqual(want)
  if (answer.type === 'application/yaml') expect(answer.text).toMatch(/^kind: Namespace$/m)
})

test('nothing is written for a client that cannot read the answer', async () => {
  const headers = { accept: 'text/html', 'content-type': 'application/json' }
  const body = JSON.stringify({ metadata: { name: 'unread' } })
  const answer = await send('/api/v1/namespaces', { method: 'POST', headers, body })
  expect(JSON.parse(answer.text)).toMatchObject({
    code: 406,
    reason: 'NotAcceptable',
    message: '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml',
  })
  expect((await send('/api/v1/namespaces/unread')).status).toBe(404)
})

test('a watch is told in JSON only', async () => {
  const answer = await send('/api/v1/namespaces?watch=true&timeoutSeconds=1', {
    headers: { accept: 'application/yaml' },
  })
  expect(answer.status).toBe(406)
})

test('OpenAPI v2 describes every kind by references that lead somewhere', async () => {
  const document = JSON.parse((await send('/openapi/v2')).text) as {
    swagger: string
    definitions: Record<string, { 'x-kubernetes-group-version-kind'?: readonly { kind: string }[] }>
  }
  expect(document.swagger).toBe('2.0')
  const names = new Set(Object.keys(document.definitions))
  const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)
  for (const [, reference = ''] of references) {
    expect(names).toContain(reference.replace(/^#\/definitions\//, ''))
  }
  const kinds = Object.values(document.definitions).flatMap((each) => each['x-kubernetes-group-version-kind'] ?? [])
  expect(kinds).toEqual(
    expect.arrayContaining([
      { group: '', version: 'v1', kind: 'Pod' },
      { group: 'apps', version: 'v1', kind: 'Deployment' },
      { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    ]),
  )
  expect(kinds).toHaveLength(server.context.registry.all().length)
})

test('OpenAPI v2 comes in protobuf for those that ask for it, as kubectl and Argo CD do', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const answer = await send('/openapi/v2', { headers: { accept } })
  expect(answer.type).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
  // Field 1 is the version of the format, field 2 the title.
  expect(answer.text.startsWith('\x0a\x032.0\x12')).toBe(true)
  expect(answer.text).toContain('x-kubernetes-group-version-kind')
})

test.each(discoveries)('discovery asked as %s is answered as %s', async (accept, apiVersion) => {
  const answer = await send('/apis', { headers: { accept } })
  expect(JSON.parse(answer.text)).toMatchObject({ apiVersion })
  if (apiVersion !== 'v1') expect(answer.type).toBe(accept.split(',')[0])
})

test('every resource of discovery is there, and every kind that can be written has a schema with a patch path', async () => {
  const groups = JSON.parse((await send('/apis')).text) as { groups: { versions: { groupVersion: string }[] }[] }
  const paths = [
    '/api/v1',
    ...groups.groups.flatMap((each) => each.versions.map((version) => `/apis/${version.groupVersion}`)),
  ]
  for (const path of paths) {
    const { resources } = JSON.parse((await send(path)).text) as {
      resources: { name: string; kind: string; verbs: string[] }[]
    }
    const document = JSON.parse((await send(`/openapi/v3${path}`)).text) as {
      paths?: Record<string, { patch?: unknown }>
    }
    for (const { name, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list')) continue
      expect((await send(`${path}/${name}?limit=1`)).status, name).toBe(200)
      if (!verbs.includes('patch')) continue
      expect(
        Object.entries(document.paths ?? {}).some(
          ([each, { patch }]) => each.endsWith(`/${name}/{name}`) && patch !== undefined,
        ),
        name,
      ).toBe(true)
    }
  }
})

test('a watch list sends what is there, then the bookmark that says so', async () => {
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1'
  const answer = await send(`/api/v1/namespaces?${query}`)
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: object } })
  expect(lines.map((line) => line.type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'ADDED', 'BOOKMARK'])
  expect(lines.at(-1)?.object.metadata).toMatchObject({ annotations: { 'k8s.io/initial-events-end': 'true' } })
})

test('whoever watches metadata gets nothing else, bookmarks included', async () => {
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1'
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
  const answer = await send(`/api/v1/namespaces?${query}`, { headers: { accept } })
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; object: { kind: string; metadata: object } })
  expect(lines.at(-1)?.type).toBe('BOOKMARK')
  expect(lines.at(-1)?.object.metadata).toMatchObject({ annotations: { 'k8s.io/initial-events-end': 'true' } })
  expect(new Set(lines.map(({ object }) => object.kind))).toEqual(new Set(['PartialObjectMetadata']))
})

test('a watch from a version that is gone gets an ERROR event with status 410', async () => {
  server.context.store.compact()
  const answer = await send('/api/v1/namespaces?watch=true&resourceVersion=2&timeoutSeconds=1')
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
})

test('a webhook is called over HTTPS and trusted by its bundle only', async () => {
  const certificates = await createCertificates(systemClock().now())
  const hook = createServer(
    { key: certificates.server.key, cert: certificates.server.certificate },
    (request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      request.on('end', () => {
        const { uid } = (JSON.parse(text) as { request: { uid: string } }).request
        response.end(JSON.stringify({ response: { uid, allowed: false, status: { message: 'no' } } }))
      })
    },
  )
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const { port } = hook.address() as AddressInfo
  const configure = async (name: string, authority: string) => {
    const definition = server.definition('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations')
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
    const clientConfig = { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(authority).toString('base64') }
    const webhooks = [
      { name: `${name}.example.com`, admissionReviewVersions: ['v1'], sideEffects: 'None', clientConfig, rules },
    ]
    await server.create(definition, undefined, { metadata: { name }, webhooks }, writeRequest())
    const failure = await send('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ metadata: { name: 'hooked' } }),
    })
    await server.delete(definition, { namespace: undefined, name }, {}, writeRequest())
    return JSON.parse(failure.text) as { message: string }
  }
  expect((await configure('trusted', certificates.authority)).message).toBe(
    'admission webhook "trusted.example.com" denied the request: no',
  )
  expect((await configure('strange', running.authority)).message).toMatch(
    /failed calling webhook "strange.example.com"/,
  )
  hook.close()
})

test('where the kubeconfig cannot be written nothing is served', async () => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const serving = serve({ server, port, kubeconfigPath: '/nonexistent/kubeconfig' })
  await expect(serving).rejects.toThrow('cannot write the kubeconfig: ENOENT')
  // Whoever tries again finds the port free.
  const again = await serve({ server, port })
  await again.close()
})

test('a metrics API says that containers use what they request, and nodes what their running pods use', async () => {
  const create = (path: string, object: object) =>
    send(path, { method: 'POST', headers: json, body: JSON.stringify(object) })
  const meta = (name: string, labels = {}) => ({ metadata: { name, labels } })
  const container = (name: string, cpu: string, memory: string) => ({
    name,
    image: 'pause',
    resources: { requests: { cpu, memory } },
  })
  await create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...meta('measured') })
  for (const [name, phase] of [
    ['runs', 'Running'],
    ['waits', 'Pending'],
  ] as const) {
    const spec = { nodeName: 'measured', containers: [container('a', '250m', '64Mi'), container('b', '1', '1Gi')] }
    await create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      ...meta(name, { app: name }),
      spec,
    })
    await send(`/api/v1/namespaces/default/pods/${name}/status`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status: { phase } }),
    })
  }
  const answer = async (path: string, method = 'GET') => {
    const { status, text } = await send(`/apis/metrics.k8s.io/v1beta1/${path}`, { method })
    return { ...JSON.parse(text), status }
  }
  expect(await answer('nodes/measured')).toMatchObject({
    status: 200,
    kind: 'NodeMetrics',
    metadata: { name: 'measured' },
    window: '30s',
    usage: { cpu: '1250m', memory: '1088Mi' },
  })
  const pods = await answer('namespaces/default/pods')
  expect(pods).toMatchObject({
    kind: 'PodMetricsList',
    items: [
      {
        metadata: { name: 'runs', namespace: 'default' },
        containers: [
          { name: 'a', usage: { cpu: '250m', memory: '64Mi' } },
          { name: 'b', usage: { cpu: '1', memory: '1Gi' } },
        ],
      },
    ],
  })
  expect((await answer('pods?labelSelector=app%3Dother')).items).toEqual([])
  expect(await answer('namespaces/default/pods/waits')).toMatchObject({ code: 404, reason: 'NotFound' })
  expect((await answer('nodes', 'POST')).status).toBe(405)
  expect((await answer('gadgets')).status).toBe(404)
  const groups: { groups: { name: string }[] } = JSON.parse((await send('/apis')).text)
  expect(groups.groups.map(({ name }) => name)).toContain('metrics.k8s.io')
})
