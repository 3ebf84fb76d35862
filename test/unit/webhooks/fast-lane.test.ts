import { once } from 'node:events'
import { type AddressInfo, connect as connectTCP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/kube/logger.ts'
import { createBodyBudget } from '../../../webhooks/body-budget.ts'
import type { Issued } from '../../../webhooks/certificates.ts'
import { createFastLane } from '../../../webhooks/fast-lane.ts'
import { createReviewDesk } from '../../../webhooks/review-desk.ts'
import type { ReviewAnswer } from '../../../webhooks/review.ts'
import {
  createWebhookServer,
  defaultReadingLimits,
  type WebhookOptions,
  type WebhookServer,
} from '../../../webhooks/server.ts'
import { type SecureClient, secureClient, type SecureClientOptions } from '../../support/secure-client.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'

/*
 * Reviews as API servers send them are answered on the connection itself, everything else by Fastify. Nobody may be able to tell which:
 * a request with a header that the fast lane does not know takes the other way, and both ways must answer alike.
 */

let authority: Issued
let leaf: Issued
const running: Pick<WebhookServer, 'close'>[] = []
const open: SecureClient[] = []

beforeAll(async () => {
  ;({ authority, leaf } = await servingCertificate())
})

afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy()
  for (const server of running.splice(0)) await server.close()
})

async function start(changes: Partial<WebhookOptions> = {}): Promise<{ server: WebhookServer; port: number }> {
  const server = createWebhookServer({
    tls: leaf,
    validate: ({ object }) =>
      object?.metadata.name === 'bad'
        ? { allowed: false, message: 'spec.x: “bad”', warnings: ['JN-201: ä'] }
        : { allowed: true },
    mutate: () => ({ allowed: true, patch: [{ op: 'add', path: '/spec', value: {} }] }),
    unreadyBecause: () => undefined,
    metricsText: async () => '',
    log: silentLogger,
    ...changes,
  })
  running.push(server)
  return { server, port: await server.listen({ host: '127.0.0.1', port: 0 }) }
}

async function connected(port: number, more: SecureClientOptions = {}): Promise<SecureClient> {
  const client = await secureClient(port, authority.certificate, more)
  open.push(client)
  return client
}

function review(name = 'good', more: object = {}): string {
  const kind = { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' }
  const request = { uid: `u-${name}`, kind, operation: 'CREATE', object: { metadata: { name } }, ...more }
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })
}

