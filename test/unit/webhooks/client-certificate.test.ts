import { X509Certificate } from 'node:crypto'
import { request as httpsRequest } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createCertificates } from '../../../src/embedded/apiserver/http/certificates.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import type { KeyPair } from '../../../src/kube/x509.ts'
import { type Issued, issueLeaf } from '../../../webhooks/certificates.ts'
import { createWebhookServer, type WebhookServer } from '../../../webhooks/server.ts'
import { nodePoolReview } from '../../support/admission-review.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'

/* With a client authority the API server shows who it is. The kubelet, which probes the same port, has no certificate to show. */

const day = 86_400_000
let authority: Issued
let leaf: Issued
let clientCA: string
let otherCA: string
const clients = new Map<string, KeyPair>()
const running: WebhookServer[] = []

beforeAll(async () => {
  ;({ authority, leaf } = await servingCertificate())
  const [own, other] = [await createCertificates(Date.now()), await createCertificates(Date.now())]
  clientCA = own.authority
  otherCA = other.authority
  clients.set('of the authority', await own.issueClient('kube-apiserver', []))
  clients.set('of another authority', await other.issueClient('kube-apiserver', []))
  clients.set('for servers', own.server)
})
afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

interface World {
  readonly port: number
  readonly server: WebhookServer
  /** UIDs of the reviews that were judged, and outcomes that were counted. */
  readonly judged: string[]
  readonly outcomes: unknown[]
  readonly logged: object[]
}

async function start(): Promise<World> {
  const [judged, outcomes, logged]: [string[], unknown[], object[]] = [[], [], []]
  const allow = ({ uid }: { readonly uid: string }) => {
    judged.push(uid)
    return { allowed: true }
  }
  const server = createWebhookServer({
    tls: leaf,
    clientCA,
    validate: allow,
    mutate: allow,
    unreadyBecause: () => undefined,
    metricsText: async () => 'joinery_up 1\n',
    log: { ...silentLogger, warn: (fields) => void logged.push(fields) },
    metrics: {
      reviews: { increment: (labels) => outcomes.push(labels?.['outcome']) },
      duration: { observe: () => undefined },
    },
  })
  running.push(server)
  return { server, port: await server.listen({ host: '127.0.0.1', port: 0 }), judged, outcomes, logged }
}

const review = nodePoolReview({ metadata: { name: 'a' } })

interface Question {
  readonly client?: string
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** To be taken up again. */
  readonly session?: Buffer | undefined
}

function ask({ port }: World, { client, path, method = 'POST', headers = {}, session }: Question): Promise<number> {
  const own = client === undefined ? undefined : clients.get(client)
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        ca: authority.certificate,
        servername: 'localhost',
        agent: false,
        ...(session === undefined ? {} : { session }),
        ...(own === undefined ? {} : { cert: own.certificate, key: own.key }),
        headers:
          method === 'GET'
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(review), ...headers },
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(method === 'GET' ? undefined : review)
  })
}

describe('a review', () => {
  // Node's client writes a `Connection` header, which the fast lane does not know: the case below writes as API servers do.
  const ways: Record<string, Pick<Question, 'path' | 'headers'>> = {
    'to validate': { path: '/validate?timeout=3s' },
    'to mutate': { path: '/mutate' },
    'whose path is written in another way': { path: '/valid%61te' },
  }
  const standings: Record<string, { readonly client?: string; readonly status: number }> = {
    'without a certificate is refused': { status: 401 },
    'with one of another authority is refused': { client: 'of another authority', status: 403 },
    'with one for servers is refused': { client: 'for servers', status: 403 },
    'with one of the authority is answered': { client: 'of the authority', status: 200 },
  }
  const cases = Object.entries(ways).flatMap(([way, question]) =>
    Object.entries(standings).map(([name, standing]) => [`${way} ${name}`, question, standing] as const),
  )
  test.each(cases)('%s', async (_name, question, { status, ...who }) => {
    const world = await start()
    expect(await ask(world, { ...question, ...who })).toBe(status)
    expect(world.judged).toHaveLength(status === 200 ? 1 : 0)
    expect(world.outcomes).toEqual([status === 200 ? 'allowed' : 'unauthorized'])
    expect(world.logged).toHaveLength(status === 200 ? 0 : 1)
  })
})

