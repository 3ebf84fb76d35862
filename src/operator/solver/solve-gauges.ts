import type { ControllerMetrics } from '../../controllers/metric-table.ts'
import type { Clock } from '../../model/clock.ts'

export interface SolveGaugesDeps {
  readonly clock: Clock
  readonly metrics: Pick<ControllerMetrics, 'schedulerQueueDepth' | 'schedulerUnfinishedWork'>
}

/** A solve that is under way. */
export interface RunningSolve {
  onProgress(queued: number): void
  /** To be called when it has ended, however it did. */
  end(): void
}

/** How far a controller's solves have come, each under an id of its own. */
export class SolveGauges {
  readonly #controller: string
  readonly #deps: SolveGaugesDeps
  #begun = 0

  constructor(controller: string, deps: SolveGaugesDeps) {
    this.#controller = controller
    this.#deps = deps
  }

  /** `startedAt`: monotonic. The depth of earlier solves goes now, so that a scrape between two sees how the last one ended. */
  begin(startedAt: number): RunningSolve {
    const { clock, metrics } = this.#deps
    const controller = this.#controller
    this.#begun += 1
    const labels = { controller, scheduling_id: String(this.#begun) }
    metrics.schedulerQueueDepth.removeMatching({ controller })
    return {
      onProgress: (queued) => {
        metrics.schedulerQueueDepth.set(labels, queued)
        metrics.schedulerUnfinishedWork.set(labels, (clock.monotonicMs() - startedAt) / 1_000)
      },
      end: () => metrics.schedulerUnfinishedWork.remove(labels),
    }
  }
}
