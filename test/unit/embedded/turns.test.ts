import { expect, test } from 'vitest'
import { Turns } from '../../../src/embedded/turns.ts'

test('a turn begins after every promise that can settle has settled', async () => {
  const turns = new Turns()
  for (let round = 0; round < 40; round += 1) {
    let steps = 0
    void (async () => {
      for (; steps < 100; steps += 1) await Promise.resolve()
    })()
    process.nextTick(() => void Promise.resolve().then(() => (steps += 1)))
    await turns.next()
    expect(steps).toBe(101)
  }
})

test('a rejection that nobody handles is told before the next turn', async () => {
  const told: unknown[] = []
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (error) => told.push(error))
  try {
    const turns = new Turns()
    for (let round = 0; round < 40; round += 1) {
      void Promise.reject(new Error(`round ${round}`))
      await turns.next()
      expect(told).toHaveLength(round + 1)
    }
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const listener of others) process.on('unhandledRejection', listener)
  }
})

test('sockets and timers of the real world have their share', async () => {
  const turns = new Turns()
  let seen = false
  setTimeout(() => (seen = true), 0)
  const began = performance.now()
  while (!seen && performance.now() - began < 5_000) await turns.next()
  expect(seen).toBe(true)
})
