import { expect, test } from 'vitest'
import { DisruptionBrake, underBrake } from '../../../src/controllers/disruption-brake.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'

const windowMs = 600_000

/** One node may go within the window, and the first window is over. */
async function aBrake(): Promise<DisruptionBrake> {
  const clock = new VirtualClock()
  const brake = new DisruptionBrake(clock, { nodes: 1, windowMs })
  brake.gate()
  await clock.run({ forMs: windowMs })
  return brake
}

const refusal = (code: 'Forbidden' | 'Conflict', status: number) => () =>
  Promise.reject(new KubeError(code, status, 'no'))

test.each([
  ['deleted nothing', () => Promise.resolve(false), 1],
  ['was refused', refusal('Forbidden', 403), 1],
  ['lost a race', refusal('Conflict', 409), 1],
  ['deleted it', () => Promise.resolve(true), 0],
  ['was not answered', () => Promise.reject(new KubeError('ServiceUnavailable', 503, 'down')), 0],
])('a removal that %s, and what room it leaves', async (_what, remove, room) => {
  const brake = await aBrake()
  expect(brake.take('Expired')).toBeUndefined()
  await underBrake(brake, 'Expired', remove).catch(() => undefined)
  expect(brake.take('Expired') === undefined ? 1 : 0).toBe(room)
})

test('each cause has room of its own', async () => {
  const brake = await aBrake()
  expect([brake.take('Expired'), brake.take('Unhealthy')]).toEqual([undefined, undefined])
  brake.begun('Drifted', 1, windowMs)
  expect(brake.take('Expired')).toMatchObject({ waitMs: windowMs })
  expect(brake.gate().limit('any', 'Drifted')).toBe(0)
  expect(brake.gate().limit('any', 'Empty')).toBe(1)
})

test('what gave its room back was the last that was counted', async () => {
  const clock = new VirtualClock()
  const brake = new DisruptionBrake(clock, { nodes: 2, windowMs })
  brake.gate()
  await clock.run({ forMs: windowMs })
  brake.take('Expired')
  await clock.run({ forMs: 60_000 })
  brake.take('Expired')
  brake.giveBack('Expired')
  brake.take('Expired')
  expect(brake.take('Expired')).toMatchObject({ waitMs: windowMs - 60_000 })
})

test('a command that is given up gives back its own nodes, as far as they count still', async () => {
  const clock = new VirtualClock()
  const brake = new DisruptionBrake(clock, { nodes: 3, windowMs })
  const room = () => brake.gate().limit('any', 'Drifted')
  room()
  await clock.run({ forMs: windowMs })
  brake.begun('Drifted', 2, windowMs)
  await clock.run({ forMs: 60_000 })
  brake.begun('Drifted', 1, windowMs + 60_000)
  expect(room()).toBe(0)
  brake.takenBack('Drifted', 1, windowMs)
  expect(room()).toBe(1)
  await clock.run({ forMs: windowMs - 60_000 })
  expect(room()).toBe(2)
  brake.takenBack('Drifted', 1, windowMs)
  expect(room()).toBe(2)
})
