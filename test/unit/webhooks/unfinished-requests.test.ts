import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { defaultReadingLimits, type WebhookOptions } from '../../../webhooks/server.ts'
import type { SecureClient } from '../../support/secure-client.ts'
import { reviewHead, reviewOf, servedWebhook, ways } from '../../support/served-webhook.ts'

/*
 * Whoever begins and does not end costs memory and connections. Each case is tried on both ways of a review: on the connection itself and,
 * with a header that is not known there, through Fastify.
 */

const kibi = 1024
const { start, connected, running } = servedWebhook()

async function ask(port: number, body = reviewOf(), way: string = reviewHead): Promise<string> {
  const client = await connected(port)
  client.socket.write(`${way}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`)
  // In two pieces, so that it is held for a while.
  client.socket.write(body.slice(0, -10))
  await sleep(1)
  client.socket.write(body.slice(-10))
  await vi.waitUntil(() => client.text().includes('\r\n\r\n') || client.socket.closed, patience)
  client.socket.destroy()
  return client.text().slice(0, 12)
}

const patience = { timeout: 5_000, interval: 5 }

describe('unfinished bodies', () => {
  const reading = { ...defaultReadingLimits, heldBytesMax: 1024 * kibi }

  test.each(Object.entries(ways))(
    'are held up to a bound for all together, and small reviews are read on: %s',
    async (_name, way) => {
      const shed: unknown[] = []
      const metrics = {
        reviews: { increment: (labels: Record<string, unknown> = {}) => shed.push(labels['outcome']) },
        duration: { observe: () => undefined },
      }
      const port = await start({ reading, metrics })
      const hoarders: SecureClient[] = []
      for (let index = 0; index < 12; index += 1) {
        const hoarder = await connected(port)
        hoarder.socket.write(`${way}Content-Length: ${201 * kibi}\r\n\r\n${' '.repeat(200 * kibi)}`)
        hoarders.push(hoarder)
      }
      await vi.waitUntil(() => hoarders.filter(({ text }) => text() !== '').length >= 8, patience)
      const refused = hoarders.filter(({ text }) => text() !== '')
      // Four fit, with what their pieces cost.
      expect(refused).toHaveLength(8)
      for (const { text } of refused) {
        expect(text()).toMatch(/^HTTP\/1\.1 429 /)
        expect(text()).toMatch(/retry-after: 1\r\n/i)
        expect(text()).toMatch(/connection: close\r\n/i)
      }
      await Promise.all(refused.map(({ closed }) => closed))
      expect(shed).toEqual(refused.map(() => 'shed'))
      const asked = await Promise.all(Array.from({ length: 100 }, () => ask(port, reviewOf(), way)))
      expect(asked.filter((status) => status !== 'HTTP/1.1 200')).toEqual([])
    },
  )

  test.each(Object.entries(ways))('that ended, or were left, are not counted: %s', async (_name, way) => {
    const port = await start({ reading })
    for (let round = 0; round < 12; round += 1) {
      expect(await ask(port, reviewOf('x'.repeat(200 * kibi)), way)).toBe('HTTP/1.1 200')
      expect(await ask(port, `{${' '.repeat(200 * kibi)}`, way)).toBe('HTTP/1.1 400')
      const gone = await connected(port)
      gone.socket.write(`${way}Content-Length: ${201 * kibi}\r\n\r\n${' '.repeat(200 * kibi)}`, () =>
        gone.socket.destroy(),
      )
      await gone.closed
    }
    expect(await ask(port, reviewOf('x'.repeat(800 * kibi)), way)).toBe('HTTP/1.1 200')
  })

  test('that are refused may be sent to their end, and their sender finds the answer', async () => {
    const port = await start({ reading: { ...reading, heldBytesMax: 100 * kibi } })
    const client = await connected(port)
    client.socket.write(`${reviewHead}Content-Length: ${200 * kibi}\r\n\r\n`)
    for (let sent = 0; sent < 20 && client.socket.writable; sent += 1) {
      await new Promise<void>((resolve) => client.socket.write(' '.repeat(10 * kibi), () => resolve()))
    }
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('and connections fit the memory that the chart gives, by default', () => {
    const values = parse(
      readFileSync(join(import.meta.dirname, '../../../manifests/charts/joinery/values.yaml'), 'utf8'),
    ) as { readonly webhook: { readonly resources: { readonly limits: { readonly memory: string } } } }
    const [, mebibytes = '0'] = /^(\d+)Mi$/.exec(values.webhook.resources.limits.memory) ?? []
    const { heldBytesMax, connectionsMax } = defaultReadingLimits
    // The process itself takes about half of the memory.
    expect(heldBytesMax + connectionsMax * 75 * kibi).toBeLessThan((Number(mebibytes) * kibi * kibi) / 2)
  })
})

describe('who sends slowly is cut off when the time of a request is over', () => {
  const requestTimeoutMs = 300
  const senders: Record<string, { readonly begin: string; readonly drop: string }> = {
    'a body': { begin: `${reviewHead}Content-Length: 1000\r\n\r\n{`, drop: ' ' },
    'a large body': { begin: `${reviewHead}Content-Length: 300000\r\n\r\n{`, drop: ' ' },
    'a body behind a header that is not known': {
      begin: `${reviewHead}X-Other-Way: yes\r\nContent-Length: 1000\r\n\r\n{`,
      drop: ' ',
    },
    'a body in chunks': { begin: `${reviewHead}Transfer-Encoding: chunked\r\n\r\n`, drop: '1\r\n \r\n' },
    headers: { begin: 'POST /validate HTTP/1.1\r\nHost: localhost\r\n', drop: 'a' },
    'a body that nobody asked for': {
      begin: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n',
      drop: 'a',
    },
    'a body to a path that does not exist': {
      begin: `${reviewHead.replace('/validate', '/nope')}Content-Length: 1000\r\n\r\n{`,
      drop: ' ',
    },
    nothing: { begin: '', drop: '' },
  }
  const overloaded = { inFlightMax: 0, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 }

  test.each(Object.entries(senders))('%s', (_name, sender) => check(sender, {}))
  test('a body that was refused unread', () =>
    check({ begin: `${reviewHead}Content-Length: 1000\r\n\r\n{`, drop: ' ' }, { limits: overloaded }))

  async function check(
    { begin, drop }: { readonly begin: string; readonly drop: string },
    changes: Partial<WebhookOptions>,
  ): Promise<void> {
    const port = await start({ reading: { ...defaultReadingLimits, requestTimeoutMs }, ...changes })
    const { socket, closed } = await connected(port)
    const from = performance.now()
    socket.write(begin)
    const drops = setInterval(() => socket.writable && socket.write(drop), 40)
    const outcome = await Promise.race([closed.then(() => 'cut off'), sleep(3_000).then(() => 'still open')])
    clearInterval(drops)
    expect(outcome).toBe('cut off')
    expect(performance.now() - from).toBeGreaterThan(requestTimeoutMs / 2)
  }
})

describe('who asks and does not read the answers keeps no place for ever', () => {
  const whole = `${reviewHead}Content-Length: ${Buffer.byteLength(reviewOf())}\r\n\r\n${reviewOf()}`
  const deaf: Record<string, { readonly bytes: string; readonly more: Partial<WebhookOptions> }> = {
    'and waits': { bytes: whole.repeat(8), more: {} },
    'and has begun the next request': { bytes: whole.repeat(8) + whole.slice(0, -1), more: {} },
    'and is refused in the end': {
      bytes: `${whole.repeat(8)}${reviewHead}Content-Length: 9000\r\n\r\n${'x'.repeat(5_000)}`,
      more: { reading: { ...defaultReadingLimits, heldBytesMax: 4 * kibi } },
    },
  }
  test.each(Object.entries(deaf))('%s', async (_name, { bytes, more }) => {
    let decided = 0
    const port = await start({
      validate: () => {
        decided += 1
        return { allowed: false, message: 'x'.repeat(3_000_000) }
      },
      ...more,
      reading: { ...defaultReadingLimits, ...more.reading, connectionsMax: 2, requestTimeoutMs: 1_000 },
    })
    for (const asked of [8, 16]) {
      const { socket } = await connected(port)
      socket.pause()
      // The answers are more than the buffers of both sides take.
      socket.write(bytes)
      await vi.waitUntil(() => decided === asked, patience)
    }
    await vi.waitFor(async () => expect(await ask(port)).toBe('HTTP/1.1 200'), { ...patience, timeout: 10_000 })
  })

  describe('nor when no place is needed', () => {
    const around = whole.replace(reviewHead, ways['through Fastify'])
    const reading = { ...defaultReadingLimits, requestTimeoutMs: 300 }

    test.each([
      ['and the connection would go on', whole],
      ['and the connection would go on, through Fastify', around],
      ['and the answer is the last, through Fastify', around.replace('X-Other-Way: yes', 'Connection: close')],
    ])('%s', async (_name, bytes) => {
      // More than the buffers of both sides take.
      const message = 'x'.repeat(16_000_000)
      const port = await start({ validate: () => ({ allowed: false, message }), reading })
      const { socket, text, closed } = await connected(port)
      socket.pause()
      socket.write(bytes)
      await sleep(5 * reading.requestTimeoutMs)
      // Who comes back finds what was on its way, and then the end.
      socket.resume()
      expect(await Promise.race([closed.then(() => 'cut off'), sleep(5_000).then(() => 'still open')])).toBe('cut off')
      expect(text()).toMatch(/^HTTP\/1\.1 200/)
      expect(text().length).toBeLessThan(message.length)
    })

    test('but who reads late may ask again later', async () => {
      const message = 'x'.repeat(16_000_000)
      const port = await start({ validate: () => ({ allowed: false, message }), reading })
      const { socket, text } = await connected(port)
      for (const answers of [1, 2]) {
        socket.pause()
        socket.write(whole)
        await sleep(reading.requestTimeoutMs / 3)
        socket.resume()
        await vi.waitUntil(() => text().length > answers * message.length, { ...patience, timeout: 10_000 })
        await sleep(2 * reading.requestTimeoutMs)
      }
    })

    test.each([whole, around])('but a decision may take longer', async (bytes) => {
      const validate = async () => {
        await sleep(2 * reading.requestTimeoutMs)
        return { allowed: true }
      }
      const client = await connected(await start({ validate, reading }))
      client.socket.write(bytes)
      await vi.waitUntil(() => client.text() !== '' || client.socket.closed, patience)
      expect(client.text()).toMatch(/^HTTP\/1\.1 200/)
    })
  })
})

describe('when the server closes, nobody holds it up beyond the time of a request', () => {
  const whole = `${reviewHead}Content-Length: ${Buffer.byteLength(reviewOf())}\r\n\r\n${reviewOf()}`
  const bodyBegun = 'Content-Length: 1000\r\n\r\n{'
  // Who reads nothing does not hear of the end, either.
  const lingering: Record<string, string> = {
    'who has asked nothing': '',
    'who has an answer': whole,
    'who has begun a request': `${reviewHead}${bodyBegun}`,
    'who has an answer, through Fastify': whole.replace(reviewHead, ways['through Fastify']),
    'who has begun a request, through Fastify': `${ways['through Fastify']}${bodyBegun}`,
  }
  test.each(Object.entries(lingering))('%s', async (_name, bytes) => {
    const port = await start({ reading: { ...defaultReadingLimits, requestTimeoutMs: 300 } })
    const { socket } = await connected(port)
    socket.pause()
    if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
    // Well before its time is over, and long enough for the server to read it.
    await sleep(50)
    const closed = Promise.all(running.splice(0).map((server) => server.close()))
    expect(await Promise.race([closed.then(() => 'closed'), sleep(4_000).then(() => 'still open')])).toBe('closed')
  })
})

test.each(Object.entries(ways))(
  'who has begun a request when the server closes gets its answer: %s',
  async (_name, way) => {
    const port = await start({})
    const client = await connected(port)
    const whole = `${way}Content-Length: ${Buffer.byteLength(reviewOf())}\r\n\r\n${reviewOf()}`
    await new Promise((resolve) => client.socket.write(whole.slice(0, -10), resolve))
    // Long enough for the server to read it.
    await sleep(50)
    const closed = Promise.all(running.splice(0).map((server) => server.close()))
    client.socket.write(whole.slice(-10))
    await Promise.all([client.closed, closed])
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close\r\n/i)
  },
)

test('through Fastify, too, what is too much is refused before its body is there, and only what is a review', async () => {
  const port = await start({ limits: { inFlightMax: 0, waitMaxMs: 10_000, turnReviewsMin: 0, turnWorkMinMs: 0 } })
  const [review, other] = [await connected(port), await connected(port)]
  review.socket.write(`${ways['through Fastify']}Content-Length: 1000\r\n\r\n{`)
  other.socket.write('GET /validate HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await vi.waitUntil(() => review.text() !== '' && other.text() !== '', patience)
  expect(review.text()).toMatch(/^HTTP\/1\.1 429 /)
  expect(review.text()).toMatch(/retry-after: 1\r\n/i)
  expect(other.text()).toMatch(/^HTTP\/1\.1 404 /)
})
