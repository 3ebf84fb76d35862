import { durationMs } from '../../api/duration.ts'
import { sameWhenWritten } from '../../api/json.ts'
import type { RolloutGates } from '../../api/karpenter.ts'
import { listText } from '../../model/list-text.ts'
import type { AskedMetric, NodeFacts, PodFacts } from './input.ts'
import type { NewNodes } from './new-nodes.ts'
import { nodeCount } from './steps.ts'

export type GateState = Readonly<
  | { kind: 'good' }
  /** Neither good nor failed: no step is passed, and what waits may still come right. */
  | { kind: 'waiting'; reason: string; message: string }
  /** `nodes`: all that failed, where they are known by name. */
  | { kind: 'failed'; reason: string; message: string; nodes?: readonly string[] }
>

export interface GateInput {
  readonly gates: RolloutGates | undefined
  readonly newNodes: NewNodes
  /** Of the new revision and not on their way out; those awaited are, whatever they drift by meanwhile. */
  readonly nodes: readonly NodeFacts[]
  readonly pods: PodFacts
  readonly metric: AskedMetric | undefined
  /** Since when the query answers with bad values. */
  readonly badSince: number | undefined
  /** Nodes that the step itself replaces. */
  readonly stepNodes: number
  readonly stepStart: number
  /**
   * When the step was reached, then when its soak is over; undefined before. Nodes and pods that were made later hold nothing: in a large
   * fleet some are always on their way.
   */
  readonly reachedAt: number | undefined
  readonly now: number
}

export interface GateResult {
  readonly state: GateState
  /** That of the query alone: whatever else is waited for, no node goes before it is good. */
  readonly metric: GateState
  /** Whether the new nodes are in service, whatever else is waited for. */
  readonly isInService: boolean
  readonly badSince: number | undefined
  /** When time alone may change the answer. */
  readonly wakeAt: number | undefined
}

/** All gates together: one that failed decides, then one that waits. */
export function judgeGates(input: GateInput): GateResult {
  const metric = judgeMetric(input)
  const pods = judgePods(input)
  const readiness = judgeReadiness(input)
  const states = [judgeFailures(input), pods.state, metric.state, readiness]
  const state = states.find(({ kind }) => kind === 'failed') ?? states.find(({ kind }) => kind === 'waiting') ?? good
  const wakes = [metric.wakeAt, pods.wakeAt, input.newNodes.nextTimeout].filter((at) => at !== undefined)
  return {
    state,
    metric: metric.state,
    isInService: readiness.kind === 'good',
    badSince: metric.badSince,
    wakeAt: wakes.length === 0 ? undefined : Math.min(...wakes),
  }
}

const good: GateState = { kind: 'good' }

function judgeFailures({ gates, newNodes, stepNodes }: GateInput): GateState {
  const allowed = nodeCount(gates?.maxFailedNodes ?? 0, stepNodes)
  if (newNodes.failed <= allowed) return good
  const names = listed(newNodes.pending.flatMap(({ name, failed }) => (failed === true ? [name] : [])))
  const how = newNodes.someBrokeDown ? 'failed to come up or broke down' : 'failed to come up'
  const message = `${newNodes.failed} new node(s) ${how}, ${allowed} allowed${names}`
  const { failed, failedNames } = newNodes
  return {
    kind: 'failed',
    reason: 'NodesFailed',
    message,
    ...(failedNames.size < failed ? {} : { nodes: [...failedNames] }),
  }
}

function judgeReadiness({ gates, newNodes, nodes, reachedAt = Number.POSITIVE_INFINITY }: GateInput): GateState {
  const coming = nodes
    .filter(({ initialized, createdAt }) => !initialized && createdAt <= reachedAt)
    .map(({ name }) => name)
  if (coming.length > 0) {
    return { kind: 'waiting', reason: 'NodesNotReady', message: `new nodes are on their way${listed(coming)}` }
  }
  const allowed = nodeCount(gates?.maxUnhealthyNodes ?? 0, nodes.length)
  if (newNodes.unhealthy.length <= allowed) return good
  return { kind: 'waiting', reason: 'NodesNotReady', message: `new nodes are not ready${listed(newNodes.unhealthy)}` }
}

