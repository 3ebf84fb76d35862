import type { RolloutPolicy, RolloutPrometheusGate } from '../../api/karpenter.ts'
import type { Clock } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { AskedMetric, MetricAnswer } from '../../rollout/engine/index.ts'

export type MetricReading =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'unknown'; readonly message: string }

/** Asks for one number; never rejects. */
export type MetricQuery = (address: string, query: string) => Promise<MetricReading>

/** A query that nobody has asked for so long begins anew. */
const silenceKeptMs = 300_000

/** Reconciles come in bursts, and a server scrapes every half minute at best. */
const keptMs = 15_000

/** Judges the Prometheus gate that is in force for a policy. An answer is kept for a moment. */
export function metricGate(
  query: MetricQuery,
  clock: Clock,
): (policy: RolloutPolicy) => Promise<AskedMetric | undefined> {
  const kept = new Map<string, { readonly at: number; readonly reading: MetricReading }>()
  /** By query: since when it has had no answer. */
  const silent = new ExpiringMap<string, number>({ clock, ttlMs: silenceKeptMs })
  const answered = (gate: RolloutPrometheusGate, key: string, reading: MetricReading): MetricAnswer => {
    if (reading.kind === 'value') {
      silent.delete(key)
      return judge(gate, reading.value)
    }
    const since = silent.get(key) ?? clock.now()
    silent.set(key, since)
    return { ...reading, since }
  }
  return async (policy) => {
    // The step under way goes by the gates under which it began.
    const gates = policy.status?.startTime === undefined ? policy.spec.gates : policy.status.inForce?.gates
    const gate = gates?.prometheus
    if (gate === undefined) return undefined
    const key = `${gate.address} ${gate.query}`
    const now = clock.monotonicMs()
    const known = kept.get(key)
    if (known !== undefined && now - known.at < keptMs) return { gate, answer: answered(gate, key, known.reading) }
    const reading = await query(gate.address, gate.query)
    for (const [each, { at }] of kept) if (now - at >= keptMs) kept.delete(each)
    kept.set(key, { at: now, reading })
    return { gate, answer: answered(gate, key, reading) }
  }
}

function judge(gate: RolloutPrometheusGate, value: number): MetricAnswer {
  return { kind: holds(gate, value) ? 'good' : 'bad', value }
}

function holds({ operator, threshold }: RolloutPrometheusGate, value: number): boolean {
  const bound = Number(threshold)
  switch (operator) {
    case 'LessThan':
      return value < bound
    case 'LessThanOrEqual':
      return value <= bound
    case 'GreaterThan':
      return value > bound
    case 'GreaterThanOrEqual':
      return value >= bound
  }
}
