import { describe, expect, test } from 'vitest'
import { PodBatcher } from '../../../../src/controllers/provisioning/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'

/** When the first window ends, in milliseconds after its start, given triggers as [at, uid]. */
async function windowEnd(triggers: readonly (readonly [number, string])[]): Promise<number | undefined> {
  const clock = new VirtualClock()
  const batcher = new PodBatcher(clock, { idleMs: 1_000, maxMs: 10_000 })
  for (const [at, uid] of triggers) clock.schedule(at, () => batcher.trigger(uid))
  let end: number | undefined
  batcher.whenTriggered(() => {
    void batcher.window(new AbortController().signal).then((ended) => {
      if (ended) end ??= clock.monotonicMs()
    })
  })
  await clock.run({ forMs: 60_000 })
  return end
}

describe('a batch window', () => {
  const everyHalfSecond = Array.from({ length: 120 }, (_, i) => [i * 500, `pod-${i}`] as const)
  const cases: Record<string, { triggers: readonly (readonly [number, string])[]; want: number | undefined }> = {
    'case 25: ends one second after the last new pod': {
      triggers: [
        [0, 'a'],
        [500, 'b'],
        [1_200, 'c'],
      ],
      want: 2_200,
    },
    'case 25: is not extended by a pod that it knows': {
      triggers: [
        [0, 'a'],
        [500, 'a'],
      ],
      want: 1_000,
    },
    'case 25: ends after ten seconds at the latest': { triggers: everyHalfSecond, want: 10_000 },
    'does not begin without a trigger': { triggers: [], want: undefined },
  }
  test.each(Object.entries(cases))('%s', async (_name, { triggers, want }) => {
    expect(await windowEnd(triggers)).toBe(want)
  })

  test('what comes between two windows begins the next one at once', async () => {
    const clock = new VirtualClock()
    const batcher = new PodBatcher(clock, { idleMs: 1_000, maxMs: 10_000 })
    batcher.trigger('a')
    const first = batcher.window(new AbortController().signal)
    await clock.run({ forMs: 1_000 })
    expect(await first).toBe(true)
    batcher.trigger('a')
    const second = batcher.window(new AbortController().signal)
    await clock.run({ forMs: 1_000 })
    expect(await second).toBe(true)
  })

  test('without a trigger there is nothing to wait for; the first one after a window is told, not those that follow', async () => {
    const clock = new VirtualClock()
    const batcher = new PodBatcher(clock, { idleMs: 1_000, maxMs: 10_000 })
    let told = 0
    batcher.whenTriggered(() => {
      told += 1
    })
    expect(await batcher.window(new AbortController().signal)).toBe(false)
    expect(clock.pending).toBe(0)
    for (const uid of ['a', 'b', 'a']) batcher.trigger(uid)
    expect(told).toBe(1)
    const window = batcher.window(new AbortController().signal)
    await clock.run({ forMs: 1_000 })
    expect(await window).toBe(true)
    batcher.trigger('b')
    expect(told).toBe(2)
  })

  test('waiting ends with the process', async () => {
    const clock = new VirtualClock()
    const batcher = new PodBatcher(clock, { idleMs: 1_000, maxMs: 10_000 })
    const stop = new AbortController()
    batcher.trigger('a')
    const waiting = batcher.window(stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  })
})
