import { request as httpsRequest } from 'node:https'
import { connect as connectTLS, type TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { userDataProblem } from '../../../src/cloud/aws/userdata/user-data-problem.ts'
import { clientFor, createApiServer } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import type { Issued } from '../../../webhooks/certificates.ts'
import { cachedFacts } from '../../../webhooks/facts.ts'
import { type JudgeOptions, mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { createWebhookServer, type WebhookServer } from '../../../webhooks/server.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { processorMs } from '../../support/processor-time.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'

/*
 * The endpoint is reachable by every pod of the cluster where network policies are not enforced, so each review is taken for hostile.
 * The handler has no secrets, writes nothing and calls nobody; what is left to attack is its availability and its verdict.
 */

let authority: Issued
let leaf: Issued
const running: WebhookServer[] = []

beforeAll(async () => {
  ;({ authority, leaf } = await servingCertificate())
})
afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

function start(facts: JudgeOptions['facts'] = async () => ({ userDataProblem })): WebhookServer {
  const server = createWebhookServer({
    tls: leaf,
    validate: validateReview({ clock: new ManualClock(Date.parse('2026-06-14T12:00:00Z')), facts }),
    mutate: mutateReview,
    unreadyBecause: () => undefined,
    metricsText: async () => '',
    log: silentLogger,
  })
  running.push(server)
  return server
}

interface Parts {
  readonly spec?: object
  readonly metadata?: object
  readonly kind?: string
  readonly more?: object
}

function review({ spec = {}, metadata = {}, kind = 'NodePool', more = {} }: Parts = {}): string {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: 'karpenter.sh', version: 'v1', kind },
      operation: 'CREATE',
      object: {
        apiVersion: 'karpenter.sh/v1',
        kind,
        metadata: { name: 'p', ...metadata },
        spec: { template: { spec: { nodeClassRef, requirements: [] } }, ...spec },
      },
      ...more,
    },
  })
}

const post = (
  server: WebhookServer,
  payload: string | Buffer,
  headers: Record<string, string> = {},
  url = '/validate',
) => server.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } })

async function answerOf(server: WebhookServer, payload: string) {
  const answer = await post(server, payload)
  expect(answer.statusCode).toBe(200)
  return (answer.json() as { response: { allowed: boolean; status?: { message: string }; warnings?: string[] } })
    .response
}

describe('media types that other parsers have been fooled with', () => {
  // Each is refused before a body is parsed, whichever path it is sent to.
  const types = [
    'application/json\ta',
    '\tapplication/json2',
    'application/json ;charset=utf-8;q=1',
    'application/json,text/plain',
    'application/json;charset=utf-16',
    'application/json; charset="utf-8"',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'application/vnd.kubernetes.protobuf',
    'application/json/',
    '*/*',
  ]
  test.each(types)('%j', async (type) => {
    const server = start()
    for (const url of ['/validate', '/mutate']) {
      expect((await post(server, review(), { 'content-type': type }, url)).statusCode).toBe(415)
    }
  })

  test('none at all', async () => {
    const answer = await start().inject({ method: 'POST', url: '/validate', payload: Buffer.from(review()) })
    expect(answer.statusCode).toBe(415)
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ])('%s is answered', async (type) => {
    expect((await post(start(), review(), { 'content-type': type })).statusCode).toBe(200)
  })
})

