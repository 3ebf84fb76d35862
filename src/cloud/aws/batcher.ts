import type { Histogram } from '../../kube/metrics.ts'
import type { Clock, Timer } from '../../model/clock.ts'

export interface BatcherOptions<Input, Output> {
  /** As the metrics' label names it. */
  readonly name: string
  readonly clock: Clock
  /** The window closes after so long without an arrival, … */
  readonly idleMs: number
  /** … or so long after the first one, … */
  readonly maxMs: number
  /** … or with so many. */
  readonly itemsMax: number
  readonly metrics: BatcherMetrics
  /** Inputs with equal keys share a call. */
  keyOf(input: Input): string
  /** One answer for each input, by position. A rejection goes to all callers. */
  execute(inputs: readonly Input[]): Promise<readonly BatchAnswer<Output>[]>
}

export type BatchAnswer<Output> =
  | { readonly kind: 'value'; readonly value: Output }
  | { readonly kind: 'error'; readonly error: unknown }

export interface BatcherMetrics {
  readonly batchTime: Histogram
  readonly batchSize: Histogram
}

interface Waiting<Input, Output> {
  readonly input: Input
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
}

interface Window<Input, Output> {
  readonly openedAtMs: number
  readonly items: Waiting<Input, Output>[]
  idle: Timer
  readonly deadline: Timer
}

/** Batches of one kind that run at once; more wait. */
const concurrentMax = 100

/** Gathers calls that arrive close together into one request, and gives each caller its own result. */
export class Batcher<Input, Output> {
  readonly #options: BatcherOptions<Input, Output>
  readonly #windows = new Map<string, Window<Input, Output>>()
  readonly #queue: (readonly Waiting<Input, Output>[])[] = []
  #running = 0

  constructor(options: BatcherOptions<Input, Output>) {
    this.#options = options
  }

  add(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf(input)
      const window = this.#windows.get(key) ?? this.#open(key)
      window.items.push({ input, resolve, reject })
      if (window.items.length >= this.#options.itemsMax) {
        this.#close(key)
        return
      }
      window.idle.cancel()
      window.idle = this.#options.clock.schedule(this.#options.idleMs, () => this.#close(key))
    })
  }

  #open(key: string): Window<Input, Output> {
    const { clock, idleMs, maxMs } = this.#options
    const window = {
      openedAtMs: clock.monotonicMs(),
      items: [],
      idle: clock.schedule(idleMs, () => this.#close(key)),
      deadline: clock.schedule(maxMs, () => this.#close(key)),
    }
    this.#windows.set(key, window)
    return window
  }

  #close(key: string): void {
    const window = this.#windows.get(key)
    if (window === undefined) return
    this.#windows.delete(key)
    window.idle.cancel()
    window.deadline.cancel()
    const { name, clock, metrics } = this.#options
    metrics.batchTime.observe({ batcher: name }, (clock.monotonicMs() - window.openedAtMs) / 1_000)
    metrics.batchSize.observe({ batcher: name }, window.items.length)
    this.#queue.push(window.items)
    this.#next()
  }

  #next(): void {
    while (this.#running < concurrentMax) {
      const items = this.#queue.shift()
      if (items === undefined) return
      this.#running += 1
      void this.#run(items).finally(() => {
        this.#running -= 1
        this.#next()
      })
    }
  }

  async #run(items: readonly Waiting<Input, Output>[]): Promise<void> {
    let answers: readonly BatchAnswer<Output>[]
    try {
      answers = await this.#options.execute(items.map((item) => item.input))
    } catch (error) {
      for (const item of items) item.reject(error)
      return
    }
    for (const [index, item] of items.entries()) {
      const answer = answers[index]
      if (answer?.kind === 'value') item.resolve(answer.value)
      else item.reject(answer?.error ?? new Error(`${this.#options.name} gave no answer`))
    }
  }
}
