import { currentController } from '../../../src/kube/current-controller.ts'
import { isConflict } from '../../../src/kube/errors.ts'
import { minute } from '../world.ts'
import { LeakyBucket } from './leaky-bucket.ts'
import type { Look, Watcher } from './look.ts'

/** A back-off that doubles from 5 ms reaches ten seconds with the twelfth attempt; some changes beside have it looked at again. */
const attemptsAtOnce = 18
/** Then it waits for ten seconds at least, or somebody had a reason of his own to look again. */
const secondsBetween = { failed: 5, refused: 10 }
/** Calls at AWS that several controllers make together, in batches, count as nobody's. */
const sharedBy = 3
/** Waits that follow a fixed rule for so long were not drawn: with jitter of half a wait that is less than once in 10^8 series. */
const ruledGapsMax = 6
/** What comes back more slowly, and as regularly as a clock, is somebody who looks, not one who tries again. */
const pollMs = 5_000
/** A series that nobody adds to is over. */
const seriesMs = 10 * minute

interface Series {
  readonly subject: string
  readonly bucket: LeakyBucket
  lastAt: number
  lastGap: number
  /** Gaps in a row that were as long as the one before, or twice as long. */
  equal: number
  doubled: number
}

/**
 * I22: a request that failed comes again, unchanged, only as a back-off allows: less and less often, and not by the clock, so that many who
 * failed together do not come back together. One that was refused for what it says (4xx) has half of that: what refuses it, a webhook or a
 * permission, may change, but not within seconds. How often a call is sent below the ports of the operator, under its deadline, is judged
 * where that is done: by the tests of the HTTPS client and of the SDK's configuration.
 */
export function retryWatcher(look: Look): Watcher {
  const series = new Map<string, Series>()
  /** What is being tried again, without what it says, which is long: nearly all calls are of something else. */
  const subjects = new Map<string, number>()

  function forget(key: string, subject: string): void {
    if (!series.delete(key)) return
    const left = (subjects.get(subject) ?? 1) - 1
    if (left === 0) subjects.delete(subject)
    else subjects.set(subject, left)
  }

  function ended(subject: string, text: () => string, error: unknown, callers: number): void {
    const kind = kindOf(error)
    if (kind === 'none' && !subjects.has(subject)) return
    const key = `${currentController()} ${subject} ${text()}`
    if (kind === 'none') {
      forget(key, subject)
      return
    }
    const known = series.get(key)
    const now = look.elapsed
    const current = known !== undefined && now - known.lastAt < seriesMs ? known : begun(kind, callers, subject)
    if (known === undefined) subjects.set(subject, (subjects.get(subject) ?? 0) + 1)
    series.set(key, current)
    if (!current.bucket.takesIn(now)) {
      look.report(
        'I22',
        subject,
        `${kind === 'refused' ? 'was refused' : 'failed'}, and comes again and again unchanged`,
      )
    }
    if (current !== known) return
    const gap = now - known.lastAt
    known.equal = gap > 0 && gap < pollMs && gap === known.lastGap ? known.equal + 1 : 0
    known.doubled = gap > 0 && gap === 2 * known.lastGap ? known.doubled + 1 : 0
    known.lastAt = now
    known.lastGap = gap
    if (known.equal >= ruledGapsMax || known.doubled >= ruledGapsMax)
      look.report('I22', subject, `is tried again by the clock, last after ${gap} ms: its back-off has no jitter`)
  }

  function begun(kind: 'failed' | 'refused', callers: number, subject: string): Series {
    const bucket = new LeakyBucket({ perSecond: callers / secondsBetween[kind], burst: attemptsAtOnce * callers })
    return { subject, bucket, lastAt: look.elapsed, lastGap: 0, equal: 0, doubled: 0 }
  }

  return {
    onOutcome({ verb, resource, namespace = '', name = '', subresource = '', body }, thrown) {
      const isAnswer = verb === 'get' && isNotFound(thrown)
      const error = isAnswer || (look.allowances.readsAreStale && isConflict(thrown)) ? undefined : thrown
      if (error === undefined && series.size === 0) return
      // A watch says nothing that could be wrong, and its end is no failure.
      if (verb === 'watch') return
      const subject = `${verb} ${resource.plural}/${subresource} ${namespace}/${name}`
      ended(subject, () => JSON.stringify(body) ?? '', error, 1)
    },
    onCloudOutcome({ service, action, input }, thrown) {
      const error = /^(Describe|Get)/.test(action) && isNotFound(thrown) ? undefined : thrown
      if (error === undefined && series.size === 0) return
      const callers = currentController() === '' ? sharedBy : 1
      ended(`${service}:${action}`, () => inputText(input), error, callers)
    },
    tick() {
      for (const [key, { lastAt, subject }] of series) if (look.elapsed - lastAt > seriesMs) forget(key, subject)
    },
  }
}

/** A conflict, a history that is over, a server that is busy: what the request says is not what is wrong with it. */
const passing = new Set([409, 410, 429])

/** To who asks for something by name that it is not there is an answer. */
function isNotFound(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  return ('status' in error && error.status === 404) || ('name' in error && String(error.name).includes('NotFound'))
}

/** Without what is drawn anew for each attempt. */
function inputText(input: unknown): string {
  return JSON.stringify(input, (key, value: unknown) => (key === 'ClientToken' ? undefined : value)) ?? ''
}

function kindOf(error: unknown): 'none' | 'failed' | 'refused' {
  if (error === undefined) return 'none'
  if (typeof error !== 'object' || error === null) return 'failed'
  // Whoever gave up himself has seen no failure.
  if ('name' in error && error.name === 'AbortError') return 'none'
  const status = 'status' in error ? error.status : undefined
  const fault = '$fault' in error ? error.$fault : undefined
  const named = typeof status === 'number' && status >= 400 && status < 500 && !passing.has(status)
  return named || fault === 'client' ? 'refused' : 'failed'
}
