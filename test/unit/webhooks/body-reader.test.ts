import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBodyBudget } from '../../../webhooks/body-budget.ts'
import { readBody } from '../../../webhooks/body-reader.ts'

const bytesMax = 100

/** A body that comes in, with what became of it each time that the reader was done. */
function reading({ length, heldBytesMax = 1_000_000 }: { readonly length?: number; readonly heldBytesMax?: number }) {
  const headers = length === undefined ? {} : { 'content-length': String(length) }
  const body = Object.assign(new PassThrough(), { headers })
  const bodies = createBodyBudget(heldBytesMax)
  const outcomes: unknown[] = []
  readBody(
    body as unknown as IncomingMessage,
    { bodies, bytesMax, refused: () => new Error('refused') },
    (error, text) =>
      outcomes.push(error === null ? text : ((error as { statusCode?: number }).statusCode ?? error.message)),
  )
  return { body, bodies, outcomes }
}

test('a body that says it is too large is refused before any of it is there', () => {
  expect(reading({ length: bytesMax + 1 }).outcomes).toEqual([413])
  expect(reading({ length: bytesMax }).outcomes).toEqual([])
})

test.each([{ length: bytesMax }, {}])(
  'a body of just the limit is read, whether it says so or not: %j',
  async (said) => {
    const { body, bodies, outcomes } = reading(said)
    body.write('x'.repeat(60))
    await nextTurn()
    body.end('y'.repeat(40))
    await nextTurn()
    expect(outcomes).toEqual([`${'x'.repeat(60)}${'y'.repeat(40)}`])
    expect(bodies.bytes).toBe(0)
  },
)

test.each([
  ['is too large', { heldBytesMax: 1_000_000 }, 413],
  ['takes too much of the memory for all', { heldBytesMax: 50 }, 'refused'],
] as const)('a body that %s is refused once, whatever is sent behind', async (_why, limits, outcome) => {
  const { body, bodies, outcomes } = reading(limits)
  for (let sent = 0; sent < 10; sent += 1) {
    body.write('x'.repeat(40))
    await nextTurn()
  }
  body.end()
  await nextTurn()
  body.destroy()
  await nextTurn()
  expect(outcomes).toEqual([outcome])
  expect(bodies.bytes).toBe(0)
  // What nobody reads would keep its sender from ever finding the answer.
  expect(body.readableLength).toBe(0)
})

test('a body whose connection ends before it does is let go, and told of', async () => {
  const { body, bodies, outcomes } = reading({ length: 50 })
  body.write('x')
  await nextTurn()
  expect(bodies.bytes).toBeGreaterThan(0)
  body.destroy(new Error('connection reset'))
  await nextTurn()
  expect(outcomes).toEqual([400])
  expect(bodies.bytes).toBe(0)
})
