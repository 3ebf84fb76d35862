import { connect as connectTCP, Server as TCPServer } from 'node:net'
import { request as httpsRequest } from 'node:https'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/kube/logger.ts'
import { type Issued, issueLeaf } from '../../../webhooks/certificates.ts'
import { createWebhookServer, type WebhookOptions, type WebhookServer } from '../../../webhooks/server.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'

const day = 86_400_000
const review = (object: object = { metadata: { name: 'a' } }) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u1',
    kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
    operation: 'CREATE',
    object,
  },
})

let authority: Issued
let leaf: Issued
const running: WebhookServer[] = []

beforeAll(async () => {
  ;({ authority, leaf } = await servingCertificate())
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

function start(changes: Partial<WebhookOptions> = {}): WebhookServer {
  const server = createWebhookServer({
    tls: leaf,
    validate: async ({ object }) =>
      object?.metadata.name === 'bad' ? { allowed: false, message: 'spec.x: bad' } : { allowed: true },
    mutate: () => ({ allowed: true, patch: [{ op: 'add', path: '/spec', value: {} }] }),
    unreadyBecause: () => undefined,
    metricsText: async () => 'joinery_up 1\n',
    log: silentLogger,
    ...changes,
  })
  running.push(server)
  return server
}

async function post(
  server: WebhookServer,
  payload: string | object,
  contentType: string | undefined = 'application/json',
) {
  return server.inject({
    method: 'POST',
    url: '/validate',
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
}

test('a review is answered', async () => {
  const server = start()
  expect((await post(server, review())).json()).toMatchObject({ response: { uid: 'u1', allowed: true } })
  expect((await post(server, review({ metadata: { name: 'bad' } }))).json()).toMatchObject({
    response: { allowed: false, status: { message: 'spec.x: bad' } },
  })
})

describe('attacks and accidents get a proper answer and leave the server up', () => {
  const huge = JSON.stringify(review({ metadata: { name: 'x'.repeat(5 * 1024 * 1024) } }))
  const cases: Record<string, [payload: string, contentType: string | undefined, status: number]> = {
    'text as a media type': [JSON.stringify(review()), 'text/plain', 415],
    'a tab behind the media type': [JSON.stringify(review()), 'application/json\t; a', 415],
    'a space before it': [JSON.stringify(review()), ' application/jsonp', 415],
    'a media type that only begins like JSON': [JSON.stringify(review()), 'application/json+x', 415],
    'a second parameter': [JSON.stringify(review()), 'application/json; charset=utf-8; a=b', 415],
    'no JSON': ['{"kind":', 'application/json', 400],
    'an empty body': ['', 'application/json', 400],
    'a prototype key': ['{"kind":"AdmissionReview","__proto__":{"x":1}}', 'application/json', 400],
    'a constructor key': ['{"kind":"AdmissionReview","constructor":{"prototype":{"x":1}}}', 'application/json', 400],
    'too large a body': [huge, 'application/json', 413],
    'JSON of endless depth': ['['.repeat(100_000), 'application/json', 400],
    'valid JSON of great depth': [
      `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","kind":{"group":"","version":"","kind":""},"object":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}`,
      'application/json',
      400,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [payload, contentType, status]) => {
    const server = start()
    expect((await post(server, payload, contentType)).statusCode).toBe(status)
    expect((await post(server, review())).statusCode).toBe(200)
  })

  test('an unknown path', async () => {
    expect((await start().inject({ method: 'POST', url: '/x', payload: {} })).statusCode).toBe(404)
  })

  test('a decision that throws is a 500 without its inner text, which the log has', async () => {
    const logged: object[] = []
    const server = start({
      validate: async () => {
        throw new Error('secret detail')
      },
      log: { ...silentLogger, error: (fields) => void logged.push(fields) },
    })
    const answer = await post(server, review())
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toContain('secret detail')
    expect(logged).toEqual([{ err: new Error('secret detail'), path: '/validate' }])
  })

  test('connections that never finish their handshake do not keep others out', async () => {
    const server = start()
    const port = await server.listen({ host: '127.0.0.1', port: 0 })
    const halfOpen = Array.from({ length: 50 }, () => connectTCP(port, '127.0.0.1'))
    for (const socket of halfOpen) socket.on('error', () => undefined)
    expect(await postTLS(port, authority.certificate)).toBe(200)
    for (const socket of halfOpen) socket.destroy()
  })
})

test('the same question gets the same answer (replay)', async () => {
  const server = start()
  expect((await post(server, review())).body).toBe((await post(server, review())).body)
})

test('beyond what it can hold, reviews are refused at once and retryably while probes are answered', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = start({
    limits: { inFlightMax: 2, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 },
    validate: async () => {
      await held
      return { allowed: true }
    },
  })
  const first = [post(server, review()), post(server, review())]
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  const refused = await post(server, review())
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('1')
  expect((await server.inject('/healthz')).statusCode).toBe(200)
  release()
  expect((await Promise.all(first)).map((answer) => answer.statusCode)).toEqual([200, 200])
})

test('refusals are counted by the path of the review alone, whatever is asked for', async () => {
  const paths: unknown[] = []
  const server = start({
    limits: { inFlightMax: 0, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 },
    metrics: {
      reviews: { increment: (labels) => paths.push(labels?.['path']) },
      duration: { observe: () => undefined },
    },
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  expect(await postTLS(port, authority.certificate, { path: '/validate?timeout=10s' })).toBe(429)
  expect(await postTLS(port, authority.certificate, { path: '/anything' })).toBe(404)
  expect(paths).toEqual(['/validate'])
})

test('each review is counted once by its outcome, with the seconds it took, and frees its place', async () => {
  const counted: unknown[] = []
  const seconds: number[] = []
  const server = start({
    limits: { inFlightMax: 1, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 },
    validate: async ({ object }) => {
      await sleep(20)
      if (object?.metadata.name === 'broken') throw new Error('not to be judged')
      return { allowed: object?.metadata.name !== 'bad', message: 'spec.x: bad' }
    },
    metrics: {
      reviews: { increment: (labels) => counted.push(labels) },
      duration: { observe: (labels, took) => (counted.push(labels), seconds.push(took)) },
    },
  })
  const began = performance.now()
  for (const name of ['good', 'bad', 'broken']) await post(server, review({ metadata: { name } }))
  await post(server, { kind: 'Other' })
  const path = '/validate'
  expect(counted).toEqual(
    ['allowed', 'denied', 'failed', 'malformed'].flatMap((outcome) => [{ path, outcome }, { path }]),
  )
  for (const took of seconds.slice(0, 3)) expect(took).toBeGreaterThan(0.018)
  const together = seconds.reduce((sum, took) => sum + took, 0)
  expect(together).toBeLessThanOrEqual((performance.now() - began) / 1000)
})

test('readiness names what is missing', async () => {
  const server = start({ unreadyBecause: () => 'the first certificate' })
  const answer = await server.inject('/readyz')
  expect([answer.statusCode, answer.body]).toEqual([503, 'the first certificate'])
})

describe('without a host it is reached at every address', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
  const addresses = ['127.0.0.1', ...(hasIPv6 ? ['::1'] : [])]

  test.each(addresses)('%s, as pods of a cluster of that family are', async (host) => {
    const port = await start().listen({ port: 0 })
    expect(await postTLS(port, authority.certificate, { host })).toBe(200)
  })

  test('of IPv4 alone, where the kernel has no IPv6', async () => {
    const listen = TCPServer.prototype.listen
    const withoutIPv6 = vi.spyOn(TCPServer.prototype, 'listen').mockImplementation(function (
      this: TCPServer,
      ...args: unknown[]
    ) {
      const [options] = args as [{ readonly host?: string }]
      if (options.host !== '::') return Reflect.apply(listen, this, args) as TCPServer
      const error = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' })
      queueMicrotask(() => this.emit('error', error))
      return this
    })
    try {
      const port = await start().listen({ port: 0 })
      expect(await postTLS(port, authority.certificate)).toBe(200)
    } finally {
      withoutIPv6.mockRestore()
    }
  })

  test('but a port that is taken is said', async () => {
    const port = await start().listen({ port: 0 })
    await expect(start().listen({ port })).rejects.toThrow('EADDRINUSE')
  })
})

test('a certificate is replaced without a failed request, keep-alive connections included', async () => {
  const server = start()
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const statuses: number[] = []
  let stop = false
  const load = (async () => {
    while (!stop) statuses.push(await postTLS(port, `${authority.certificate}`))
  })()
  for (let rotation = 0; rotation < 20; rotation += 1) {
    server.replaceCertificate(await issueLeaf(authority, ['localhost'], Date.now(), day))
    await new Promise((resolve) => setImmediate(resolve))
  }
  stop = true
  await load
  expect(statuses.length).toBeGreaterThan(0)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})

function postTLS(port: number, ca: string, { path = '/validate', host = '127.0.0.1' } = {}): Promise<number> {
  const body = JSON.stringify(review())
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host,
        port,
        path,
        method: 'POST',
        ca,
        servername: 'localhost',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
