import { setTimeout as sleep } from 'node:timers/promises'

export interface Repeating {
  /** Resolves when the last round has ended. Rejects with what a round failed with. */
  stop(): Promise<void>
}

/** Does `round` over and over, with a pause between two; a round that fails is tried again, and told by `stop` when it was the last. */
export function repeat(pauseMs: number, round: () => Promise<void>): Repeating {
  const stopping = new AbortController()
  let failure: unknown
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await round()
        failure = undefined
      } catch (error) {
        failure = error
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await running
      if (failure !== undefined) throw failure
    },
  }
}
