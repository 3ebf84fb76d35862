import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig, type User } from '@kubernetes/client-node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KubeError, SilentWatchError } from '../../../src/kube/errors.ts'
import { createHTTPClient, type HTTPClient } from '../../../src/kube/http-client.ts'
import type { Patience } from '../../../src/kube/http-transport.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { fixedRandom } from '../../support/fixed-random.ts'

interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

const open: { server: Server; client: HTTPClient }[] = []

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A client against a server that answers as told; retries wait on a clock whose waits are a thousandth as long. */
async function world(
  answer: (seen: Seen, response: ServerResponse, count: number) => void,
  { user = { name: 'u', token: 'secret' }, ...more }: { watchIdleMs?: number; user?: User; patience?: Patience } = {},
) {
  const seen: Seen[] = []
  const waits: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one: Seen = {
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://x'),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      }
      seen.push(one)
      answer(one, response, seen.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server: `http://127.0.0.1:${port}` }],
    users: [user],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const system = systemClock()
  const clock = {
    ...system,
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      return system.sleep(ms / 1000, signal)
    },
  }
  const client = createHTTPClient({
    config,
    clock,
    random: fixedRandom(),
    qps: 1_000,
    burst: 1_000,
    userAgent: 'test/1',
    fieldManager: 'joinery',
    ...more,
  })
  open.push({ server, client })
  return { seen, waits, client, server }
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

const aNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'u', resourceVersion: '7' }, spec: {} }

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('did not reject')
}

describe('requests', () => {
  const cases = {
    'a cluster-scoped object of a group': {
      call: (client: HTTPClient) => client.get(nodeClaims, { name: 'a' }),
      want: ['GET', '/apis/karpenter.sh/v1/nodeclaims/a', ''],
    },
    'a namespaced object of the core group': {
      call: (client: HTTPClient) => client.get(pods, { namespace: 'ns', name: 'p' }),
      want: ['GET', '/api/v1/namespaces/ns/pods/p', ''],
    },
    'a list with selectors and a page': {
      call: (client: HTTPClient) =>
        client.list(pods, {
          labelSelector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['d', 'e'] }],
          },
          fieldSelector: 'spec.nodeName=n',
          limit: 500,
          continue: 'more',
        }),
      want: [
        'GET',
        '/api/v1/pods',
        'labelSelector=a=b,c notin (d,e)&fieldSelector=spec.nodeName=n&limit=500&continue=more',
      ],
    },
    'a creation': {
      call: (client: HTTPClient) =>
        client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} }),
      want: ['POST', '/api/v1/nodes', 'fieldManager=joinery'],
    },
    'a dry run of a status update': {
      call: (client: HTTPClient) => client.update(nodes, aNode as never, { subresource: 'status', dryRun: true }),
      want: ['PUT', '/api/v1/nodes/n/status', 'fieldManager=joinery&dryRun=All'],
    },
    'a server-side apply': {
      call: (client: HTTPClient) =>
        client.patch(nodes, { name: 'n' }, { kind: 'apply', body: {}, force: true }, { fieldManager: 'me' }),
      want: ['PATCH', '/api/v1/nodes/n', 'fieldManager=me&force=true'],
    },
    'an eviction': {
      call: (client: HTTPClient) => client.evict({ namespace: 'ns', name: 'p' }, { preconditions: { uid: 'u' } }),
      want: ['POST', '/api/v1/namespaces/ns/pods/p/eviction', ''],
    },
    'a binding': {
      call: (client: HTTPClient) => client.bind({ namespace: 'ns', name: 'p' }, 'n1', { uid: 'u' }),
      want: ['POST', '/api/v1/namespaces/ns/pods/p/binding', ''],
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { call, want }) => {
    const { seen, client } = await world((_request, response) => json(response, 200, { items: [] }))
    await call(client)
    const [request] = seen
    expect([
      request?.method,
      request?.url.pathname,
      decodeURIComponent(request?.url.search.slice(1).replaceAll('+', ' ') ?? ''),
    ]).toEqual(want)
    expect(request?.headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'test/1' })
  })

  test('an eviction and a binding name the very pod that was meant, not one that has taken its name since', async () => {
    const { seen, client } = await world((_request, response) => json(response, 201, {}))
    await client.evict({ namespace: 'ns', name: 'p' }, { preconditions: { uid: 'u' } })
    await client.bind({ namespace: 'ns', name: 'p' }, 'n1', { uid: 'u' })
    expect(seen.map(({ body }) => body)).toEqual([
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p', namespace: 'ns' },
        deleteOptions: { preconditions: { uid: 'u' } },
      },
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p', namespace: 'ns', uid: 'u' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      },
    ])
  })

  test('patches say which kind they are', async () => {
    const { seen, client } = await world((_request, response) => json(response, 200, aNode))
    await client.patch(nodes, { name: 'n' }, { kind: 'merge', body: { a: 1 } })
    await client.patch(nodes, { name: 'n' }, { kind: 'json', body: [] })
    await client.patch(nodes, { name: 'n' }, { kind: 'strategic', body: {} })
    expect(seen.map((request) => request.headers['content-type'])).toEqual([
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/strategic-merge-patch+json',
    ])
    expect(seen[0]?.body).toEqual({ a: 1 })
  })

  test('items of a list say what they are', async () => {
    const { client } = await world((_request, response) =>
      json(response, 200, { items: [{ metadata: { name: 'n' } }], metadata: { resourceVersion: '9', continue: '' } }),
    )
    expect(await client.list(nodes)).toEqual({
      items: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }],
      resourceVersion: '9',
      continue: undefined,
    })
  })

  test('what somebody else answers in place of the API server is no empty list', async () => {
    const { client } = await world((_request, response) => json(response, 200, { status: 'ok' }))
    const refused = { code: 'Unknown', message: 'the API server answered with something that is no list' }
    expect(await rejection(client.list(nodes))).toMatchObject(refused)
  })

  test('calls in a row share connections', async () => {
    const sockets = new Set<unknown>()
    const { client } = await world((_request, response) => {
      sockets.add(response.socket)
      json(response, 200, aNode)
    })
    for (let i = 0; i < 20; i++) await client.get(nodes, { name: 'n' })
    expect(sockets.size).toBeLessThanOrEqual(2)
  })
})