describe('a review that is read from the connection itself', () => {
  const requestTo = (path: string) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(review)}\r\n\r\n${review}`,
    )

  async function answersOn(
    world: World,
    client: string | undefined,
    { session, path = '/validate?timeout=3s' }: { readonly session?: Buffer | undefined; readonly path?: string } = {},
  ) {
    const own = client === undefined ? undefined : clients.get(client)
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port: world.port,
      ca: authority.certificate,
      servername: 'localhost',
      ...(own === undefined ? {} : { cert: own.certificate, key: own.key }),
      ...(session === undefined ? {} : { session }),
    })
    let ticket: Buffer | undefined
    socket.once('session', (given: Buffer) => (ticket = given))
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const ended = new Promise<void>((resolve) => socket.once('end', () => resolve()))
    // The second would be answered on a connection that goes on.
    socket.write(Buffer.concat([requestTo(path), requestTo(path)]))
    if (client === 'of the authority') {
      while ((text.match(/HTTP\/1\.1 /g) ?? []).length < 2) await new Promise((resolve) => setImmediate(resolve))
    } else await ended
    const reused = socket.isSessionReused()
    socket.destroy()
    return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), session: ticket, reused }
  }

  test('is refused likewise, once, and the connection ends', async () => {
    const world = await start()
    expect((await answersOn(world, undefined)).statuses).toEqual(['401'])
    expect((await answersOn(world, 'of another authority')).statuses).toEqual(['403'])
    expect(world.judged).toEqual([])
    expect(world.outcomes).toEqual(['unauthorized', 'unauthorized'])
    expect(world.logged).toMatchObject([
      { path: '/validate', client: 'without certificate', 'remote-address': '127.0.0.1' },
      { path: '/validate', client: 'unknown certificate' },
    ])
    expect((await answersOn(world, 'of the authority')).statuses).toEqual(['200', '200'])
  })

  test('and what is read in another way is refused likewise, once, and the connection ends', async () => {
    const world = await start()
    const path = '/valid%61te'
    expect((await answersOn(world, undefined, { path })).statuses).toEqual(['401'])
    expect((await answersOn(world, 'of the authority', { path })).statuses).toEqual(['200', '200'])
    expect(world.judged).toHaveLength(2)
  })

  test('no session that is taken up again makes a stranger known, nor somebody known a stranger', async () => {
    const world = await start()
    for (const [client, statuses] of [
      ['of another authority', ['403']],
      [undefined, ['401']],
      ['of the authority', ['200', '200']],
    ] as const) {
      const { session } = await answersOn(world, client)
      const again = await answersOn(world, client, { session })
      expect([client, again.reused, again.statuses]).toEqual([client, true, statuses])
    }
  })

  test('the authority stays when the own certificate is replaced', async () => {
    const world = await start()
    world.server.replaceCertificate(await issueLeaf(authority, ['localhost'], Date.now(), day))
    expect((await answersOn(world, undefined)).statuses).toEqual(['401'])
    expect((await answersOn(world, 'of the authority')).statuses).toEqual(['200', '200'])
  })

  test('the own certificate stays when the authorities are replaced', async () => {
    const world = await start()
    const renewed = await issueLeaf(authority, ['localhost'], Date.now(), day)
    world.server.replaceCertificate(renewed)
    world.server.replaceClientCA(otherCA)
    const socket = connect({ host: '127.0.0.1', port: world.port, ca: authority.certificate, servername: 'localhost' })
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    const shown = socket.getPeerX509Certificate()
    socket.destroy()
    expect(shown?.fingerprint256).toBe(new X509Certificate(renewed.certificate).fingerprint256)
  })

  test('authorities that are replaced decide from the next handshake on, and sessions from before are not taken up again', async () => {
    const world = await start()
    const { session } = await answersOn(world, 'of the authority')
    world.server.replaceClientCA(`${clientCA}\n${otherCA}`)
    expect(await ask(world, { client: 'of another authority', path: '/validate' })).toBe(200)
    expect(await ask(world, { client: 'of the authority', path: '/validate' })).toBe(200)
    world.server.replaceClientCA(otherCA)
    expect(await ask(world, { client: 'of the authority', path: '/validate', session })).toBe(403)
    expect(await ask(world, { client: 'of another authority', path: '/validate' })).toBe(200)
    world.server.replaceCertificate(await issueLeaf(authority, ['localhost'], Date.now(), day))
    expect(await ask(world, { client: 'of the authority', path: '/validate' })).toBe(403)
  })
})

test.each(['/healthz', '/readyz', '/metrics'])('whoever asks for %s is answered', async (path) => {
  const world = await start()
  expect(await ask(world, { path, method: 'GET' })).toBe(200)
  expect(await ask(world, { path, method: 'GET', client: 'of another authority' })).toBe(200)
  expect(world.outcomes).toEqual([])
})

test('who comes in by another way than a connection is a stranger', async () => {
  const { server } = await start()
  const headers = { 'content-type': 'application/json' }
  expect((await server.inject({ method: 'POST', url: '/validate', payload: review, headers })).statusCode).toBe(401)
})
