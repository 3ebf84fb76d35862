import type { RunningCaches } from '../kube/caches.ts'
import type { Controller, SingletonController } from '../kube/controller.ts'
import type { RunningEventRecorder } from '../kube/event-recorder.ts'
import { acquireLeadership, type Leadership, type LeaderElectionOptions } from '../kube/leader-election.ts'
import type { Logger } from '../kube/logger.ts'
import type { Metrics } from '../kube/metrics.ts'
import { type Runtime, startControllers } from '../kube/runtime.ts'
import type { Clock } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import type { WriteGate } from './write-gate.ts'

export interface LifecycleOptions {
  readonly caches: RunningCaches
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly recorder: RunningEventRecorder
  readonly gate: WriteGate
  /** Absent: act without a lease. */
  readonly election?: LeaderElectionOptions
  /** Watch before leading, so that taking over is quick. */
  readonly warmUp: boolean
  readonly graceMs: number
  /** Waits until the cluster has what is watched. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  /** Waits for all else that the controllers are made from, while the first lists are read. */
  readonly prepare: (signal: AbortSignal) => Promise<void>
  /** Everything that acts; called once, after `prepare`. */
  readonly controllers: () => readonly (Controller | SingletonController)[]
  /** Called once leadership is won, before the controllers start. */
  readonly leading: () => Promise<void>
  /** Called once the caches have been read, before the controllers work on what they hold. */
  readonly beforeWork?: (signal: AbortSignal) => Promise<void>
  /** Called when everything has ended. */
  readonly stopped: () => void
}

/** How long a stop waits for events that are still to be sent. */
const flushMaxMs = 3_000

export type RunningState = 'starting' | 'waiting for the lease' | 'running' | 'stopping' | 'stopped'

/** From start to end: checks, lease, caches, controllers; then the same backwards. */
export class Lifecycle {
  /** Resolves when the controllers run. Rejects when it ended before. */
  readonly started: Promise<void>
  /** Resolves when all has ended: after `stop`, or because the lease was lost. Rejects when starting failed. */
  readonly finished: Promise<'stopped' | 'lost'>
  readonly #options: LifecycleOptions
  readonly #stopping = new AbortController()
  readonly #watching = new AbortController()
  #state: RunningState = 'starting'
  #runtime: Runtime | undefined
  #leadership: Leadership | undefined

  constructor(options: LifecycleOptions) {
    this.#options = options
    const started = Promise.withResolvers<void>()
    this.started = started.promise
    this.started.catch(() => undefined)
    this.finished = this.#run(started.resolve).finally(() =>
      started.reject(new Error('the operator ended before it had started')),
    )
    this.finished.catch(() => undefined)
  }

  get state(): RunningState {
    return this.#state
  }

  /** Whether every cache asked for has been read. */
  get cachesSynced(): boolean {
    return this.#options.caches.pending.length === 0
  }

  /** Number of reconciliations running now. */
  get active(): number {
    return this.#runtime?.active ?? 0
  }

  /** Whether nothing runs and nothing waits to run now. */
  get idle(): boolean {
    return this.#runtime?.idle ?? true
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('asked to stop'))
    await this.finished.catch(() => undefined)
  }

  async #run(onStarted: () => void): Promise<'stopped' | 'lost'> {
    const { caches, log, warmUp, election } = this.#options
    const stopping = this.#stopping.signal
    // Whoever waits for no lease has nothing to hold the first lists back for.
    const watchesAtOnce = warmUp || election === undefined
    let outcome: 'stopped' | 'lost' = 'stopped'
    try {
      await this.#options.ready(stopping)
      if (watchesAtOnce) caches.start(this.#watching.signal)
      await this.#options.prepare(stopping)
      const controllers = this.#options.controllers()
      await this.#takeTurn(stopping)
      if (!watchesAtOnce) caches.start(this.#watching.signal)
      const { lost } = this.#leadership ?? {}
      const over = Promise.race([
        aborted(stopping).then(() => 'stopped' as const),
        aborted(lost).then(() => 'lost' as const),
      ])
      const isOver = (): boolean => stopping.aborted || lost?.aborted === true
      // Not waited for when it is over: it reads from AWS, for as long as that does not answer.
      await Promise.race([this.#options.leading(), over])
      if (!isOver()) {
        this.#runtime = startControllers(this.#options, controllers, lost)
        await Promise.race([this.#runtime.started, over])
      }
      if (!isOver()) {
        this.#state = 'running'
        onStarted()
        log.info({ controllers: controllers.length }, 'controllers started')
      }
      outcome = await over
    } catch (error) {
      if (!stopping.aborted) throw error
    } finally {
      await this.#wind(outcome)
    }
    return outcome
  }

  async #takeTurn(stopping: AbortSignal): Promise<void> {
    const { election, gate } = this.#options
    if (election !== undefined) {
      this.#state = 'waiting for the lease'
      this.#leadership = await acquireLeadership(election, stopping)
      // Who leads is not ready before it has read the cluster, however long that takes.
      this.#state = 'starting'
    }
    gate.open(this.#leadership)
  }

  /** Work in progress is finished before the lease goes, so that the next leader never meets it. */
  async #wind(outcome: 'stopped' | 'lost'): Promise<void> {
    const { caches, gate, recorder, graceMs, log } = this.#options
    this.#state = 'stopping'
    log.info({ reason: outcome }, 'stopping')
    await this.#runtime?.stop(outcome === 'lost' ? 0 : graceMs)
    // Timers of the cloud's own would write after the lease has gone.
    this.#options.stopped()
    if (outcome === 'stopped') await this.#flushEvents(recorder)
    gate.close()
    await this.#leadership?.release()
    this.#watching.abort(new Error('stopped'))
    await caches.stopped()
    this.#state = 'stopped'
  }

  /** Events are worth a short wait, not a stop that hangs on an API server that is gone. */
  async #flushEvents(recorder: RunningEventRecorder): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = this.#options.clock.schedule(flushMaxMs, late.resolve)
    await Promise.race([recorder.flush(), late.promise])
    timer.cancel()
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined) return
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
