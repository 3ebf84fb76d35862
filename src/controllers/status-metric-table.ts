import { labelEC2NodeClass, labelInitialized, labelNodePool } from '../api/labels.ts'
import { defaultBuckets, exponentialBuckets } from '../kube/metric-buckets.ts'
import type { MetricRow } from '../kube/metric-row.ts'

/** The kinds whose status conditions are measured, with the labels their series carry beside the condition's. */
export interface MeasuredKind {
  readonly group: string
  readonly kind: string
  /** Object label keys. */
  readonly extraLabels: readonly string[]
  /** Whether the families without the kind in their name are fed as well. */
  readonly deprecatedFamilies: boolean
  readonly buckets: readonly number[]
}

const transitionBuckets = exponentialBuckets(0.5, 2, 15)

export const measuredKinds = {
  nodeClaim: {
    group: 'karpenter.sh',
    kind: 'NodeClaim',
    extraLabels: [labelEC2NodeClass, labelNodePool],
    deprecatedFamilies: true,
    buckets: transitionBuckets,
  },
  nodePool: {
    group: 'karpenter.sh',
    kind: 'NodePool',
    extraLabels: [],
    deprecatedFamilies: true,
    buckets: transitionBuckets,
  },
  node: {
    group: '',
    kind: 'Node',
    extraLabels: [labelEC2NodeClass, labelNodePool, labelInitialized],
    deprecatedFamilies: false,
    buckets: transitionBuckets,
  },
  nodeClass: {
    group: 'karpenter.k8s.aws',
    kind: 'EC2NodeClass',
    extraLabels: [],
    deprecatedFamilies: true,
    buckets: defaultBuckets,
  },
  capacityBuffer: {
    group: 'autoscaling.x-k8s.io',
    kind: 'CapacityBuffer',
    extraLabels: [],
    deprecatedFamilies: true,
    buckets: transitionBuckets,
  },
} as const satisfies Readonly<Record<string, MeasuredKind>>

export interface StatusMetricRows {
  readonly count: MetricRow & { readonly type: 'gauge' }
  readonly currentStatusSeconds: MetricRow & { readonly type: 'gauge' }
  readonly transitions: MetricRow & { readonly type: 'counter' }
  readonly transitionSeconds: MetricRow & { readonly type: 'histogram' }
  readonly terminationCurrentSeconds: MetricRow & { readonly type: 'gauge' }
  readonly terminationSeconds: MetricRow & { readonly type: 'histogram' }
}

/** The six families of one kind, `operator_<kind>_…`; without a kind, the deprecated ones that name group and kind as labels. */
export function statusMetricRows(of: MeasuredKind | 'deprecated'): StatusMetricRows {
  const deprecated = of === 'deprecated'
  const prefix = deprecated ? 'operator' : `operator_${of.kind.toLowerCase()}`
  const extra = deprecated ? ['group', 'kind'] : of.extraLabels.map(toMetricLabel)
  const buckets = deprecated ? transitionBuckets : of.buckets
  const stability = deprecated ? ('deprecated' as const) : ('beta' as const)
  const object = ['namespace', 'name']
  return {
    count: {
      type: 'gauge',
      name: `${prefix}_status_condition_count`,
      labels: [...object, 'type', 'status', 'reason', ...extra],
      help: 'Conditions an object has, by type, status and reason: a constant 1 each.',
      stability,
    },
    currentStatusSeconds: {
      type: 'gauge',
      name: `${prefix}_status_condition_current_status_seconds`,
      labels: [...object, 'type', 'status', 'reason', ...extra],
      help: 'Time a condition has been in its present status.',
      stability,
    },
    transitions: {
      type: 'counter',
      name: `${prefix}_status_condition_transitions_total`,
      labels: ['type', 'status', 'reason', ...extra],
      help: 'Transitions of conditions into a status.',
      stability,
    },
    transitionSeconds: {
      type: 'histogram',
      name: `${prefix}_status_condition_transition_seconds`,
      labels: ['type', 'status', ...extra],
      buckets,
      help: 'Time a condition was in a status before it left it.',
      stability,
    },
    terminationCurrentSeconds: {
      type: 'gauge',
      name: `${prefix}_termination_current_time_seconds`,
      labels: [...object, ...extra],
      help: 'Time since the deletion of an object that is still there.',
      stability,
    },
    terminationSeconds: {
      type: 'histogram',
      name: `${prefix}_termination_duration_seconds`,
      labels: extra,
      buckets,
      help: 'Time from the deletion of an object until it was gone.',
      stability,
    },
  }
}

export const statusMetricTable: readonly MetricRow[] = [...Object.values(measuredKinds), 'deprecated' as const].flatMap(
  (kind) => Object.values(statusMetricRows(kind)),
)

/** A label key as a metric label: characters that Prometheus does not allow become `_`. */
export function toMetricLabel(labelKey: string): string {
  return labelKey.replaceAll(/[^a-zA-Z0-9_]/g, '_')
}
