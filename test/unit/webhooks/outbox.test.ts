import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Outbox } from '../../../webhooks/outbox.ts'

test('what is put in during one turn goes out at its end, in order', async () => {
  const outbox = new Outbox(() => 0)
  const sent: number[] = []
  for (const answer of [1, 2, 3]) outbox.add(() => sent.push(answer))
  expect(sent).toEqual([])
  await nextTurn()
  expect(sent).toEqual([1, 2, 3])
  outbox.add(() => sent.push(4))
  await nextTurn()
  expect(sent).toEqual([1, 2, 3, 4])
})

test('a turn that takes long keeps nothing waiting until it ends', () => {
  let now = 5_000
  const outbox = new Outbox(() => now)
  const sent: number[] = []
  outbox.add(() => sent.push(1))
  now += 1
  outbox.add(() => sent.push(2))
  expect(sent).toEqual([])
  now += 1
  outbox.add(() => sent.push(3))
  expect(sent).toEqual([1, 2, 3])
  outbox.add(() => sent.push(4))
  expect(sent).toEqual([1, 2, 3])
})

test('what was asked for at once is not sent again', async () => {
  const outbox = new Outbox()
  const sent: number[] = []
  outbox.add(() => sent.push(1))
  outbox.flush()
  expect(sent).toEqual([1])
  await nextTurn()
  expect(sent).toEqual([1])
})
