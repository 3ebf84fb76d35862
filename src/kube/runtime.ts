import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import type {
  Caches,
  Controller,
  RateLimit,
  ReconcileContext,
  ReconcileResult,
  SingletonController,
} from './controller.ts'
import { singleton, TerminalError } from './controller.ts'
import { runAsController } from './current-controller.ts'
import { askedWaitMs } from './errors.ts'
import { isHeldBack } from './fenced-client.ts'
import { LazyLogger, type Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { defineRuntimeMetrics, type ControllerObserver } from './runtime-metrics.ts'
import type { ObjectKey } from './resource.ts'
import { WorkQueue } from './work-queue.ts'

export interface RuntimeDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
  /** Called once the caches have been read, before anybody works on what they hold. */
  readonly beforeWork?: (signal: AbortSignal) => Promise<void>
}

export interface Runtime {
  /** Resolves once the caches have been read and every controller runs. */
  readonly started: Promise<void>
  /** Number of reconciliations running now. */
  readonly active: number
  /** Whether nothing runs and nothing waits to run now; delayed keys do not count. */
  readonly idle: boolean
  /** Takes no more work and waits for what runs, at most so long; then aborts it. Resolves when nothing runs any more. */
  stop(graceMs: number): Promise<void>
}

/** controller-runtime's default: 5 ms doubling to 1000 s per key, and ten retries a second over all keys. */
const defaultRateLimit: RateLimit = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 }

/** No watch wakes a loop: what it looks after would lie for a quarter of an hour and more after an outage that has long ended. */
const loopRateLimit: RateLimit = { baseMs: 5, maxMs: 60_000 }

/** What an observer would have done is looked at again now and then, not as a failure that is retried. */
const observeAgainMs = 60_000

/** After so many keys everything else has its turn, or a thousand pods at once would starve health probes. */
const keysPerTurn = 32

/** Runs controllers until stopped. When `lost` aborts, running reconciliations are aborted at once. */
export function startControllers(
  deps: RuntimeDeps,
  controllers: readonly (Controller | SingletonController)[],
  lost?: AbortSignal,
): Runtime {
  const abort = new AbortController()
  const metrics = deps.metrics === undefined ? undefined : defineRuntimeMetrics(deps.metrics)
  // A line more or less, or another log level, leaves a seeded run what it is.
  const forIDs = { ...deps, random: deps.random.fork('reconcileIDs') }
  const stopped = new AbortController()
  const signals = { signal: abort.signal, stopping: stopped.signal }
  const running = controllers.map(
    (controller) => new RunningController(forIDs, controller, signals, metrics?.forController),
  )
  const onLost = (): void => {
    stopped.abort(lost?.reason)
    for (const controller of running) controller.close()
    abort.abort(lost?.reason)
  }
  if (lost?.aborted === true) onLost()
  lost?.addEventListener('abort', onLost, { once: true })

  for (const controller of running) controller.subscribe(deps.caches)
  const started = deps.caches
    .synced(stopped.signal)
    .then(() => deps.beforeWork?.(stopped.signal))
    .then(() => {
      for (const controller of running) controller.open()
    })
    .catch((error: unknown) => {
      if (!stopped.signal.aborted) throw error
    })

  return {
    started,
    get active() {
      return running.reduce((sum, controller) => sum + controller.active, 0)
    },
    get idle() {
      return running.every((controller) => controller.active === 0 && controller.waiting === 0)
    },
    async stop(graceMs) {
      stopped.abort(new Error('stopped'))
      for (const controller of running) controller.close()
      const timer = deps.clock.schedule(graceMs, () => abort.abort(new Error('stopped: the grace period is over')))
      await Promise.all(running.map((controller) => controller.finished()))
      timer.cancel()
      abort.abort(new Error('stopped'))
      lost?.removeEventListener('abort', onLost)
    },
  }
}

class RunningController {
  readonly #deps: RuntimeDeps
  readonly #controller: Controller | SingletonController
  readonly #queue: WorkQueue
  readonly #observer: ControllerObserver | undefined
  readonly #signals: Pick<ReconcileContext, 'signal' | 'stopping'>
  readonly #concurrency: number
  readonly #unsubscribe: (() => void)[] = []
  readonly #whenIdle: (() => void)[] = []
  #state: 'waiting' | 'open' | 'closed' = 'waiting'
  #active = 0
  #pumping = false
  #pausing = false
  /** Keys so far. */
  #taken = 0