test('a thousand calls at once go over few connections, and a watch does not wait behind them', async () => {
  const held: ServerResponse[] = []
  const { client, server, seen } = await world(({ url }, response) => {
    if (url.searchParams.has('watch'))
      return response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    held.push(response)
    if (held.length > 32) for (const waiting of held) if (!waiting.writableEnded) json(waiting, 200, aNode)
  })
  let connections = 0
  server.on('connection', () => (connections += 1))
  const calls = Promise.all(Array.from({ length: 1_000 }, () => client.get(nodes, { name: 'n' })))
  await vi.waitFor(() => expect(held).toHaveLength(32))
  const stop = new AbortController()
  const watch = client.watch(pods, { resourceVersion: '1', signal: stop.signal })[Symbol.asyncIterator]().next()
  await vi.waitFor(() => expect(seen).toHaveLength(33))
  expect(connections).toBe(33)
  for (const waiting of held) json(waiting, 200, aNode)
  await calls
  expect(connections).toBe(33)
  stop.abort(new Error('enough'))
  await expect(watch).rejects.toThrow('enough')
})

describe('errors', () => {
  const status = (code: number, reason: string, more: object = {}) => ({
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message: `it is ${reason}`,
    ...more,
  })
  const cases = {
    'a Status says which error it is': {
      http: 409,
      body: status(409, 'AlreadyExists'),
      want: ['AlreadyExists', 409, 'it is AlreadyExists'],
    },
    'a conflict': { http: 409, body: status(409, 'Conflict'), want: ['Conflict', 409, 'it is Conflict'] },
    'a body that is no Status goes by the HTTP status': {
      http: 404,
      body: 'nothing here',
      want: ['NotFound', 404, '"nothing here"'],
    },
    'an unknown reason goes by the HTTP status': {
      http: 403,
      body: status(403, 'Weird'),
      want: ['Forbidden', 403, 'it is Weird'],
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { http, body, want }) => {
    const { client } = await world((_request, response) => json(response, http, body))
    const error = await rejection(client.get(nodes, { name: 'n' }))
    expect(error).toBeInstanceOf(KubeError)
    expect([(error as KubeError).code, (error as KubeError).status, (error as KubeError).message]).toEqual(want)
  })

  test('details of a Status are kept', async () => {
    const details = { causes: [{ reason: 'FieldValueInvalid', message: 'bad', field: 'spec.x' }] }
    const { client } = await world((_request, response) => json(response, 422, status(422, 'Invalid', { details })))
    expect(((await rejection(client.get(nodes, { name: 'n' }))) as KubeError).details).toEqual(details)
  })

  test('an aborted call rejects with the reason of its signal', async () => {
    const { client } = await world(() => undefined)
    const abort = new AbortController()
    const call = rejection(client.get(nodes, { name: 'n' }, { signal: abort.signal }))
    abort.abort(new Error('enough'))
    expect(await call).toMatchObject({ message: 'enough' })
  })
})