interface RequestParts {
  readonly line?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** As Go's client writes it. */
function requestOf({
  line = 'POST /validate?timeout=3s HTTP/1.1',
  headers = {},
  body = review(),
}: RequestParts): Buffer {
  const all = {
    Host: 'joinery.kube-system.svc:443',
    'User-Agent': 'kube-apiserver-admission',
    'Content-Length': String(Buffer.byteLength(body)),
    Accept: 'application/json, */*',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line}\r\n${lines.join('')}\r\n`), Buffer.from(body)])
}

const patience = { timeout: 5_000, interval: 2 }
const aroundTheLane = { 'X-Other-Way': 'yes' }

/** Answers as far as they have come, without what differs by the moment. */
async function answersOf(client: SecureClient, count: number): Promise<string[]> {
  return vi.waitFor(() => {
    const found = answersIn(client.text())
    if (found.length >= count) return found
    throw new Error(`${count} answers were awaited, there is ${JSON.stringify(client.text())}`)
  }, patience)
}

function answersIn(text: string): string[] {
  const answers: string[] = []
  let rest = Buffer.from(text)
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const length = Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, end))?.[1] ?? 0)
    if (rest.length < end + 4 + length) return answers
    answers.push(
      rest
        .subarray(0, end + 4 + length)
        .toString()
        .replace(/Date: [^\r]+/, 'Date: …'),
    )
    rest = rest.subarray(end + 4 + length)
  }
}

describe('both ways answer alike', () => {
  const cases: Record<string, RequestParts> = {
    'a review that is allowed': {},
    'one that is denied, with text that is not ASCII': { body: review('bad') },
    'a mutation': { line: 'POST /mutate?timeout=3s HTTP/1.1' },
    'no query': { line: 'POST /validate HTTP/1.1' },
    'something else than a review': { body: '{"kind":"Other"}' },
    'a body that is no JSON': { body: '{"kind":' },
    'a body that is no UTF-8': { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) },
    'a prototype key': { body: '{"__proto__":{"x":1}}' },
    'another media type': { headers: { 'Content-Type': 'text/plain' } },
    'another path': { line: 'POST /validate/x HTTP/1.1' },
    'another method': { line: 'GET /healthz HTTP/1.1', body: '' },
    'headers that are too long': { headers: { 'User-Agent': 'x'.repeat(20_000) } },
    'a body that comes in hundreds of pieces': { body: review('x'.repeat(400_000)) },
  }
  test.each(Object.entries(cases))('%s', async (_name, parts) => {
    const { port } = await start()
    const [direct, around] = [await connected(port), await connected(port)]
    direct.socket.write(requestOf(parts))
    around.socket.write(requestOf({ ...parts, headers: { ...parts.headers, ...aroundTheLane } }))
    const [[first], [second]] = [await answersOf(direct, 1), await answersOf(around, 1)]
    expect(first).toBe(second)
  })

  test('a decision that throws, without its inner text', async () => {
    const { port } = await start({
      validate: () => {
        throw new Error('secret detail')
      },
    })
    const [direct, around] = [await connected(port), await connected(port)]
    direct.socket.write(requestOf({}))
    around.socket.write(requestOf({ headers: aroundTheLane }))
    const [[first], [second]] = [await answersOf(direct, 1), await answersOf(around, 1)]
    expect(first).toMatch(/^HTTP\/1\.1 500 /)
    expect(first).not.toContain('secret')
    expect(second).toBe(first)
  })
})

test('however requests of both kinds are cut into pieces, each gets its answer, in order', async () => {
  const { port } = await start({
    // Some have to be waited for.
    validate: ({ uid }) => {
      const answer = { allowed: !uid.includes('bad') }
      return uid.length % 2 === 0 ? answer : sleep(1).then(() => answer)
    },
  })
  const kinds = fc.constantFrom('direct', 'around', 'mutate', 'malformed')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(kinds, fc.constantFrom('good', 'bad', 'longer')), { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 8 }),
      async (asked, cuts) => {
        const bytes = Buffer.concat(asked.map(([kind, name]) => requestOf(partsOf(kind, name))))
        const client = await connected(port)
        let from = 0
        for (const cut of cuts) {
          client.socket.write(bytes.subarray(from, from + cut))
          from += cut
          await sleep(1)
        }
        client.socket.write(bytes.subarray(from))
        const answers = await answersOf(client, asked.length)
        client.socket.destroy()
        expect(answers.map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])).toEqual(
          asked.map(([kind]) => (kind === 'malformed' ? '400' : '200')),
        )
        expect(answers.map((answer) => /"uid":"u-(\w+)"/.exec(answer)?.[1])).toEqual(
          asked.map(([kind, name]) => (kind === 'malformed' ? undefined : name)),
        )
      },
    ),
    { numRuns: 40, seed: 7 },
  )
})

function partsOf(kind: string, name: string): RequestParts {
  if (kind === 'around') return { body: review(name), headers: aroundTheLane }
  if (kind === 'mutate') return { body: review(name), line: 'POST /mutate HTTP/1.1' }
  return kind === 'malformed' ? { body: '{"kind":"Other"}' } : { body: review(name) }
}

describe('what could be read in two ways is never read by the lane', () => {
  interface OddHead {
    /** `{n}`: the bytes of the body, which is a review, so that it would be judged if it were taken for one. */
    readonly bytes: string
    readonly status: RegExp
    /** Where the body ends is plain, so that what is behind it is the next request. */
    readonly isFramed?: boolean
  }
  const heads: Record<string, OddHead> = {
    'two lengths': { bytes: 'Content-Length: 999\r\nContent-Length: {n}\r\n', status: /^HTTP\/1\.1 400/ },
    'two lengths, the wrong one last': {
      bytes: 'Content-Length: {n}\r\nContent-Length: 5\r\n',
      status: /^HTTP\/1\.1 400/,
    },
    'the same length twice': { bytes: 'Content-Length: {n}\r\nContent-Length: {n}\r\n', status: /^HTTP\/1\.1 400/ },
    'a length and chunks': {
      bytes: 'Content-Length: {n}\r\nTransfer-Encoding: chunked\r\n',
      status: /^HTTP\/1\.1 400/,
    },
    'a length with a sign': { bytes: 'Content-Length: +{n}\r\n', status: /^HTTP\/1\.1 400/ },
    'a length in hexadecimal': { bytes: 'Content-Length: 0x{hex}\r\n', status: /^HTTP\/1\.1 400/ },
    'a folded line': { bytes: 'Accept: a\r\n b\r\nContent-Length: {n}\r\n', status: /^HTTP\/1\.1 4/ },
    'a space before the colon': { bytes: 'Content-Length : {n}\r\n', status: /^HTTP\/1\.1 400/ },
    'a bare line feed': { bytes: 'Accept: a\nContent-Length: {n}\r\n', status: /^HTTP\/1\.1 4/ },
    'a control character': { bytes: 'Accept: a\u0001\r\nContent-Length: {n}\r\n', status: /^HTTP\/1\.1 4/ },
    'two hosts': { bytes: 'Host: b\r\nContent-Length: 5\r\n', status: /^HTTP\/1\.1 4/, isFramed: true },
    'a client that waits to be asked for the body': {
      bytes: 'Expect: 100-continue\r\nContent-Length: 5\r\n',
      status: /^HTTP\/1\.1 100/,
      isFramed: true,
    },
  }
  test.each(Object.entries(heads))('%s', async (_name, { bytes, status, isFramed = false }) => {
    const decided: string[] = []
    const { port } = await start({
      validate: ({ uid }) => {
        decided.push(uid)
        return { allowed: true }
      },
    })
    const client = await connected(port)
    const body = isFramed ? '{"a":' : review('first')
    const { length } = body
    const lines = bytes.replaceAll('{n}', String(length)).replace('{hex}', length.toString(16))
    const smuggled = requestOf({ body: review('smuggled') }).toString('latin1')
    client.socket.write(
      `POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${lines}\r\n${body}${smuggled}`,
    )
    await vi.waitFor(() => expect(client.text()).toMatch(status), patience)
    if (isFramed) return
    await client.closed
    expect(decided).toEqual([])
  })
})

describe('the lane alone', () => {
  const day = { keepAliveTimeoutMs: 86_400_000, requestTimeoutMs: 86_400_000 }

  async function lane(
    timeouts: { keepAliveTimeoutMs: number; requestTimeoutMs: number },
    more: SecureClientOptions = {},
  ) {
    const handedOver: Buffer[] = []
    const { fastLane, server, taken } = laneServer(timeouts, (socket) =>
      socket.on('data', (bytes: Buffer) => handedOver.push(bytes)),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    running.push({ close: () => new Promise((resolve) => void server.close(() => resolve())) })
    const client = await connected((server.address() as AddressInfo).port, more)
    // Its handshake may end a little later on the other side.
    const socket = await vi.waitUntil(() => taken[0], patience)
    return { fastLane, handedOver, client, socket }
  }

  function laneServer(
    timeouts: { keepAliveTimeoutMs: number; requestTimeoutMs: number },
    handOver: (socket: TLSSocket) => void,
  ): { readonly fastLane: ReturnType<typeof createFastLane>; readonly server: Server; readonly taken: TLSSocket[] } {
    const decide = () => ({ allowed: true })
    const desk = createReviewDesk({ validate: decide, mutate: decide, log: silentLogger })
    const bodies = createBodyBudget(Number.POSITIVE_INFINITY)
    const fastLane = createFastLane({ desk, bodies, handOver, ...timeouts })
    const taken: TLSSocket[] = []
    const server = createServer({ cert: leaf.certificate, key: leaf.key }, (socket) => {
      fastLane.take(socket)
      taken.push(socket)
    })
    return { fastLane, server, taken }
  }

  test('what an API server sends is answered, request after request', async () => {
    const { client, handedOver } = await lane(day)
    for (const count of [1, 2, 3]) {
      client.socket.write(requestOf({}))
      expect((await answersOf(client, count))[count - 1]).toMatch(/^HTTP\/1\.1 200/)
    }
    expect(handedOver).toEqual([])
  })

  test('what looks otherwise is handed over whole, with all that is behind it', async () => {
    const { client, handedOver } = await lane(day)
    const [odd, next] = [requestOf({ headers: aroundTheLane }), requestOf({})]
    client.socket.write(Buffer.concat([requestOf({}), odd, next]))
    await answersOf(client, 1)
    const behind = Buffer.concat([odd, next])
    await vi.waitFor(() => expect(Buffer.concat(handedOver).equals(behind)).toBe(true), patience)
  })

  test('a body that cannot be read is handed over with its head, however it came', async () => {
    const { client, handedOver, socket } = await lane(day)
    const odd = requestOf({ body: `{"padding":"${'x'.repeat(40_000)}"` })
    client.socket.write(odd.subarray(0, 20_000))
    await vi.waitUntil(() => socket.bytesRead >= 20_000, patience)
    client.socket.write(odd.subarray(20_000))
    await vi.waitFor(() => expect(Buffer.concat(handedOver).equals(odd)).toBe(true), patience)
  })

  test.each(['close', 'makeRoom'] as const)(
    'an answer that waits for others is still sent before %s()',
    async (call) => {
      const { fastLane, client, socket } = await lane(day)
      // In the same turn, right after the question.
      socket.on('data', () => fastLane[call]())
      client.socket.write(requestOf({}))
      await client.closed
      expect(client.text()).toMatch(/^HTTP\/1\.1 200 /)
    },
  )

  test('a connection that asks nothing for too long ends, before its first request and after', async () => {
    const { client: silent } = await lane({ ...day, requestTimeoutMs: 50 })
    await silent.closed
    expect(silent.text()).toBe('')
    const { client: quiet, socket } = await lane({ ...day, keepAliveTimeoutMs: 50 })
    expect(socket.timeout).toBe(day.requestTimeoutMs)
    quiet.socket.write(requestOf({}))
    await quiet.closed
    expect(await answersOf(quiet, 1)).toHaveLength(1)
  })

  test('a body that does not come, or trickles, costs its sender the connection', async () => {
    // Nor does it hang up when the other side does.
    const begin = () => lane({ ...day, requestTimeoutMs: 60 }, { allowHalfOpen: true })
    const [silent, trickling] = await Promise.all([begin(), begin()])
    const request = requestOf({})
    silent.client.socket.write(request.subarray(0, -100))
    trickling.client.socket.write(request.subarray(0, -100))
    const drops = setInterval(() => trickling.client.socket.write('x'), 15)
    await vi.waitUntil(() => silent.socket.destroyed && trickling.socket.destroyed, patience)
    clearInterval(drops)
    for (const { client } of [silent, trickling]) expect(client.text()).toMatch(/^HTTP\/1\.1 408 /)
  })
})

describe('connections', () => {
  test('too much is refused unread, and the next request of the connection is found', async () => {
    const { port } = await start({ limits: { inFlightMax: 0, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 } })
    const client = await connected(port)
    const request = requestOf({})
    client.socket.write(request.subarray(0, -1))
    await answersOf(client, 1)
    client.socket.write(request.subarray(-1))
    await sleep(1)
    client.socket.write(requestOf({ body: review('x'.repeat(30_000)) }))
    const answers = await answersOf(client, 2)
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 429 /)
      expect(answer).toContain('retry-after: 1\r\n')
    }
  })

  const ways: Record<string, RequestParts> = {
    'on the connection itself': {},
    'through Fastify': { headers: aroundTheLane },
  }

  test.each(Object.entries(ways))('are kept for longer than API servers keep them: %s', async (_way, parts) => {
    const { port } = await start()
    const client = await connected(port)
    client.socket.write(requestOf(parts))
    const [answer = ''] = await answersOf(client, 1)
    // `IdleConnTimeout` of Go's `http.DefaultTransport`, which client-go takes over.
    expect(Number(/Keep-Alive: timeout=(\d+)\r\n/.exec(answer)?.[1])).toBeGreaterThan(90)
  })

  test('who was refused may ask again as late as who was answered', async () => {
    const { port } = await start({
      limits: { inFlightMax: 0, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 },
      reading: { ...defaultReadingLimits, requestTimeoutMs: 300 },
    })
    const client = await connected(port)
    for (const count of [1, 2]) {
      client.socket.write(requestOf({}))
      expect(await answersOf(client, count)).toHaveLength(count)
      await sleep(700)
    }
    expect(client.socket.closed).toBe(false)
  })

  test('who was refused and does not send the rest has the time of a request for it, also behind other requests', async () => {
    const asked = Promise.withResolvers<void>()
    const decision = Promise.withResolvers<ReviewAnswer>()
    const { port } = await start({
      validate: ({ uid }) => {
        if (uid !== 'u-slow') return { allowed: true }
        asked.resolve()
        return decision.promise
      },
      limits: { inFlightMax: 1, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 },
      reading: { ...defaultReadingLimits, requestTimeoutMs: 300 },
    })
    const [client, other] = [await connected(port), await connected(port)]
    client.socket.write(requestOf({}))
    await answersOf(client, 1)
    other.socket.write(requestOf({ body: review('slow') }))
    await asked.promise
    client.socket.write(requestOf({}).subarray(0, -10))
    await client.closed
    expect((await answersOf(client, 2)).at(-1)).toMatch(/^HTTP\/1\.1 429 /)
    decision.resolve({ allowed: true })
  })

  test.each(Object.entries(ways))(
    'that were taken just before the server closes have their review judged, and end: %s',
    async (_way, parts) => {
      const { server, port } = await start()
      const raw = connectTCP(port, '127.0.0.1')
      await once(raw, 'connect')
      // Another that came later has been served.
      const other = await connected(port)
      other.socket.write(requestOf({}))
      await answersOf(other, 1)
      const closed = server.close()
      running.splice(0)
      await other.closed
      const client = await connected(port, { socket: raw })
      client.socket.write(requestOf(parts))
      await Promise.all([client.closed, closed])
      expect(client.text()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close\r\n/i)
    },
  )

  test('what is asked after the server has ended a connection is not judged, since no answer could be given', async () => {
    let decided = 0
    const { server, port } = await start({
      validate: () => {
        decided += 1
        return { allowed: true }
      },
    })
    const client = await connected(port, { allowHalfOpen: true })
    client.socket.write(requestOf({}))
    await answersOf(client, 1)
    const ended = once(client.socket, 'end')
    const closed = server.close()
    running.splice(0)
    await ended
    client.socket.end(requestOf({}))
    await Promise.all([client.closed, closed])
    expect(decided).toBe(1)
  })

  test.each(Object.entries(ways))(
    'when the server closes, idle connections end, and what is being decided is answered first: %s',
    async (_way, parts) => {
      const asked = Promise.withResolvers<void>()
      const decision = Promise.withResolvers<void>()
      const { server, port } = await start({
        validate: async () => {
          asked.resolve()
          await decision.promise
          return { allowed: true }
        },
      })
      const [idle, busy] = [await connected(port), await connected(port)]
      busy.socket.write(requestOf(parts))
      await asked.promise
      const closed = server.close()
      running.splice(0)
      await idle.closed
      expect(busy.text()).toBe('')
      decision.resolve()
      expect((await answersOf(busy, 1))[0]).toMatch(/^HTTP\/1\.1 200 [^]*connection: close\r\n/i)
      await Promise.all([busy.closed, closed])
    },
  )

  test.each([
    ['at once', (answer: ReviewAnswer) => answer],
    ['later', async (answer: ReviewAnswer) => answer],
  ])('who ends its side behind the question gets the answer, and then the end: decided %s', async (_when, give) => {
    const { port } = await start({ validate: () => give({ allowed: true }) })
    const client = await connected(port)
    client.socket.end(requestOf({}))
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('who reads the last answer while the next is being decided gets that before those to later questions', async () => {
    const decision = Promise.withResolvers<ReviewAnswer>()
    const large = { allowed: false, message: 'x'.repeat(16_000_000) }
    const { port } = await start({
      validate: ({ uid }) => (uid === 'u-large' ? large : uid === 'u-slow' ? decision.promise : { allowed: true }),
    })
    const client = await connected(port)
    client.socket.pause()
    client.socket.write(Buffer.concat(['large', 'slow'].map((name) => requestOf({ body: review(name) }))))
    await sleep(50)
    client.socket.write(requestOf({}))
    client.socket.resume()
    await vi.waitUntil(() => client.text().length > large.message.length, patience)
    await sleep(50)
    decision.resolve({ allowed: true })
    await vi.waitUntil(() => ['u-slow', 'u-good'].every((uid) => client.text().includes(uid)), patience)
    expect(client.text().match(/u-\w+/g)).toEqual(['u-large', 'u-slow', 'u-good'])
  })

  test('who leaves while the decision is made, or asks on without reading, harms nobody', async () => {
    const asked = Promise.withResolvers<void>()
    const decision = Promise.withResolvers<void>()
    const { port } = await start({
      validate: async () => {
        asked.resolve()
        await decision.promise
        return { allowed: true }
      },
    })
    const [gone, deaf, other] = [await connected(port), await connected(port), await connected(port)]
    gone.socket.write(requestOf({}))
    await asked.promise
    gone.socket.destroy()
    await gone.closed
    deaf.socket.pause()
    for (let sent = 0; sent < 200; sent += 1) deaf.socket.write(requestOf({ line: 'POST /mutate HTTP/1.1' }))
    other.socket.write(requestOf({}))
    decision.resolve()
    expect((await answersOf(other, 1))[0]).toMatch(/^HTTP\/1\.1 200/)
    deaf.socket.resume()
    expect(await answersOf(deaf, 200)).toHaveLength(200)
  })

  test.each([
    ['at once', (answer: ReviewAnswer) => answer],
    ['later', async (answer: ReviewAnswer) => answer],
  ])(
    'who does not read the answers is asked no more of, and goes on once they are read: decided %s',
    async (_when, give) => {
      const sent = 150
      let decided = 0
      const validate = () => {
        decided += 1
        return give({ allowed: false, message: 'x'.repeat(100_000) })
      }
      const warnings: string[] = []
      const warn = ({ message }: Error) => warnings.push(message)
      process.on('warning', warn)
      const { port } = await start({ validate })
      const deaf = await connected(port)
      deaf.socket.pause()
      for (let count = 0; count < sent; count += 1) {
        // One by one, so that no head is cut in two: such a request takes the other way.
        await new Promise((resolve) => deaf.socket.write(requestOf({}), resolve))
      }
      let before: number
      do {
        before = decided
        await sleep(100)
      } while (decided > before)
      expect(decided).toBeLessThan(sent)
      deaf.socket.resume()
      await vi.waitFor(() => expect(decided).toBe(sent), patience)
      expect(await answersOf(deaf, sent)).toHaveLength(sent)
      process.off('warning', warn)
      expect(warnings).toEqual([])
    },
  )
})
