import { expect, test } from 'vitest'
import { afterKey, type Screen, showLive } from '../../../../src/cli/top/live.ts'
import type { TopState } from '../../../../src/cli/top/render.ts'
import type { FleetView } from '../../../../src/operator/dashboard/fleet-view.ts'
import { aFleetView, aNodeView, viewedAt } from '../../../support/fleet-views.ts'
import { ManualClock } from '../../../support/manual-clock.ts'

const initial: TopState = { sort: 'pool', direction: 'normal', offset: 0 }

class FakeScreen implements Screen {
  columns = 100
  rows = 20
  readonly colour = false
  readonly written: string[] = []
  #key: ((key: string) => void) | undefined
  #resize: (() => void) | undefined

  write(text: string): void {
    this.written.push(text)
  }

  onKey(listen: (key: string) => void): () => void {
    this.#key = listen
    return () => {
      this.#key = undefined
    }
  }

  onResize(listen: () => void): () => void {
    this.#resize = listen
    return () => {
      this.#resize = undefined
    }
  }

  press(key: string): void {
    this.#key?.(key)
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
    this.#resize?.()
  }

  get listens(): boolean {
    return this.#key !== undefined || this.#resize !== undefined
  }
}

function world(first: () => FleetView) {
  const clock = new ManualClock(viewedAt)
  const screen = new FakeScreen()
  const source = { current: first, now: () => viewedAt, view: async (): Promise<FleetView> => source.current() }
  const shown = showLive({
    source,
    screen,
    clock,
    everyMs: 2_000,
    initial,
    signal: new AbortController().signal,
  })
  return { clock, screen, source, shown }
}

test('takes a screen of its own and gives it back, cursor included', async () => {
  const { clock, screen, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(0)
  screen.press('q')
  await shown
  expect(screen.written[0]).toContain('\u001b[?1049h')
  expect(screen.written.at(-1)).toContain('\u001b[?1049l')
  expect(screen.written.at(-1)).toContain('\u001b[?25h')
  expect(screen.listens).toBe(false)
})

test.each(['q', '\u0003'])('a server that is silent keeps nobody from leaving by %j', async (key) => {
  const { clock, screen, source, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(0)
  source.view = () => new Promise(() => undefined)
  await clock.advance(2_000)
  screen.press(key)
  await shown
  expect(screen.written.at(-1)).toContain('\u001b[?1049l')
})

test('draws only what changed: the same fleet again is no frame', async () => {
  const { clock, screen, source, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(10_000)
  expect(screen.written).toHaveLength(2)
  source.current = () => aFleetView([aNodeView('b')])
  await clock.advance(2_000)
  expect(screen.written).toHaveLength(3)
  screen.press('\u0003')
  await shown
})

test('a frame is one write that never clears the screen before it draws', async () => {
  const { clock, screen, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(0)
  const frame = screen.written[1] ?? ''
  expect(frame.startsWith('\u001b[?2026h\u001b[H')).toBe(true)
  expect(frame).not.toContain('\u001b[2J')
  expect(frame.split('\r\n')).toHaveLength(20)
  screen.press('q')
  await shown
})

test('draws anew at once when the window changes, in the new size', async () => {
  const { clock, screen, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(0)
  screen.resize(60, 12)
  expect((screen.written.at(-1) ?? '').split('\r\n')).toHaveLength(12)
  screen.press('q')
  await shown
})

test('a cluster that does not answer leaves the last picture, marked as old, until it does again', async () => {
  const { clock, screen, source, shown } = world(() => aFleetView([aNodeView('a')]))
  await clock.advance(0)
  const good = source.current
  source.current = () => {
    throw new Error('connection refused')
  }
  await clock.advance(2_000)
  expect(screen.written.at(-1)).toContain('not up to date: connection refused')
  source.current = good
  await clock.advance(2_000)
  expect(screen.written.at(-1)).not.toContain('not up to date')
  screen.press('q')
  await shown
})

test('a cluster that never answered is an error, and the screen is given back', async () => {
  const { screen, shown } = world(() => {
    throw new Error('connection refused')
  })
  await expect(shown).rejects.toThrow('connection refused')
  expect(screen.written.at(-1)).toContain('\u001b[?1049l')
})

test.each<[string, Partial<TopState> | 'quit']>([
  ['q', 'quit'],
  ['\u0003', 'quit'],
  ['s', { sort: 'cpu', offset: 0 }],
  ['r', { direction: 'reversed', offset: 0 }],
  ['\u001b[B', { offset: 6 }],
  ['\u001b[A', { offset: 4 }],
  ['\u001b[6~', { offset: 15 }],
  ['\u001b[5~', { offset: 0 }],
  ['G', { offset: 29 }],
  ['g', { offset: 0 }],
  ['x', {}],
  ['constructor', {}],
])('the key %j', (key, want) => {
  const state = { ...initial, offset: 5 }
  expect(afterKey(key, state, 20, 30)).toEqual(want === 'quit' ? 'quit' : { ...state, ...want })
})