describe('retries', () => {
  test('a read is repeated after a server error', async () => {
    const { client, seen } = await world((_request, response, count) => {
      if (count < 3) json(response, 500, {})
      else json(response, 200, aNode)
    })
    expect((await client.get(nodes, { name: 'n' })).metadata.uid).toBe('u')
    expect(seen).toHaveLength(3)
  })

  test('a read is repeated after the connection broke', async () => {
    const { client, seen } = await world((_request, response, count) => {
      if (count === 1) response.socket?.destroy()
      else json(response, 200, aNode)
    })
    await client.get(nodes, { name: 'n' })
    expect(seen).toHaveLength(2)
  })

  test('a write whose fate is unknown is not repeated', async () => {
    const { client, seen } = await world((_request, response) => response.socket?.destroy())
    expect(await rejection(client.patch(nodes, { name: 'n' }, { kind: 'merge', body: {} }))).toMatchObject({
      code: 'Network',
      status: 0,
    })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['by the header', '3', {}],
    [
      'by the Status, where the header is a date',
      'Fri, 31 Dec 1999 23:59:59 GMT',
      { kind: 'Status', details: { retryAfterSeconds: 3 } },
    ],
  ])('a write that was turned away waits as long as it is told %s', async (_by, header, status) => {
    const { client, seen, waits } = await world((_request, response, count) => {
      if (count === 1) json(response, 429, status, { 'retry-after': header })
      else json(response, 200, aNode)
    })
    await client.patch(nodes, { name: 'n' }, { kind: 'merge', body: {} })
    expect(seen).toHaveLength(2)
    expect(waits).toEqual([3_000])
  })

  test.each([
    ['403 whatever it asks for', 403, {}],
    ['404 whatever it asks for', 404, {}],
    ['429 for longer than it may wait', 429, { 'retry-after': '11' }],
    ['503 for longer than it may wait', 503, { 'retry-after': '11' }],
  ])('a read that is answered with %s is not repeated', async (_what, status, headers) => {
    const { client, seen } = await world((_request, response) => json(response, status, {}, headers))
    await rejection(client.get(nodes, { name: 'n' }))
    expect(seen).toHaveLength(1)
  })

  test('a refused eviction is an answer, not a failure to repeat', async () => {
    const { client, seen } = await world((_request, response) => json(response, 429, {}))
    expect(await rejection(client.evict({ namespace: 'ns', name: 'p' }))).toMatchObject({ code: 'TooManyRequests' })
    expect(seen).toHaveLength(1)
  })

  test('there is an end to it', async () => {
    const { client, seen } = await world((_request, response) => json(response, 503, {}))
    expect(await rejection(client.get(nodes, { name: 'n' }))).toMatchObject({ code: 'ServiceUnavailable' })
    expect(seen).toHaveLength(6)
  })

  test('writes are repeated when nothing listens', async () => {
    const { client, server, waits } = await world(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    expect(
      await rejection(client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: {}, spec: {} })),
    ).toMatchObject({ code: 'Network' })
    expect(waits).toHaveLength(5)
  })
})

