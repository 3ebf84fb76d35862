import type { Clock, Timer } from '../../model/clock.ts'

export interface PodBatcherOptions {
  /** The batch ends when nothing new has come for so long. */
  readonly idleMs: number
  /** It ends at the latest so long after its first trigger. */
  readonly maxMs: number
}

/** Gathers triggers into windows, so that pods that come together are planned together. */
export class PodBatcher {
  readonly #clock: Clock
  readonly #options: PodBatcherOptions
  /** UIDs since the last window ended: each counts once. */
  readonly #seen = new Set<string>()
  #onTrigger: () => void = () => undefined
  #onFirst: () => void = () => undefined

  constructor(clock: Clock, options: PodBatcherOptions) {
    this.#clock = clock
    this.#options = options
  }

  trigger(uid: string): void {
    if (this.#seen.has(uid)) return
    this.#seen.add(uid)
    if (this.#seen.size === 1) this.#onFirst()
    this.#onTrigger()
  }

  /** Tells of the first trigger since the last window ended: somebody should ask for a window. */
  whenTriggered(run: () => void): void {
    this.#onFirst = run
  }

  /** Resolves with true when the window has ended that the triggers so far began; with false when there are none. */
  async window(signal: AbortSignal): Promise<boolean> {
    if (this.#seen.size === 0) return false
    await this.#end(signal)
    this.#seen.clear()
    return true
  }

  #end(signal: AbortSignal): Promise<void> {
    return this.#until(signal, (resolve) => {
      const hard = this.#clock.schedule(this.#options.maxMs, resolve)
      let idle: Timer = this.#clock.schedule(this.#options.idleMs, resolve)
      this.#onTrigger = () => {
        idle.cancel()
        idle = this.#clock.schedule(this.#options.idleMs, resolve)
      }
      return () => {
        hard.cancel()
        idle.cancel()
      }
    })
  }

  #until(signal: AbortSignal, start: (resolve: () => void) => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const finish = (): void => {
        cleanUp()
        this.#onTrigger = () => undefined
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        finish()
        reject(signal.reason)
      }
      const cleanUp = start(() => {
        finish()
        resolve()
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
