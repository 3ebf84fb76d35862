import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Says when the process has more to do than it can answer in time, so that the excess gets a quick, retryable refusal. */
export interface LoadGauge {
  /** Whether one more review may be taken on; `leave` must follow when it was. */
  enter(): boolean
  leave(): void
  readonly inFlight: number
  close(): void
}

export interface LoadLimits {
  /** Reviews held at once. A review takes well under a millisecond, so this many are tens of milliseconds of work. */
  readonly inFlightMax: number
  /** How late the event loop may run before new work is refused; below the 100 ms within which the refusal must be out. */
  readonly delayMaxMs: number
}

export const defaultLoadLimits: LoadLimits = { inFlightMax: 512, delayMaxMs: 80 }

/** The delay is looked at over the last window, so that one long pause does not refuse for ever. */
const windowMs = 200

export function createLoadGauge(limits: LoadLimits = defaultLoadLimits): LoadGauge {
  const histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    delayMs = histogram.percentile(90) / 1e6 - 10
    histogram.reset()
  }, windowMs)
  timer.unref()
  let inFlight = 0
  return {
    enter() {
      if (inFlight >= limits.inFlightMax || delayMs > limits.delayMaxMs) return false
      inFlight += 1
      return true
    },
    leave() {
      inFlight -= 1
    },
    get inFlight() {
      return inFlight
    },
    close() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