describe('credentials', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credentials-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** A plugin whose token stands in a file, and who says that it is good for a day. */
  const plugin = (file: string): User => {
    const program = `
      const token = require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')
      const expirationTimestamp = new Date(Date.now() + 86400000).toISOString()
      console.log(JSON.stringify({ kind: 'ExecCredential', status: { token, expirationTimestamp } }))`
    return { name: 'u', exec: { command: process.execPath, args: ['-e', program] } }
  }
  const tokenFile = (file: string): User => ({
    name: 'u',
    authProvider: { name: 'tokenFile', config: { tokenFile: file } },
  })

  test.each([
    ['a plugin', plugin],
    ['a file', tokenFile],
  ])('a token of %s that was refused is asked for anew, long before it would expire', async (_from, userOf) => {
    const file = join(folder, 'token')
    await writeFile(file, 'old')
    let good = 'Bearer old'
    const { client } = await world(
      ({ headers }, response) => json(response, headers.authorization === good ? 200 : 401, aNode),
      { user: userOf(file) },
    )
    await client.get(nodes, { name: 'n' })
    await writeFile(file, 'new')
    good = 'Bearer new'
    expect((await client.get(nodes, { name: 'n' })).metadata.uid).toBe('u')
  })

  test('a token of a file that ends with a line break is sent without it', async () => {
    const file = join(folder, 'token')
    await writeFile(file, 'secret\n')
    const { client, seen } = await world((_seen, response) => json(response, 200, aNode), { user: tokenFile(file) })
    await client.get(nodes, { name: 'n' })
    expect(seen[0]?.headers.authorization).toBe('Bearer secret')
  })

  test('a plugin is not run over and over for somebody who is not let in', async () => {
    const runs = join(folder, 'runs')
    await writeFile(runs, '')
    const program = `
      require('node:fs').appendFileSync(${JSON.stringify(runs)}, '.')
      console.log(JSON.stringify({ kind: 'ExecCredential', status: { token: 't' } }))`
    const user = { name: 'u', exec: { command: process.execPath, args: ['-e', program] } }
    const { client, seen } = await world((_request, response) => json(response, 401, {}), { user })
    expect(await rejection(client.get(nodes, { name: 'n' }))).toMatchObject({ code: 'Unauthorized' })
    expect(seen).toHaveLength(6)
    expect(await readFile(runs, 'utf8')).toBe('..')
  })

  test.each([
    ['log in first', 'log in first'],
    ['', 'the credential plugin failed and did not say why'],
  ])('a plugin that fails with %j is not run again while a person waits', async (said, told) => {
    const runs = join(folder, 'runs')
    await writeFile(runs, '')
    const program = `
      require('node:fs').appendFileSync(${JSON.stringify(runs)}, '.')
      process.stderr.write(${JSON.stringify(said)})
      process.exit(1)`
    const user = { name: 'u', exec: { command: process.execPath, args: ['-e', program] } }
    const patience = { noticeAfterMs: 60_000, notice: () => undefined, giveUp: undefined }
    const { client } = await world(() => undefined, { user, patience })
    expect(await rejection(client.get(nodes, { name: 'n' }))).toMatchObject({
      code: 'Unauthorized',
      message: `failed to obtain credentials: ${told}`,
    })
    expect(await readFile(runs, 'utf8')).toBe('.')
  })

  test('a plugin that never answers does not hold a call that is given up', async () => {
    const user = { name: 'u', exec: { command: process.execPath, args: ['-e', 'setTimeout(() => 0, 2_000)'] } }
    const { client } = await world(() => undefined, { user })
    const abort = new AbortController()
    const call = rejection(client.get(nodes, { name: 'n' }, { signal: abort.signal }))
    setTimeout(() => abort.abort(new Error('enough')), 20)
    const startedAt = performance.now()
    expect(await call).toMatchObject({ message: 'enough' })
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})

describe('watches', () => {
  const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`

  test('deliver events that come in pieces, bookmarks included, until the server ends', async () => {
    const { client, seen } = await world((_request, response) => {
      response.writeHead(200)
      const text =
        line('ADDED', { ...aNode, metadata: { name: 'ü' } }) + line('BOOKMARK', { metadata: { resourceVersion: '12' } })
      const bytes = Buffer.from(text)
      response.write(bytes.subarray(0, 50))
      setImmediate(() => response.end(bytes.subarray(50)))
    })
    const events = []
    for await (const event of client.watch(nodes, { resourceVersion: '5', timeoutSeconds: 300, allowBookmarks: true }))
      events.push(event)
    expect(events).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 'ü' } } },
      { type: 'BOOKMARK', resourceVersion: '12' },
    ])
    expect(seen[0]?.url.search).toBe('?watch=true&resourceVersion=5&timeoutSeconds=300&allowWatchBookmarks=true')
  })

  test('an ERROR event that says 410 is Expired', async () => {
    const { client } = await world((_request, response) => {
      response.end(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }))
    })
    expect(await rejection(drain(client))).toMatchObject({ code: 'Expired', status: 410 })
  })

  test('an ERROR event may say when to come back', async () => {
    const { client } = await world((_request, response) => {
      const status = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'storage is (re)initializing' }
      response.end(line('ERROR', { ...status, details: { retryAfterSeconds: 7 } }))
    })
    expect(await rejection(drain(client))).toMatchObject({ code: 'TooManyRequests', retryAfterMs: 7_000 })
  })

  test('a silent connection is cut', async () => {
    const { client } = await world((_request, response) => response.writeHead(200).flushHeaders(), { watchIdleMs: 30 })
    expect(await rejection(drain(client))).toBeInstanceOf(SilentWatchError)
  })

  test('end with the reason of the signal', async () => {
    const { client } = await world((_request, response) => response.writeHead(200).flushHeaders())
    const abort = new AbortController()
    const watching = rejection(drain(client, abort.signal))
    setTimeout(() => abort.abort(new Error('enough')), 20)
    expect(await watching).toMatchObject({ message: 'enough' })
  })

  async function drain(client: HTTPClient, signal?: AbortSignal): Promise<void> {
    for await (const _event of client.watch(nodes, { resourceVersion: '1', signal })) continue
  }
})

describe('the patience of whoever asks', () => {
  const late = 'it took too long'

  test('ends a call that gets no answer, which is told once for all calls', async () => {
    let notices = 0
    const { client } = await world(() => undefined, {
      patience: { noticeAfterMs: 20, notice: () => (notices += 1), giveUp: { afterMs: 60, message: late } },
    })
    const calls = [client.list(nodes), client.list(pods)].map(rejection)
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'Network', message: late })
    expect(notices).toBe(1)
  })

  test('ends retries, too, and tells what they were for', async () => {
    const { client, seen } = await world((_seen, response) => setTimeout(() => json(response, 500, {}), 100), {
      patience: { noticeAfterMs: 1_000, notice: () => undefined, giveUp: { afterMs: 400, message: late } },
    })
    expect(await rejection(client.list(nodes))).toMatchObject({ code: 'InternalError', status: 500 })
    expect(seen.length).toBeGreaterThan(1)
  })

  test('does not cut a watch that has begun', async () => {
    const patience = { noticeAfterMs: 100, notice: () => undefined, giveUp: { afterMs: 300, message: late } }
    const { client } = await world(
      (_seen, response) => {
        response.writeHead(200)
        response.flushHeaders()
        setTimeout(() => response.end(`${JSON.stringify({ type: 'ADDED', object: aNode })}\n`), 500)
      },
      { patience },
    )
    const types: string[] = []
    for await (const { type } of client.watch(nodes, { resourceVersion: '1' })) types.push(type)
    expect(types).toEqual(['ADDED'])
  })
})

test('plain HTTP on this machine, as `kubectl proxy` serves it, needs no setting of TLS', async () => {
  const { client, seen } = await world((_seen, response) => json(response, 200, { kind: 'NodeList', items: [aNode] }))
  expect((await client.list(nodes)).items).toHaveLength(1)
  expect(seen).toHaveLength(1)
})

test('plain HTTP to another machine is refused', async () => {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server: 'http://10.0.0.1:8080', skipTLSVerify: true }],
    users: [{ name: 'u' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: fixedRandom(),
    qps: 10,
    burst: 10,
    userAgent: 't',
  })
  expect(await rejection(client.get(nodes, { name: 'n' }))).toMatchObject({ code: 'ServerAddress' })
})
