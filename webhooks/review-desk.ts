import type { Logger } from '../src/kube/logger.ts'
import type { Counter, Histogram, Metrics } from '../src/kube/metrics.ts'
import type { ClientStanding } from './client-certificate.ts'
import { createLoadGauge, type LoadLimits } from './load-shedding.ts'
import { type ReviewAnswer, type ReviewRequest, readReview, reviewText } from './review.ts'

export const reviewPaths = ['/validate', '/mutate'] as const
export type ReviewPath = (typeof reviewPaths)[number]

export interface ReviewDeskOptions {
  /** A promise only where something has to be waited for: the turns of the event loop that one takes are a part of the answer's cost. */
  readonly validate: (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer>
  readonly mutate: (request: ReviewRequest) => ReviewAnswer
  readonly log: Logger
  readonly metrics?: WebhookMetrics
  readonly limits?: LoadLimits
  /** Of the peer of a connection; absent where anybody may ask. */
  readonly standing?: (connection: object) => ClientStanding
}

interface WebhookMetrics {
  /** Labels: path, outcome (allowed, denied, malformed, shed, unauthorized, failed). */
  readonly reviews: Counter
  /** Labels: path. Seconds. */
  readonly duration: Histogram
}

export function reviewMetrics(metrics: Pick<Metrics, 'counter' | 'histogram'>): WebhookMetrics {
  return {
    reviews: metrics.counter({
      name: 'joinery_webhook_reviews_total',
      help: 'Admission reviews by path and outcome.',
      labels: ['path', 'outcome'],
    }),
    duration: metrics.histogram({
      name: 'joinery_webhook_review_duration_seconds',
      help: 'Time to answer an admission review.',
      labels: ['path'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    }),
  }
}

/** What is sent back: the status and a JSON text. A 429 may be asked again after a second. */
export interface Answer {
  readonly status: 200 | 400 | 401 | 403 | 429 | 500
  readonly text: string
  /** Nothing more is answered on the connection. */
  readonly isLast: boolean
}

/** Where reviews are taken on, judged, counted and, when there are too many, turned away; whichever way they came in. */
export interface ReviewDesk {
  /** The refusal, when a review that is found now on this connection should not even be read; it then counts as sent. */
  turnAway(path: ReviewPath, connection: object): Answer | undefined
  /** The same, of a peer who may not ask at all. */
  turnAwayStranger(path: ReviewPath, connection: object): Answer | undefined
  /** The refusal of a review whose body takes too much memory; undefined for what is no path of a review. */
  refuseBody(path: ReviewPath | undefined): Answer
  /** `body`: parsed JSON. Never throws or rejects. */
  answer(path: ReviewPath, body: unknown, connection: object): Answer | Promise<Answer>
}

export const jsonContent = 'application/json; charset=utf-8'
export const retryAfterSeconds = '1'

const overloaded: Answer = { status: 429, text: messageText('overloaded, try again'), isLast: false }
const strangers = {
  'without certificate': { status: 401, text: messageText('a client certificate is required'), isLast: true },
  'unknown certificate': { status: 403, text: messageText('the client certificate is not accepted'), isLast: true },
} as const satisfies Readonly<Record<Exclude<ClientStanding, 'known'>, Answer>>

export function createReviewDesk(options: ReviewDeskOptions): ReviewDesk {
  const load = createLoadGauge(options.limits)
  const refuse = (path: ReviewPath): Answer => {
    options.metrics?.reviews.increment({ path, outcome: 'shed' })
    return overloaded
  }
  const decide = { '/validate': options.validate, '/mutate': options.mutate }
  const turnAwayStranger = (path: ReviewPath, connection: object): Answer | undefined => {
    const standing = options.standing?.(connection) ?? 'known'
    if (standing === 'known') return undefined
    options.metrics?.reviews.increment({ path, outcome: 'unauthorized' })
    // Once per connection, since its last answer it is.
    options.log.warn({ path, client: standing, ...addressOf(connection) }, 'refused a review from an unknown client')
    return strangers[standing]
  }
  return {
    turnAway: (path, connection) =>
      turnAwayStranger(path, connection) ?? (load.isOverloaded(connection) ? refuse(path) : undefined),
    turnAwayStranger,
    refuseBody: (path) => ({ ...(path === undefined ? overloaded : refuse(path)), isLast: true }),
    answer(path, body, connection) {
      if (!load.enter(connection)) return refuse(path)
      const started = performance.now()
      const settled = (outcome: string, answer: Answer): Answer => {
        load.leave(connection)
        options.metrics?.reviews.increment({ path, outcome })
        options.metrics?.duration.observe({ path }, (performance.now() - started) / 1000)
        return answer
      }
      const failed = (error: unknown): Answer => {
        options.log.error({ err: error, path }, 'admission request failed')
        return settled('failed', { status: 500, text: messageText('internal error'), isLast: false })
      }
      const review = readReview(body)
      if (review.kind === 'malformed') {
        return settled('malformed', { status: 400, text: messageText(review.message), isLast: false })
      }
      const { uid } = review.request
      const answered = (decided: ReviewAnswer): Answer =>
        settled(decided.allowed ? 'allowed' : 'denied', { status: 200, text: reviewText(uid, decided), isLast: false })
      try {
        const decided = decide[path](review.request)
        return decided instanceof Promise ? decided.then(answered).catch(failed) : answered(decided)
      } catch (error) {
        return failed(error)
      }
    },
  }
}

function addressOf(connection: object): object {
  return 'remoteAddress' in connection ? { 'remote-address': connection.remoteAddress } : {}
}

function messageText(message: string): string {
  return JSON.stringify({ message })
}

export function headersOf({ status, text, isLast }: Answer): Record<string, string | number> {
  return {
    'content-type': jsonContent,
    'content-length': Buffer.byteLength(text),
    ...(status === 429 ? { 'retry-after': retryAfterSeconds } : {}),
    ...(isLast ? { connection: 'close' } : {}),
  }
}
