import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import { asStored, type StoredObject } from '../object.ts'
import { autoscalerErrors, defaultAutoscaler } from './autoscaler-strategy.ts'
import { autoscalerColumns } from './columns-other.ts'
import { type BuiltinKind, withStatus } from './kind.ts'
import { withDefaults } from './pod-defaults.ts'

const common = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: ['status'],
} as const

/** One set of autoscalers, served in both versions; what the older one cannot say lies in its annotations, as in a real cluster. */
export const autoscalerKinds: readonly BuiltinKind[] = [
  {
    ...common,
    version: 'v2',
    model: 'V2HorizontalPodAutoscaler',
    columns: autoscalerColumns,
    strategy: {
      prepareCreate: (object) => withStatus(object, { currentMetrics: null, desiredReplicas: 0 }),
      applyDefaults: defaultAutoscaler,
      validate: autoscalerErrors,
    },
  },
  {
    ...common,
    version: 'v1',
    model: 'V1HorizontalPodAutoscaler',
    columns: autoscalerColumns.map((column) => ({
      ...column,
      value: (object: StoredObject, now: number) => column.value(toNewer(object), now),
    })),
    strategy: {
      prepareCreate: (object) => withStatus(object, { currentReplicas: 0, desiredReplicas: 0 }),
      applyDefaults: (object) =>
        withAt(object, ['spec'], withDefaults(objectAt(object, 'spec') ?? {}, { minReplicas: 1 })),
      validate: (object) => autoscalerErrors(defaultAutoscaler(toNewer(object))),
    },
    conversion: {
      stored: { group: 'autoscaling', plural: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler' },
      toStored: (object) => asStored(defaultAutoscaler(toNewer(object))),
      fromStored: toOlder,
    },
  },
]

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics'
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior'

function toNewer(object: JsonObject): StoredObject {
  const { targetCPUUtilizationPercentage: share, ...spec } = objectAt(object, 'spec') ?? {}
  const annotations = { ...textMapAt(object, 'metadata', 'annotations') }
  const others = parsed(annotations[metricsAnnotation])
  const behavior = parsed(annotations[behaviorAnnotation])
  delete annotations[metricsAnnotation]
  delete annotations[behaviorAnnotation]
  const metrics = [
    ...(Array.isArray(others) ? (others as readonly unknown[]) : []),
    ...(typeof share === 'number'
      ? [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: share } } }]
      : []),
  ]
  const { currentReplicas, currentCPUUtilizationPercentage: _measured, ...status } = objectAt(object, 'status') ?? {}
  return withAnnotations(
    asStored({
      ...object,
      apiVersion: 'autoscaling/v2',
      spec: {
        ...spec,
        ...(metrics.length === 0 ? {} : { metrics }),
        ...(isObject(behavior) ? { behavior } : {}),
      },
      status: {
        currentMetrics: null,
        ...status,
        ...(currentReplicas === undefined || currentReplicas === 0 ? {} : { currentReplicas }),
      },
    }),
    annotations,
  )
}

function toOlder(object: StoredObject): StoredObject {
  const { metrics: _metrics, behavior, ...spec } = objectAt(object, 'spec') ?? {}
  const metrics = arrayAt(object, 'spec', 'metrics')
  const shares = metrics.map(shareOfCPU)
  const share = shares.find((each) => each !== undefined)
  const others = metrics.filter((_metric, index) => index !== shares.indexOf(share) || share === undefined)
  const { currentMetrics: _measured, conditions: _conditions, ...status } = objectAt(object, 'status') ?? {}
  return withAnnotations(
    asStored({
      ...object,
      apiVersion: 'autoscaling/v1',
      spec: { ...spec, ...(share === undefined ? {} : { targetCPUUtilizationPercentage: share }) },
      status: { currentReplicas: 0, ...status },
    }),
    {
      ...textMapAt(object, 'metadata', 'annotations'),
      ...(others.length === 0 ? {} : { [metricsAnnotation]: JSON.stringify(others) }),
      ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behavior) }),
    },
  )
}

function shareOfCPU(metric: unknown): number | undefined {
  return textAt(metric, 'type') === 'Resource' && textAt(metric, 'resource', 'name') === 'cpu'
    ? numberAt(metric, 'resource', 'target', 'averageUtilization')
    : undefined
}

function withAnnotations(object: StoredObject, annotations: Readonly<Record<string, string>>): StoredObject {
  const { annotations: _old, ...metadata } = object.metadata
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
