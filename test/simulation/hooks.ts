import type { ClientCall, Fault, FaultInjection } from '../../src/embedded/apiserver/index.ts'

type OnCall = NonNullable<FaultInjection['onCall']>
type OnWatchMessage = NonNullable<FaultInjection['onWatchMessage']>

/** Faults of the operator's API calls that come and go while it runs; the first that has something to say wins. */
export class ApiHooks implements FaultInjection {
  readonly #calls = new Set<OnCall>()
  readonly #messages = new Set<OnWatchMessage>()
  readonly #logObservers = new Set<(text: string) => void>()
  readonly #observers = new Set<(call: ClientCall) => void>()

  /** Sees every call before any fault. */
  observe(observer: (call: ClientCall) => void): void {
    this.#observers.add(observer)
  }

  /** Sees every line that the operator logs. */
  observeLog(observer: (text: string) => void): void {
    this.#logObservers.add(observer)
  }

  readonly onLogLine = (text: string): void => {
    for (const observer of this.#logObservers) observer(text)
  }

  addCall(hook: OnCall): () => void {
    this.#calls.add(hook)
    return () => {
      this.#calls.delete(hook)
    }
  }

  addMessage(hook: OnWatchMessage): () => void {
    this.#messages.add(hook)
    return () => {
      this.#messages.delete(hook)
    }
  }

  readonly onCall = (call: ClientCall): Fault | undefined => {
    for (const observer of this.#observers) observer(call)
    for (const hook of this.#calls) {
      const fault = hook(call)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  readonly onWatchMessage: OnWatchMessage = (call, message) => {
    for (const hook of this.#messages) {
      const outcome = hook(call, message)
      if (outcome instanceof Error || outcome.length !== 1 || outcome[0] !== message) return outcome
    }
    return [message]
  }
}

export function isWrite({ verb }: ClientCall): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch'
}
