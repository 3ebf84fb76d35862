import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { ProcessClock } from '../../../src/embedded/process-clock.ts'

function started() {
  const world = new VirtualClock()
  const clock = new ProcessClock(world)
  const ran: string[] = []
  const note = (what: string) => () => void ran.push(`${what} at ${world.monotonicMs()}`)
  return { world, clock, ran, note }
}

test('a process that runs has the time of its world', async () => {
  const { world, clock, ran, note } = started()
  clock.schedule(1_000, note('timer'))
  void clock.sleep(2_000).then(note('sleep'))
  clock.schedule(1_500, note('cancelled')).cancel()
  world.jump(60_000)
  await world.run({ forMs: 3_000 })
  expect(ran).toEqual(['timer at 1000', 'sleep at 2000'])
  expect([clock.now(), clock.monotonicMs()]).toEqual([world.now(), 3_000])
})

test('what falls due while a process stands still runs afterwards, in its order; the world goes on', async () => {
  const { world, clock, ran, note } = started()
  clock.schedule(2_000, note('second'))
  clock.schedule(1_000, note('first'))
  clock.schedule(6_000, note('later'))
  world.schedule(1_500, note('world'))
  const over = clock.stall(5_000).then(note('over'))
  await world.run({ forMs: 10_000 })
  await over
  expect(ran).toEqual(['world at 1500', 'first at 5000', 'second at 5000', 'over at 5000', 'later at 6000'])
})

test('of what falls due while it stands still the first may cancel the others', async () => {
  const { world, clock, ran, note } = started()
  clock.schedule(1_000, () => timer.cancel())
  const timer = clock.schedule(2_000, note('cancelled'))
  const giveUp = new AbortController()
  clock.schedule(1_100, () => giveUp.abort(new Error('too late')))
  const slept = clock.sleep(3_000, giveUp.signal)
  slept.catch(() => undefined)
  void clock.stall(5_000)
  await world.run({ forMs: 10_000 })
  await expect(slept).rejects.toThrow('too late')
  expect(ran).toEqual([])
})

test('one that stands still cannot be stopped again before it goes on', async () => {
  const { world, clock } = started()
  const over = clock.stall(1_000)
  expect(() => clock.stall(1_000)).toThrow('stands still already')
  await world.run({ forMs: 1_000 })
  await over
  void clock.stall(1_000)
})
