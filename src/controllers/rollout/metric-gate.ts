import type { RolloutPolicy, RolloutPrometheusGate } from '../../api/karpenter.ts'
import type { Clock } from '../../model/clock.ts'
import type { MetricAnswer } from '../../rollout/engine/index.ts'

export type MetricReading =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'unknown'; readonly message: string }

/** Asks for one number; never rejects. */
export type MetricQuery = (address: string, query: string) => Promise<MetricReading>

/** Reconciles come in bursts, and a server scrapes every half minute at best. */
const keptMs = 15_000

/** Judges the Prometheus gate that is in force for a policy. An answer is kept for a moment. */
export function metricGate(
  query: MetricQuery,
  clock: Clock,
): (policy: RolloutPolicy) => Promise<MetricAnswer | undefined> {
  const kept = new Map<string, { readonly at: number; readonly reading: MetricReading }>()
  return async (policy) => {
    // The step under way goes by the gates under which it began.
    const gates = policy.status?.startTime === undefined ? policy.spec.gates : policy.status.inForce?.gates
    const gate = gates?.prometheus
    if (gate === undefined) return undefined
    const key = `${gate.address} ${gate.query}`
    const now = clock.monotonicMs()
    const known = kept.get(key)
    if (known !== undefined && now - known.at < keptMs) return judge(gate, known.reading)
    const reading = await query(gate.address, gate.query)
    for (const [each, { at }] of kept) if (now - at >= keptMs) kept.delete(each)
    kept.set(key, { at: now, reading })
    return judge(gate, reading)
  }
}

function judge(gate: RolloutPrometheusGate, reading: MetricReading): MetricAnswer {
  if (reading.kind === 'unknown') return reading
  return { kind: holds(gate, reading.value) ? 'good' : 'bad', value: reading.value }
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
