import type {
  ClientCall,
  Fault,
  FaultInjection,
  WatchMessage,
  WatchDelivery,
} from '../../src/embedded/apiserver/index.ts'
import type { PlacementObserver } from '../../src/operator/solver/index.ts'

type Decided = Parameters<PlacementObserver>[0]

/** Operators of one run count from 1. */
type OnCall = (call: ClientCall, operator: number) => Fault | undefined
type OnWatchMessage = (
  call: ClientCall,
  message: WatchMessage,
  operator: number,
) => WatchDelivery | Promise<WatchDelivery>

/** Faults of the operators' API calls that come and go while they run; the first that has something to say wins. */
export class ApiHooks {
  readonly #calls = new Set<OnCall>()
  readonly #messages = new Set<OnWatchMessage>()
  readonly #logObservers = new Set<(text: string) => void>()
  readonly #observers = new Set<(call: ClientCall) => void>()
  readonly #outcomeObservers = new Set<(call: ClientCall, error: unknown) => void>()
  readonly #placementObservers = new Set<PlacementObserver>()

  /** Sees every call before any fault. */
  observe(observer: (call: ClientCall) => void): void {
    this.#observers.add(observer)
  }

  /** Sees every line that an operator logs. */
  observeLog(observer: (text: string) => void): void {
    this.#logObservers.add(observer)
  }

  readonly onLogLine = (text: string): void => {
    for (const observer of this.#logObservers) observer(text)
  }

  /** Sees how every call ended; undefined when it went well. */
  observeOutcome(observer: (call: ClientCall, error: unknown) => void): void {
    this.#outcomeObservers.add(observer)
  }

  /** Sees every placement that an operator decides on. */
  observePlacement(observer: PlacementObserver): void {
    this.#placementObservers.add(observer)
  }

  readonly onPlacement = (decided: Decided): void => {
    for (const observer of this.#placementObservers) observer(decided)
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

  /** What goes wrong for one operator. */
  of(operator: number): FaultInjection {
    return {
      onCall: (call) => this.#onCall(call, operator),
      onOutcome: (call, error) => {
        for (const observer of this.#outcomeObservers) observer(call, error)
      },
      onWatchMessage: (call, message) => this.#onWatchMessage(call, message, operator),
    }
  }

  #onCall(call: ClientCall, operator: number): Fault | undefined {
    for (const observer of this.#observers) observer(call)
    for (const hook of this.#calls) {
      const fault = hook(call, operator)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #onWatchMessage(call: ClientCall, message: WatchMessage, operator: number): WatchDelivery | Promise<WatchDelivery> {
    for (const hook of this.#messages) {
      const outcome = hook(call, message, operator)
      const passes = Array.isArray(outcome) && outcome.length === 1 && outcome[0] === message
      if (!passes) return outcome
    }
    return [message]
  }
}

export function isWrite({ verb }: ClientCall): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch'
}