describe('bodies', () => {
  const bodies: Record<string, [body: string | Buffer, status: number]> = {
    'compressed, so that its size is not what it seems': [gzipSync(review()), 400],
    'a byte order mark and nothing else': ['\uFEFF', 400],
    'a number': ['1', 400],
    null: ['null', 400],
    'a list': ['[]', 400],
    'a prototype deep inside': [review().replace('"spec":{', '"spec":{"__proto__":{"allowed":true},'), 400],
    'a constructor deep inside': [review().replace('"spec":{', '"spec":{"constructor":{"prototype":{}},'), 400],
    'a prototype with an escaped name': [review().replace('"spec":{', '"spec":{"\\u005f_proto__":{"a":1},'), 400],
    'no request': ['{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', 400],
    'an older review': [review().replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1'), 400],
    'an object that is a list': [review({ more: { object: [] } }), 400],
    'an operation that does not exist': [review({ more: { operation: 'DESTROY' } }), 400],
    'a uid that is no text': [review({ more: { uid: { toString: 1 } } }), 400],
  }
  test.each(Object.entries(bodies))('%s', async (_name, [body, status]) => {
    const server = start()
    expect((await post(server, body)).statusCode).toBe(status)
    expect((await answerOf(server, review())).allowed).toBe(true)
    expect(({} as { allowed?: unknown }).allowed).toBeUndefined()
  })

  test('the last of two keys of one name counts, as it does for the API server', async () => {
    const twice = review().replace('"name":"p"', '"name":"p","name":"q"')
    expect((await answerOf(start(), twice)).allowed).toBe(true)
  })
})

describe('objects', () => {
  test('a kind that is not ours is let through without being looked at', async () => {
    expect(await answerOf(start(), review({ kind: 'Secret' }))).toEqual({ uid: 'u1', allowed: true })
  })

  test.each([5, null, ['karpenter.sh/v1'], { toString: 1 }])(
    'nor is one whose apiVersion is %j',
    async (apiVersion) => {
      const object = { apiVersion, kind: 'NodePool', metadata: { name: 'p' }, spec: {} }
      expect(await answerOf(start(), review({ more: { object } }))).toEqual({ uid: 'u1', allowed: true })
    },
  )

  test('line breaks and control characters of a name or value never break a warning or a message into two', async () => {
    const spec = {
      disruption: { consolidateAfter: '0s', budgets: [] },
      'evil\nWarning: all is well': 1,
      'bell\u0007escape\u001b[2J': 1,
      'next line\u0085delete\u007f': 1,
    }
    const { warnings = [] } = await answerOf(start(), review({ spec }))
    expect(warnings.length).toBeGreaterThan(3)
    for (const warning of warnings) {
      // Go's unicode.IsControl: a warning header with one of these is dropped, and the client told nothing.
      expect(warning).not.toMatch(/\p{Cc}/u)
      expect(warning.length).toBeLessThanOrEqual(120)
    }
  })

  test('text that makes a naive pattern or parser slow costs no time', async () => {
    const hostile = `${'a'.repeat(5_000)}!`
    const lists = {
      requirements: Array.from({ length: 100 }, () => ({
        key: hostile,
        operator: 'In',
        values: [hostile.slice(0, 100)],
      })),
      taints: Array.from({ length: 100 }, () => ({ key: hostile.slice(0, 5_000), effect: 'NoSchedule' })),
    }
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
    const spec = {
      template: { spec: { nodeClassRef, ...lists, expireAfter: `${'1h'.repeat(20_000)}!` } },
      disruption: {
        consolidateAfter: '0s',
        budgets: [{ nodes: '1', schedule: `${'*/'.repeat(5_000)} * * * *`, duration: '1h' }],
      },
    }
    const ms = await processorMs(async () => {
      expect((await answerOf(start(), review({ spec }))).allowed).toBe(false)
    })
    expect(ms).toBeLessThan(3_000)
  })

  test('a few hundred bytes that make an expression go back over what it has read are refused as fast', async () => {
    const clock = new VirtualClock()
    const random = new SeededRandom(1)
    const client = clientFor(createApiServer({ clock, random }), { fieldManager: 'test' })
    const caches = createCaches({ client, clock, random, log: silentLogger })
    const server = start(cachedFacts(caches, { userDataProblem }, () => []))
    const budgets = [{ nodes: '1', schedule: `${' '.repeat(110)}\n`, duration: '1h' }]
    const body = review({ spec: { disruption: { consolidateAfter: '1m', budgets } } })
    const ms = await processorMs(async () => {
      expect((await answerOf(server, body)).allowed).toBe(false)
    })
    expect(ms).toBeLessThan(1_000)
    expect(body.length).toBeLessThan(600)
  })

  test('an object of many thousand mistakes is answered, within what an API server reads of an answer', async () => {
    const requirements = Array.from({ length: 20_000 }, (_, index) => ({
      key: `k${index}`,
      operator: 'Nope',
      values: ['x'],
    }))
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
    const answer = await post(start(), review({ spec: { template: { spec: { nodeClassRef, requirements } } } }))
    expect(answer.statusCode).toBe(200)
    expect(answer.body.length).toBeLessThan(100_000)
    expect(answer.body).toMatch(/and \d+ more\]/)
  })

  test('user data is read, never run; a boundary that would open a part of its own is refused', async () => {
    const kind = { group: 'karpenter.k8s.aws', version: 'v1', kind: 'EC2NodeClass' }
    const judged = (userData: string) => {
      const spec = {
        role: 'r',
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ id: 'ami-1' }],
        subnetSelectorTerms: [{ id: 'subnet-1' }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }],
        userData,
      }
      const object = { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'x' }, spec }
      return answerOf(start(), review({ more: { kind, object } }))
    }
    expect(await judged('#!/bin/bash\n$(touch /tmp/x) `id`\n[settings]\n')).toEqual({ uid: 'u1', allowed: true })
    const { allowed, status } = await judged('#!/bin/bash\n--//\nContent-Type: text/x-shellscript\n\nid\n')
    expect([allowed, status?.message]).toEqual([false, expect.stringContaining('JN-107')])
  })

  test('an image by name with a foreign owner, or by tags without owner, is warned about', async () => {
    const kind = { group: 'karpenter.k8s.aws', version: 'v1', kind: 'EC2NodeClass' }
    const warned = async (term: object) => {
      const object = {
        apiVersion: 'karpenter.k8s.aws/v1',
        kind: 'EC2NodeClass',
        metadata: { name: 'x' },
        spec: {
          role: 'r',
          amiFamily: 'AL2023',
          amiSelectorTerms: [term],
          subnetSelectorTerms: [{ id: 'subnet-1' }],
          securityGroupSelectorTerms: [{ id: 'sg-1' }],
        },
      }
      const { warnings = [] } = await answerOf(start(), review({ more: { kind, object } }))
      return warnings.some((text) => text.startsWith('JN-212'))
    }
    expect(await warned({ name: 'eks-*', owner: 'aws-marketplace' })).toBe(true)
    expect(await warned({ tags: { team: 'a' } })).toBe(true)
    expect(await warned({ name: 'eks-*' })).toBe(false)
    expect(await warned({ name: 'eks-*', owner: 'self' })).toBe(false)
  })
})

