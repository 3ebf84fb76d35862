import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/kube/logger.ts'
import { defaultReadingLimits } from '../../../webhooks/server.ts'
import type { SecureClient } from '../../support/secure-client.ts'
import { reviewHead, reviewOf, servedWebhook, ways } from '../../support/served-webhook.ts'

const review = reviewOf()
const whole = `${reviewHead}Content-Length: ${Buffer.byteLength(review)}\r\n\r\n${review}`
const patience = { timeout: 5_000, interval: 5 }
const { start, connected } = servedWebhook()

async function ask(port: number): Promise<string> {
  const { socket, text } = await connected(port)
  socket.write(whole)
  await vi.waitUntil(() => text().includes('\r\n\r\n') || socket.closed, patience)
  socket.destroy()
  return text().slice(0, 12)
}

describe('when all places are taken', () => {
  test('and all are busy, connections are not taken, which is logged once, and the others are answered', async () => {
    const logged: string[] = []
    const log = { ...silentLogger, warn: (_fields: object, message: string) => void logged.push(message) }
    const port = await start({ reading: { ...defaultReadingLimits, connectionsMax: 3 }, log })
    const taken: SecureClient[] = []
    while (taken.length < 3) {
      const client = await connected(port)
      client.socket.write(whole.slice(0, -1))
      taken.push(client)
      // The server has begun to read it.
      await sleep(20)
    }
    await expect(connected(port)).rejects.toThrow()
    await expect(connected(port)).rejects.toThrow()
    expect(logged).toEqual(['too many connections'])
    taken[0]?.socket.write(whole.slice(-1))
    await vi.waitUntil(() => taken[0]?.text().startsWith('HTTP/1.1 200') === true, patience)
    taken[1]?.socket.destroy()
    await taken[1]?.closed
    // The server hears of it a moment later.
    await vi.waitFor(async () => expect(await ask(port)).toBe('HTTP/1.1 200'), patience)
  })

  test('the one that has waited longest for a next request makes room', async () => {
    const port = await start({ reading: { ...defaultReadingLimits, connectionsMax: 3 } })
    const first = await connected(port)
    first.socket.write(whole)
    await vi.waitUntil(() => first.text().startsWith('HTTP/1.1 200'), patience)
    const silent = await connected(port)
    await sleep(20)
    first.socket.write(whole)
    await vi.waitUntil(() => first.text().split('HTTP/1.1 200').length === 3, patience)
    await connected(port)
    await silent.closed
    // The time of a request would have ended the silent one, too.
    expect(first.socket.closed).toBe(false)
    await connected(port)
    await first.closed
    expect(await ask(port)).toBe('HTTP/1.1 200')
  })

  test.each(Object.entries(ways))('one that waits for its decision stays: %s', async (_name, way) => {
    const decision = Promise.withResolvers<{ readonly allowed: boolean }>()
    const validate = vi.fn(() => decision.promise)
    const port = await start({ validate, reading: { ...defaultReadingLimits, connectionsMax: 2 } })
    const asking = await connected(port)
    asking.socket.write(whole.replace(reviewHead, way))
    await vi.waitUntil(() => validate.mock.calls.length === 1, patience)
    await connected(port)
    decision.resolve({ allowed: true })
    await vi.waitUntil(() => asking.text() !== '' || asking.socket.closed, patience)
    expect(asking.text()).toMatch(/^HTTP\/1\.1 200/)
  })

  test('one that makes room gets the answers that are on their way', async () => {
    const message = 'x'.repeat(3_000_000)
    const validate = vi.fn(() => ({ allowed: false, message }))
    const port = await start({ validate, reading: { ...defaultReadingLimits, connectionsMax: 2 } })
    const slow = await connected(port)
    slow.socket.pause()
    // More than the buffers of both sides take.
    slow.socket.write(whole.repeat(8))
    await vi.waitUntil(() => validate.mock.calls.length === 8, patience)
    await connected(port)
    slow.socket.resume()
    await slow.closed
    expect(slow.text().split(message)).toHaveLength(9)
  })

  test('one that is on its way out makes none a second time: another one has to', async () => {
    const validate = vi.fn(() => ({ allowed: false, message: 'x'.repeat(3_000_000) }))
    const port = await start({ validate, reading: { ...defaultReadingLimits, connectionsMax: 3 } })
    const deaf = await connected(port)
    deaf.socket.pause()
    // The answers are more than the buffers of both sides take.
    deaf.socket.write(whole.repeat(8))
    await vi.waitUntil(() => validate.mock.calls.length === 8, patience)
    const second = await connected(port)
    const third = await connected(port)
    expect([second, third].map(({ socket }) => socket.closed)).toEqual([false, false])
    second.socket.destroy()
    await second.closed
    // The server hears of it a moment later.
    await sleep(50)
    await connected(port)
    await vi.waitUntil(() => third.socket.closed, patience)
  })

  test('those that have ended no longer count', async () => {
    const port = await start({ reading: { ...defaultReadingLimits, connectionsMax: 5 } })
    const kept = await connected(port)
    for (let round = 0; round < 10; round += 1) {
      const gone = await connected(port)
      gone.socket.write(whole.replace('Host:', 'Connection: close\r\nHost:'))
      await gone.closed
    }
    kept.socket.write(whole)
    await vi.waitUntil(() => kept.text() !== '' || kept.socket.closed, patience)
    expect(kept.text()).toMatch(/^HTTP\/1\.1 200/)
  })

  test('those that have ended make none: one that waits has to', async () => {
    const port = await start({ reading: { ...defaultReadingLimits, connectionsMax: 3 } })
    const gone = await connected(port)
    gone.socket.write(whole)
    await vi.waitUntil(() => gone.text().startsWith('HTTP/1.1 200'), patience)
    gone.socket.destroy()
    await gone.closed
    // The server hears of it a moment later.
    await sleep(50)
    const waiting = await connected(port)
    await connected(port)
    await connected(port)
    await vi.waitUntil(() => waiting.socket.closed, patience)
    expect(await ask(port)).toBe('HTTP/1.1 200')
  })

  test('those that Fastify has answered make room, too', async () => {
    const port = await start({ reading: { ...defaultReadingLimits, connectionsMax: 3 } })
    const probes = [await connected(port), await connected(port)]
    for (const { socket, text } of probes) {
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await vi.waitUntil(() => text().startsWith('HTTP/1.1 200'), patience)
    }
    const last = await connected(port)
    last.socket.write(whole.slice(0, -1))
    await Promise.all(probes.map(({ closed }) => closed))
    expect(await ask(port)).toBe('HTTP/1.1 200')
  })
})
