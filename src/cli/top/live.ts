import { messageOf } from '../../api/error-text.ts'
import type { FleetSource } from '../../operator/dashboard/fleet-source.ts'
import type { FleetView } from '../../operator/dashboard/fleet-view.ts'
import type { Clock } from '../../model/clock.ts'
import { renderTop, type TopState } from './render.ts'
import { sortKeys } from './sort.ts'

/** The terminal as the live view uses it; the process's own in production. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  readonly colour: boolean
  write(text: string): void
  /** Each returns how to stop listening. */
  onKey(listen: (key: string) => void): () => void
  onResize(listen: () => void): () => void
}

const escape = '\u001b'
/** A screen of its own, no cursor, no wrapping of lines that turn out wider than they count. */
const enter = `${escape}[?1049h${escape}[?25l${escape}[?7l`
const leave = `${escape}[?7h${escape}[?25h${escape}[?1049l`
/** Terminals that know synchronized output show the frame at once; the others pass it over. */
const beginFrame = `${escape}[?2026h${escape}[H`
const endFrame = `${escape}[J${escape}[?2026l`

/** Shows the fleet until `q`, Ctrl-C or the signal. */
export async function showLive(options: {
  readonly source: FleetSource
  readonly screen: Screen
  readonly clock: Clock
  readonly everyMs: number
  readonly initial: TopState
  readonly signal: AbortSignal
}): Promise<void> {
  const { source, screen, clock, everyMs, signal } = options
  const quit = new AbortController()
  const until = AbortSignal.any([signal, quit.signal])
  // A server that is silent keeps nobody: what it would still answer is not waited for.
  const left = new Promise<undefined>((resolve) => {
    until.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  let state = options.initial
  let view: FleetView | undefined
  let notice: string | undefined
  let lastFrame = ''
  const draw = (): void => {
    if (view === undefined) return
    const frame = frameText(renderTop(view, source.now(), { ...state, notice }, screen))
    // The same frame again would be flicker for nothing.
    if (frame !== lastFrame) screen.write(`${beginFrame}${frame}${endFrame}`)
    lastFrame = frame
  }
  const stops = [
    screen.onKey((key) => {
      const next = afterKey(key, state, screen.rows, view?.nodes.length ?? 0)
      if (next === 'quit') quit.abort(new Error('quit'))
      else if (next !== state) {
        state = next
        draw()
      }
    }),
    screen.onResize(() => {
      lastFrame = ''
      draw()
    }),
  ]
  screen.write(enter)
  try {
    while (!until.aborted) {
      try {
        const seen = await Promise.race([source.view(), left])
        if (seen === undefined) break
        view = seen
        notice = undefined
      } catch (error) {
        if (until.aborted) break
        // What was seen last is better than nothing, as long as it is said that it is old.
        if (view === undefined) throw error
        notice = messageOf(error)
      }
      draw()
      await clock.sleep(everyMs, until).catch(() => undefined)
    }
  } finally {
    for (const stop of stops) stop()
    screen.write(leave)
  }
}

/** Each line is cleared behind its text, so that nothing of the last frame stays and nothing is blanked first. */
function frameText(lines: readonly string[]): string {
  return lines.map((line) => `${line}${escape}[K`).join('\r\n')
}

const offsetOf: Readonly<Record<string, (offset: number, page: number, last: number) => number>> = {
  [`${escape}[A`]: (offset) => offset - 1,
  k: (offset) => offset - 1,
  [`${escape}[B`]: (offset) => offset + 1,
  j: (offset) => offset + 1,
  [`${escape}[5~`]: (offset, page) => offset - page,
  [`${escape}[6~`]: (offset, page) => offset + page,
  ' ': (offset, page) => offset + page,
  [`${escape}[H`]: () => 0,
  g: () => 0,
  [`${escape}[F`]: (_offset, _page, last) => last,
  G: (_offset, _page, last) => last,
}

/** What a key does to how the fleet is shown. */
export function afterKey(key: string, state: TopState, rows: number, nodes: number): TopState | 'quit' {
  if (key === 'q' || key === 'Q' || key === '\u0003') return 'quit'
  if (key === 's') {
    const next = sortKeys[(sortKeys.indexOf(state.sort) + 1) % sortKeys.length] ?? state.sort
    return { ...state, sort: next, offset: 0 }
  }
  if (key === 'r') return { ...state, direction: state.direction === 'normal' ? 'reversed' : 'normal', offset: 0 }
  const move = Object.hasOwn(offsetOf, key) ? offsetOf[key] : undefined
  if (move === undefined) return state
  const offset = Math.max(0, Math.min(move(state.offset, Math.max(1, rows - 10), nodes - 1), Math.max(0, nodes - 1)))
  return offset === state.offset ? state : { ...state, offset }
}
