import type { Counter, Histogram, MetricLabels, Metrics } from '../../../kube/metrics.ts'
import type { AWSService } from './rate-limits.ts'

export interface FinishedCall {
  readonly service: AWSService
  readonly action: string
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  readonly attempts: number
  readonly durationMs: number
}

export type FinishedAttempt = Omit<FinishedCall, 'attempts'>

/** Counts and times calls to AWS, under the names that dashboards of Karpenter read. */
export class CallObserver {
  readonly #requests: Counter
  readonly #attempts: Counter
  readonly #duration: Histogram
  readonly #attemptDuration: Histogram
  readonly #retries: Histogram

  constructor(metrics: Metrics) {
    const labels = ['service', 'action', 'status_code']
    const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    this.#requests = metrics.counter({ name: 'aws_sdk_go_request_total', help: 'Calls to AWS.', labels })
    this.#attempts = metrics.counter({
      name: 'aws_sdk_go_request_attempt_total',
      help: 'Attempts of calls to AWS, repeated ones included.',
      labels,
    })
    this.#duration = metrics.histogram({
      name: 'aws_sdk_go_request_duration_seconds',
      help: 'How long calls to AWS took, waits between attempts included.',
      labels,
      buckets,
    })
    this.#attemptDuration = metrics.histogram({
      name: 'aws_sdk_go_request_attempt_duration_seconds',
      help: 'How long each attempt of a call to AWS took.',
      labels,
      buckets,
    })
    this.#retries = metrics.histogram({
      name: 'aws_sdk_go_request_retry_count',
      help: 'How often a call to AWS was repeated.',
      labels: ['service', 'action'],
      buckets: [0, 1, 2, 3, 4, 5],
    })
  }

  finished(call: FinishedCall): void {
    const labels = labelsOf(call)
    this.#requests.increment(labels)
    this.#duration.observe(labels, call.durationMs / 1_000)
    this.#retries.observe({ service: call.service, action: call.action }, call.attempts - 1)
  }

  attempted(attempt: FinishedAttempt): void {
    const labels = labelsOf(attempt)
    this.#attempts.increment(labels)
    this.#attemptDuration.observe(labels, attempt.durationMs / 1_000)
  }
}

function labelsOf({ service, action, status }: FinishedAttempt): MetricLabels {
  return { service, action, status_code: String(status) }
}
