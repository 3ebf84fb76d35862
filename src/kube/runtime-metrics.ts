import type { Metrics } from './metrics.ts'
import type { UnfinishedWork, WorkQueueObserver } from './work-queue.ts'

/** controller-runtime's and client-go's families, under the names and buckets that existing dashboards read. */
export interface RuntimeMetrics {
  readonly forController: (name: string, concurrency: number) => ControllerObserver
}

export interface ControllerObserver {
  readonly queue: WorkQueueObserver
  reconciled(result: 'success' | 'requeue' | 'requeue_after' | 'error', seconds: number): void
  terminalError(): void
  /** Asked whenever somebody looks at the gauges. */
  follow(work: WorkGauges): void
}

interface WorkGauges {
  /** Keys that wait to be taken. */
  readonly depth: () => number
  /** Reconciliations running now. */
  readonly active: () => number
  readonly unfinished: () => UnfinishedWork
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000]

export function defineRuntimeMetrics(metrics: Metrics): RuntimeMetrics {
  const counter = (name: string, help: string, labels: readonly string[] = ['controller']) =>
    metrics.counter({ name: `controller_runtime_${name}`, help, labels })
  const reconciles = counter('reconcile_total', 'Reconciliations per controller and result.', ['controller', 'result'])
  const errors = counter('reconcile_errors_total', 'Reconciliations that failed.')
  const terminalErrors = counter('terminal_reconcile_errors_total', 'Reconciliations that failed for good.')
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Time per reconciliation.',
    labels: ['controller'],
    buckets: reconcileBuckets,
  })
  const maxConcurrent = metrics.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Most reconciliations a controller runs at once.',
    labels: ['controller'],
  })
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciliations running now.',
    labels: ['controller'],
  })

  const queueLabels = ['controller', 'name']
  const queueCounter = (name: string, help: string) =>
    metrics.counter({ name: `workqueue_${name}`, help, labels: queueLabels })
  const queueGauge = (name: string, help: string) =>
    metrics.gauge({ name: `workqueue_${name}`, help, labels: queueLabels })
  const queueHistogram = (name: string, help: string) =>
    metrics.histogram({ name: `workqueue_${name}`, help, labels: queueLabels, buckets: queueBuckets })
  const depth = queueGauge('depth', 'Keys waiting to be reconciled.')
  const adds = queueCounter('adds_total', 'Keys added.')
  const retries = queueCounter('retries_total', 'Keys added again after a failure.')
  const waited = queueHistogram('queue_duration_seconds', 'Time keys waited.')
  const worked = queueHistogram('work_duration_seconds', 'Time keys were worked on.')
  const unfinishedSum = queueGauge('unfinished_work_seconds', 'Time work in progress has taken so far.')
  const longest = queueGauge('longest_running_processor_seconds', 'Time the longest work in progress has taken.')

  return {
    forController(name, concurrency) {
      const labels = { controller: name }
      const queue = { controller: name, name }
      maxConcurrent.set(labels, concurrency)
      errors.increment(labels, 0)
      terminalErrors.increment(labels, 0)
      const byResult = {
        success: { ...labels, result: 'success' },
        requeue: { ...labels, result: 'requeue' },
        requeue_after: { ...labels, result: 'requeue_after' },
        error: { ...labels, result: 'error' },
      }
      for (const each of Object.values(byResult)) reconciles.increment(each, 0)
      return {
        queue: {
          added: () => adds.increment(queue),
          retried: () => retries.increment(queue),
          taken: (seconds) => waited.observe(queue, seconds),
          finished: (seconds) => worked.observe(queue, seconds),
        },
        reconciled(result, seconds) {
          reconciles.increment(byResult[result])
          if (result === 'error') errors.increment(labels)
          time.observe(labels, seconds)
        },
        terminalError: () => terminalErrors.increment(labels),
        follow(work) {
          depth.set(queue, work.depth)
          active.set(labels, work.active)
          const { unfinished } = work
          unfinishedSum.set(queue, () => unfinished().sumSeconds)
          longest.set(queue, () => unfinished().longestSeconds)
        },
      }
    },
  }
}
