import type { AWSCallOptions } from '../../cloud/aws/clients.ts'
import type { Clock } from '../../model/clock.ts'
import { Pace, type TimeHold } from '../pace.ts'

export interface AWSCall {
  readonly service: string
  /** As in an IAM policy, without the service: `CreateFleet`. */
  readonly action: string
  readonly input: unknown
}

/** What an interceptor wants done to a call. */
export type Fault =
  | { readonly kind: 'fail'; readonly error: Error }
  /** The effect happens, the answer is lost. */
  | { readonly kind: 'failAfterEffect'; readonly error: Error }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'answer'; readonly output: unknown }
  /** The effect happens, and the answer is what is made of it. */
  | { readonly kind: 'change'; readonly by: (output: unknown) => unknown }

/** Asked for every call; undefined lets it pass. */
export type Interceptor = (call: AWSCall) => Fault | undefined

/** Told how a call ended for its caller; undefined when it went well. */
export type OutcomeObserver = (call: AWSCall, error: unknown) => void

/** Lists of AWS are long: nearly each call gets a turn of its own. */
const callUnits = 32

/** Where faults are injected, and where calls are counted. */
export class FaultInjector {
  readonly #interceptors = new Set<Interceptor>()
  readonly #observers = new Set<OutcomeObserver>()
  readonly #counts = new Map<string, number>()
  readonly #clock: Clock
  readonly #pace: Pace

  constructor(clock: Clock, pace?: TimeHold) {
    this.#clock = clock
    this.#pace = new Pace(pace)
  }

  /** Returns how to take it out again. */
  add(interceptor: Interceptor): () => void {
    this.#interceptors.add(interceptor)
    return () => {
      this.#interceptors.delete(interceptor)
    }
  }

  observe(observer: OutcomeObserver): void {
    this.#observers.add(observer)
  }

  /** Calls so far, by `service:action`. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  async call<Output>(
    call: AWSCall,
    options: AWSCallOptions | undefined,
    effect: () => Output | Promise<Output>,
  ): Promise<Output> {
    const name = `${call.service}:${call.action}`
    this.#counts.set(name, this.count(name) + 1)
    try {
      const output = await this.#attempt(call, options, effect)
      for (const observer of this.#observers) observer(call, undefined)
      return output
    } catch (error) {
      for (const observer of this.#observers) observer(call, error)
      throw error
    }
  }

  async #attempt<Output>(
    call: AWSCall,
    options: AWSCallOptions | undefined,
    effect: () => Output | Promise<Output>,
  ): Promise<Output> {
    options?.signal?.throwIfAborted()
    let lost: Error | undefined
    let change = (output: unknown): unknown => output
    for (const interceptor of this.#interceptors) {
      const fault = interceptor(call)
      switch (fault?.kind) {
        case 'delay':
          await this.#clock.sleep(fault.ms, options?.signal)
          break
        case 'fail':
          throw fault.error
        case 'failAfterEffect':
          lost = fault.error
          break
        case 'answer':
          return fault.output as Output
        case 'change':
          change = fault.by
          break
        case undefined:
          break
      }
    }
    const turn = this.#pace.enter(callUnits)
    if (turn !== undefined) await turn
    const output = await effect()
    if (lost !== undefined) throw lost
    return change(output) as Output
  }
}