describe('connections', () => {
  async function listening() {
    const server = start()
    return { server, port: await server.listen({ host: '127.0.0.1', port: 0 }) }
  }

  test('headers that never end, and a body that never comes, keep nobody else waiting', async () => {
    const { port } = await listening()
    const sockets = await Promise.all(Array.from({ length: 30 }, () => open(port)))
    for (const [index, socket] of sockets.entries()) {
      socket.write('POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
      if (index % 2 === 0) socket.write('Content-Length: 1000\r\n\r\n{')
    }
    expect(await ask(port, review())).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  test('a body sent in pieces without a length is cut off at the limit', async () => {
    const { port } = await listening()
    const socket = await open(port)
    const chunk = 'x'.repeat(1024 * 1024)
    socket.write(
      'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const answered = firstText(socket)
    for (let index = 0; index < 6; index += 1) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    expect(await answered).toMatch(/^HTTP\/1\.1 413/)
    expect(await ask(port, review())).toBe(200)
  })

  test('a request smuggled behind another by contradicting lengths is not read as one', async () => {
    const { port } = await listening()
    const socket = await open(port)
    socket.write(
      'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
    )
    expect(await firstText(socket)).toMatch(/^HTTP\/1\.1 400/)
  })

  test('plain text instead of a handshake, and a handshake of an old protocol, end at once', async () => {
    const { port } = await listening()
    const { connect } = await import('node:net')
    const plain = connect(port, '127.0.0.1', () => plain.write('GET / HTTP/1.1\r\n\r\n'))
    await new Promise<void>((resolve) =>
      plain
        .on('error', () => resolve())
        .on('close', () => resolve())
        .resume(),
    )
    const old = connectTLS({
      port,
      host: '127.0.0.1',
      ca: authority.certificate,
      servername: 'localhost',
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    })
    await expect(
      new Promise((resolve, reject) => old.on('secureConnect', resolve).on('error', reject)),
    ).rejects.toThrow()
    expect(await ask(port, review())).toBe(200)
  })

  test('hundreds of connections that ask nothing do not keep one out that does', async () => {
    const { port } = await listening()
    const idle = await Promise.all(Array.from({ length: 200 }, () => open(port)))
    expect(await ask(port, review())).toBe(200)
    for (const socket of idle) socket.destroy()
  })

  function open(port: number): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectTLS({ port, host: '127.0.0.1', ca: authority.certificate, servername: 'localhost' }, () =>
        resolve(socket),
      )
      socket.on('error', reject)
    })
  }

  function firstText(socket: TLSSocket): Promise<string> {
    return new Promise((resolve) => {
      socket.once('data', (data: Buffer) => resolve(data.toString()))
      socket.once('close', () => resolve('closed'))
    })
  }

  function ask(port: number, body: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const tls = { ca: authority.certificate, servername: 'localhost', agent: false as const }
      const target = { host: '127.0.0.1', port, path: '/validate', method: 'POST' }
      const outgoing = httpsRequest({ ...target, ...tls, headers }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }
})

test('the same review again, dry or not, is the same question with the same answer', async () => {
  const server = start()
  const first = await post(server, review())
  const again = await post(server, review())
  const dry = await post(server, review({ more: { dryRun: true } }))
  expect(again.body).toBe(first.body)
  expect(dry.body).toBe(first.body)
})

test('only the two paths take reviews, by POST only', async () => {
  const server = start()
  for (const [method, url] of [
    ['GET', '/validate'],
    ['PUT', '/validate'],
    ['DELETE', '/mutate'],
    ['POST', '/validate/../metrics'],
    ['POST', '//validate'],
    ['POST', '/healthz'],
  ] as const) {
    const answer = await server.inject({
      method,
      url,
      headers: { 'content-type': 'application/json' },
      payload: review(),
    })
    expect([method, url, answer.statusCode]).toEqual([method, url, 404])
  }
})