function judgePods({ gates, nodes, pods, stepStart, reachedAt = Number.POSITIVE_INFINITY, now }: GateInput): {
  state: GateState
  wakeAt?: number
} {
  if (gates?.podsHealthy === false) return { state: good }
  const timeoutMs = durationMs(gates?.podReadyTimeout ?? '10m')
  // What waited before the step has nothing to do with it.
  const waiting = pods.waitingSince
    .filter((since) => since >= stepStart)
    .map((since): UnreadyPods => ({ count: 1, since, madeAt: since }))
  const unready = nodes.flatMap(
    ({ unreadyPods: count, unreadySince: since = now, unreadyMadeAt: madeAt = since }): readonly UnreadyPods[] =>
      count > 0 ? [{ count, since, madeAt }] : [],
  )
  const all = [...waiting, ...unready]
  if (all.length === 0) return { state: good }
  const wakeAt = Math.min(...all.map(({ since }) => since)) + timeoutMs
  if (now >= wakeAt) {
    const message = `${countOf(all)} pod(s) did not come back in ${gates?.podReadyTimeout ?? '10m'}`
    return { state: { kind: 'failed', reason: 'PodsNotReady', message } }
  }
  const count = countOf(all.filter(({ madeAt }) => madeAt <= reachedAt))
  if (count === 0) return { state: good, wakeAt }
  return {
    state: { kind: 'waiting', reason: 'PodsNotReady', message: `${count} pod(s) are not ready again yet` },
    wakeAt,
  }
}

/** A pod that waits, or those of a node that are not ready. */
interface UnreadyPods {
  readonly count: number
  /** Since when the one that waits longest does; in ms since the epoch. */
  readonly since: number
  /** When the oldest was made; in ms since the epoch. */
  readonly madeAt: number
}

function countOf(pods: readonly UnreadyPods[]): number {
  return pods.reduce((sum, { count }) => sum + count, 0)
}

function judgeMetric({ gates, metric: asked, badSince, now }: GateInput): {
  state: GateState
  badSince: number | undefined
  wakeAt?: number
} {
  const wanted = gates?.prometheus
  if (wanted === undefined) return { state: good, badSince: undefined }
  const metric = asked !== undefined && sameWhenWritten(asked.gate, wanted) ? asked.answer : undefined
  if (metric === undefined || metric.kind === 'unknown') {
    const why = metric === undefined ? 'it has not been asked yet' : metric.message
    const message = `the Prometheus query has no answer: ${why}`
    return { state: { kind: 'waiting', reason: 'MetricUnknown', message }, badSince, wakeAt: now + askAgainMs }
  }
  if (metric.kind === 'good') return { state: good, badSince: undefined, wakeAt: now + askAgainMs }
  const since = badSince ?? now
  const message = `the Prometheus query answers ${metric.value}, which is not ${wanted.operator} ${wanted.threshold}`
  const patienceMs = wanted.for === undefined ? 0 : durationMs(wanted.for)
  return now >= since + patienceMs
    ? { state: { kind: 'failed', reason: 'MetricBad', message }, badSince: since }
    : {
        state: { kind: 'waiting', reason: 'MetricBad', message },
        badSince: since,
        wakeAt: Math.min(now + askAgainMs, since + patienceMs),
      }
}

/** As often as Prometheus commonly scrapes: asking more often finds nothing new. */
const askAgainMs = 30_000

function listed(names: readonly string[]): string {
  return names.length === 0 ? '' : `: ${listText(names, namesMax, 'more')}`
}

/** Enough to look at one; a message with thousands is of no use. */
const namesMax = 5