  constructor(
    deps: RuntimeDeps,
    controller: Controller | SingletonController,
    signals: Pick<ReconcileContext, 'signal' | 'stopping'>,
    observerOf: ((name: string, concurrency: number) => ControllerObserver) | undefined,
  ) {
    this.#deps = deps
    this.#controller = controller
    this.#signals = signals
    this.#concurrency = 'sources' in controller ? controller.concurrency : 1
    this.#observer = observerOf?.(controller.name, this.#concurrency)
    const rateLimit = controller.rateLimit ?? ('sources' in controller ? defaultRateLimit : loopRateLimit)
    this.#queue = new WorkQueue(deps.clock, rateLimit, {
      ...(this.#observer === undefined ? {} : { observer: this.#observer.queue }),
      random: deps.random.fork(`back-off/${controller.name}`),
    })
    this.#queue.whenReady(() => this.#pump())
    this.#observer?.follow({
      depth: () => this.#queue.length,
      active: () => this.#active,
      unfinished: () => this.#queue.unfinished(),
    })
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Objects that the caches hold already count as added. */
  subscribe(caches: Caches): void {
    for (const trigger of this.#controller.triggers ?? []) {
      this.#unsubscribe.push(trigger((key) => this.#queue.add(key)))
    }
    if (!('sources' in this.#controller)) {
      this.#queue.add(singleton)
      return
    }
    for (const { resource, toKeys } of this.#controller.sources) {
      const cache = caches.of(resource)
      const enqueue = (keys: readonly ObjectKey[]): void => keys.forEach((key) => this.#queue.add(key))
      this.#unsubscribe.push(cache.subscribe((change) => enqueue(toKeys(change))))
      for (const object of cache.list()) enqueue(toKeys({ kind: 'added', after: object }))
    }
  }

  open(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'open'
    this.#pump()
  }

  close(): void {
    this.#state = 'closed'
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
    this.#queue.close()
  }

  finished(): Promise<void> {
    return this.#active === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** In a microtask, so that a reconciliation never runs inside whatever added its key. */
  #pump(): void {
    if (this.#pumping || this.#state !== 'open') return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      while (this.#state === 'open' && this.#active < this.#concurrency && !this.#pausing) {
        const key = this.#queue.take()
        if (key === undefined) return
        this.#taken += 1
        if (this.#taken % keysPerTurn === 0) this.#pause()
        this.#active++
        void this.#work(key)
      }
    })
  }

  #pause(): void {
    this.#pausing = true
    this.#deps.clock.schedule(0, () => {
      this.#pausing = false
      this.#pump()
    })
  }

  async #work(key: ObjectKey): Promise<void> {
    const log = new LazyLogger(() => this.#logOf(key))
    const startedAt = this.#deps.clock.monotonicMs()
    const seconds = (): number => (this.#deps.clock.monotonicMs() - startedAt) / 1000
    try {
      const result = await this.#reconcile(key, { log, ...this.#signals })
      this.#observer?.reconciled(resultLabels[result.kind], seconds())
      this.#schedule(key, result)
    } catch (error) {
      this.#observer?.reconciled('error', seconds())
      if (this.#isAborted(error)) log.debug({ err: error }, 'reconcile aborted')
      else this.#failed(key, error, log)
    } finally {
      this.#queue.done(key)
      this.#active--
      if (this.#active === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
      this.#pump()
    }
  }

  #isAborted(error: unknown): boolean {
    const { signal, stopping } = this.#signals
    return signal.aborted || (stopping.aborted && error === stopping.reason)
  }

  #reconcile(key: ObjectKey, context: ReconcileContext): Promise<ReconcileResult> {
    const controller = this.#controller
    return runAsController(controller.name, () =>
      'sources' in controller ? controller.reconcile(key, context) : controller.reconcile(context),
    )
  }

  #schedule(key: ObjectKey, result: ReconcileResult): void {
    switch (result.kind) {
      case 'done':
        this.#queue.forget(key)
        return
      case 'requeue':
        this.#queue.forget(key)
        this.#queue.addAfter(key, result.afterMs, result.unless)
        return
      case 'backOff':
        this.#queue.addRateLimited(key)
    }
  }

  #failed(key: ObjectKey, error: unknown, log: Logger): void {
    if (isHeldBack(error)) {
      log.info({ err: error }, 'write held back in observe mode')
      this.#queue.forget(key)
      this.#queue.addAfter(key, observeAgainMs)
      return
    }
    log.error({ err: error }, 'Reconciler error')
    if (error instanceof TerminalError) {
      this.#observer?.terminalError()
      this.#queue.forget(key)
    } else {
      this.#queue.addRateLimited(key, askedWaitMs(error))
    }
  }

  #logOf(key: ObjectKey): Logger {
    const controller = this.#controller
    const namespace = key.namespace ?? ''
    const fields: Record<string, unknown> = { controller: controller.name }
    if ('kind' in controller && controller.kind !== undefined) {
      const { group, kind } = controller.kind
      fields['controllerGroup'] = group
      fields['controllerKind'] = kind
      fields[kind] = namespace === '' ? { name: key.name } : { name: key.name, namespace }
    }
    fields['namespace'] = namespace
    fields['name'] = key.name
    // Drawn by whoever writes a line: most reconciliations write none.
    let id: string | undefined
    const { random, log } = this.#deps
    Object.defineProperty(fields, 'reconcileID', { enumerable: true, get: () => (id ??= random.uuid()) })
    return log.child(fields)
  }
}

const resultLabels = { done: 'success', requeue: 'requeue_after', backOff: 'requeue' } as const
