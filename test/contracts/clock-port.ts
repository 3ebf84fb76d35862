import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'

/** What a contract run is given. */
export interface ClockPortWorld {
  readonly clock: Clock
  /** Lets so much time of the clock pass. */
  pass(ms: number): Promise<void>
  stop(): Promise<void>
}

/** Everything that operator, cloud and caches expect of time. In milliseconds that a test can wait for by the system's clock. */
export function clockPortContract(implementation: string, start: () => Promise<ClockPortWorld>): void {
  describe(`time is the same for everybody: ${implementation}`, () => {
    let world: ClockPortWorld
    let ran: string[]
    const note = (what: string) => (): void => {
      ran.push(what)
    }
    /** A busy machine takes longer to get to it. */
    const settled = async (count: number): Promise<string[]> => {
      for (let look = 0; look < 50 && ran.length < count; look += 1) await world.pass(40)
      // Whatever comes too often, or should not come at all.
      await world.pass(20)
      return ran
    }
    beforeEach(async () => {
      world = await start()
      ran = []
    })
    afterEach(() => world.stop())

    test('what is due runs once, and not before its time', async () => {
      const { clock } = world
      const begun = clock.monotonicMs()
      let after = 0
      clock.schedule(20, () => {
        ran.push('it')
        after = clock.monotonicMs() - begun
      })
      expect(await settled(1)).toEqual(['it'])
      // Timers of Node count in whole milliseconds.
      expect(after).toBeGreaterThan(19)
    })

    test('what is due earlier runs earlier, and of two at one time the one that was asked for first', async () => {
      for (const [ms, what] of [
        [30, 'last'],
        [10, 'first'],
        [10, 'second'],
        [20, 'third'],
      ] as const)
        world.clock.schedule(ms, note(what))
      expect(await settled(4)).toEqual(['first', 'second', 'third', 'last'])
    })

    test('nothing runs while it is being asked for, nor before what is due already', async () => {
      const { clock } = world
      clock.schedule(10, () => {
        clock.schedule(0, note('asked for meanwhile'))
        ran.push('one')
      })
      clock.schedule(10, note('another'))
      untilDue()
      expect(await settled(3)).toEqual(['one', 'another', 'asked for meanwhile'])
    })

    test('what follows from one at once comes before the next', async () => {
      world.clock.schedule(10, () => {
        ran.push('one')
        void Promise.resolve().then(note('what follows'))
      })
      world.clock.schedule(10, note('another'))
      untilDue()
      expect(await settled(3)).toEqual(['one', 'what follows', 'another'])
    })

    test('what is cancelled does not come; cancelling again, or too late, is harmless', async () => {
      const { clock } = world
      for (const ms of [0, 10]) {
        const timer = clock.schedule(ms, note('cancelled'))
        timer.cancel()
        timer.cancel()
      }
      const late = clock.schedule(10, () => {
        ran.push('one')
        other.cancel()
        late.cancel()
      })
      const other = clock.schedule(10, note('cancelled by one'))
      expect(await settled(1)).toEqual(['one'])
      late.cancel()
    })

    test('a wait below zero is none, one without an end has none', async () => {
      const { clock } = world
      for (const ms of [-5, Number.NEGATIVE_INFINITY]) clock.schedule(ms, note('at once'))
      const endless = [Number.POSITIVE_INFINITY, Number.NaN].map((ms) => clock.schedule(ms, note('never')))
      expect(await settled(2)).toEqual(['at once', 'at once'])
      for (const timer of endless) timer.cancel()
    })

    test('both hands move as time passes', async () => {
      const { clock } = world
      const before = [clock.now(), clock.monotonicMs()] as const
      await world.pass(30)
      const passed = [clock.now() - before[0], clock.monotonicMs() - before[1]]
      for (const ms of passed) expect(ms).toBeGreaterThan(28)
      expect(Number.isInteger(clock.now())).toBe(true)
    })

    test('a sleeper wakes, and nothing waits for its signal any more', async () => {
      const stop = new AbortController()
      const sleeping = world.clock.sleep(10, stop.signal).then(note('awake'))
      expect(await settled(1)).toEqual(['awake'])
      await sleeping
      expect(getEventListeners(stop.signal, 'abort')).toEqual([])
      stop.abort()
    })

    test('a sleep is broken off with the reason of its signal, at once where that was given before', async () => {
      const { clock } = world
      const reason = { what: 'no error, and yet a reason' }
      const stop = new AbortController()
      const sleeping = clock.sleep(3_600_000, stop.signal)
      stop.abort(reason)
      await expect(sleeping).rejects.toBe(reason)
      await expect(clock.sleep(3_600_000, stop.signal)).rejects.toBe(reason)
      expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    })
  })
}

/** By the system's clock two are due together only if nobody looked when it was time for the first. */
function untilDue(): void {
  const end = performance.now() + 15
  while (performance.now() < end);
}
