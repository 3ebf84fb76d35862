import type { Clock, Timer } from '../../model/clock.ts'

export interface BatcherOptions {
  /** The batch ends when nothing new has come for so long. */
  readonly idleMs: number
  /** It ends at the latest so long after its first trigger. */
  readonly maxMs: number
}

/** How long one wait for a first trigger lasts; then the loop looks whether it should stop. */
const firstTriggerWaitMs = 1_000

/** Gathers triggers into windows, so that pods that come together are planned together. */
export class Batcher {
  readonly #clock: Clock
  readonly #options: BatcherOptions
  /** UIDs since the last window ended: each counts once. */
  readonly #seen = new Set<string>()
  #onTrigger: () => void = () => undefined

  constructor(clock: Clock, options: BatcherOptions) {
    this.#clock = clock
    this.#options = options
  }

  trigger(uid: string): void {
    if (this.#seen.has(uid)) return
    this.#seen.add(uid)
    this.#onTrigger()
  }

  /** Resolves with true when a window has ended, with false when none has begun for a while. */
  async window(signal: AbortSignal): Promise<boolean> {
    if (this.#seen.size === 0 && !(await this.#first(signal))) return false
    await this.#end(signal)
    this.#seen.clear()
    return true
  }

  #first(signal: AbortSignal): Promise<boolean> {
    return this.#until(signal, (resolve) => {
      const timer = this.#clock.schedule(firstTriggerWaitMs, () => resolve(false))
      this.#onTrigger = () => resolve(true)
      return () => timer.cancel()
    })
  }

  async #end(signal: AbortSignal): Promise<boolean> {
    return this.#until(signal, (resolve) => {
      const hard = this.#clock.schedule(this.#options.maxMs, () => resolve(true))
      let idle: Timer = this.#clock.schedule(this.#options.idleMs, () => resolve(true))
      this.#onTrigger = () => {
        idle.cancel()
        idle = this.#clock.schedule(this.#options.idleMs, () => resolve(true))
      }
      return () => {
        hard.cancel()
        idle.cancel()
      }
    })
  }

  #until(signal: AbortSignal, start: (resolve: (value: boolean) => void) => () => void): Promise<boolean> {
    return new Promise<boolean>((resolve, reject) => {
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
      const cleanUp = start((value) => {
        finish()
        resolve(value)
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
