import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt, withAt } from '../json.ts'
import { choice } from './field-rules.ts'
import { pathSegmentProblem } from './names.ts'
import { withDefaults } from './pod-defaults.ts'

/** What an autoscaler without metrics goes by. */
const defaultMetrics = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
]

/** How fast an autoscaler goes up and down where it says nothing else. */
const defaultRules = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
} as const

export function defaultAutoscaler<T extends JsonObject>(autoscaler: T): T {
  const sent = objectAt(autoscaler, 'spec') ?? {}
  const behavior = objectAt(sent, 'behavior')
  const rules =
    behavior === undefined
      ? {}
      : {
          behavior: Object.fromEntries(
            Object.entries(defaultRules).map(([way, rule]) => [way, withDefaults(objectAt(behavior, way) ?? {}, rule)]),
          ),
        }
  return withAt(autoscaler, ['spec'], {
    ...withDefaults(sent, { minReplicas: 1, metrics: defaultMetrics }),
    ...rules,
  })
}

/** Types of metrics, and the field that tells of each. */
const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}

export function autoscalerErrors(autoscaler: JsonObject): readonly FieldError[] {
  const spec = objectAt(autoscaler, 'spec') ?? {}
  const min = numberAt(spec, 'minReplicas') ?? 1
  const max = numberAt(spec, 'maxReplicas') ?? 0
  const metrics = arrayAt(spec, 'metrics')
  const errors: FieldError[] = []
  if (min < 1) errors.push(field.invalid('spec.minReplicas', min, 'must be greater than or equal to 1'))
  if (max < 1) errors.push(field.required('spec.maxReplicas', 'must be set and greater than 0'))
  if (max < min) errors.push(field.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
  errors.push(...targetErrors(objectAt(spec, 'scaleTargetRef') ?? {}))
  if (min === 0 && !metrics.some((metric) => ['Object', 'External'].includes(textAt(metric, 'type') ?? ''))) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(field.forbidden('spec.metrics', detail))
  }
  errors.push(...metrics.flatMap((metric, index) => metricErrors(metric, `spec.metrics[${index}]`)))
  for (const way of ['scaleUp', 'scaleDown']) {
    errors.push(...ruleErrors(objectAt(spec, 'behavior', way), `spec.behavior.${way}`))
  }
  return errors
}

function targetErrors(target: JsonObject): FieldError[] {
  const errors = ['kind', 'name'].flatMap((name) => {
    const value = textAt(target, name) ?? ''
    const path = `spec.scaleTargetRef.${name}`
    if (value === '') return [field.required(path)]
    const problem = pathSegmentProblem(value)
    return problem === undefined ? [] : [field.invalid(path, value, problem)]
  })
  const version = textAt(target, 'apiVersion') ?? ''
  // Of the core group only controllers of replicas can be scaled.
  if (!version.includes('/') && textAt(target, 'kind') !== 'ReplicationController') {
    errors.push(field.invalid('spec.scaleTargetRef.apiVersion', version, 'apiVersion must specify API group'))
  }
  return errors
}

function metricErrors(metric: unknown, path: string): FieldError[] {
  const type = textAt(metric, 'type') ?? ''
  const source = sources[type]
  if (source === undefined) {
    const unknown = field.notSupported(`${path}.type`, type, Object.keys(sources))
    const missing = type === '' ? [field.required(`${path}.type`, 'must specify a metric source type')] : []
    // Told twice by a real API server, too.
    return [...missing, unknown, unknown]
  }
  const said = objectAt(metric, source)
  if (said === undefined) {
    return [field.required(`${path}.${source}`, 'must populate information for the given metric source')]
  }
  const inside = `${path}.${source}`
  const errors: FieldError[] = []
  if (type === 'Resource' || type === 'ContainerResource') {
    if ((textAt(said, 'name') ?? '') === '')
      errors.push(field.required(`${inside}.name`, 'must specify a resource name'))
    if (type === 'ContainerResource' && (textAt(said, 'container') ?? '') === '') {
      errors.push(field.required(`${inside}.container`, 'must specify a container'))
    }
  } else if ((textAt(said, 'metric', 'name') ?? '') === '') {
    errors.push(field.required(`${inside}.metric.name`, 'must specify a metric name'))
  }
  return [...errors, ...goalErrors(type, objectAt(said, 'target') ?? {}, `${inside}.target`)]
}

function goalErrors(type: string, goal: JsonObject, path: string): FieldError[] {
  const kind = textAt(goal, 'type') ?? ''
  const errors: FieldError[] = []
  if (kind === '') errors.push(field.required(`${path}.type`, 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(kind)) {
    errors.push(field.invalid(`${path}.type`, kind, 'must be either Utilization, Value, or AverageValue'))
  }
  const share = goal['averageUtilization']
  const { averageValue, value } = goal
  if (typeof share === 'number' && share < 1) {
    errors.push(field.invalid(`${path}.averageUtilization`, share, 'must be greater than 0'))
  }
  if (type === 'Pods') {
    if (averageValue === undefined) {
      errors.push(field.required(`${path}.averageValue`, 'must specify a positive target averageValue'))
    }
  } else if (type === 'Resource' || type === 'ContainerResource') {
    if (share === undefined && averageValue === undefined) {
      const detail = 'must set either a target raw value or a target utilization'
      errors.push(field.required(`${path}.averageUtilization`, detail))
    } else if (share !== undefined && averageValue !== undefined) {
      const detail = 'may not set both a target raw value and a target utilization'
      errors.push(field.forbidden(`${path}.averageValue`, detail))
    }
  } else if (value === undefined && averageValue === undefined) {
    const detail = 'must set either a target value or averageValue'
    errors.push(field.required(`${path}.averageValue`, detail))
  }
  return errors
}

const windowMax = 3600
const periodMax = 1800

function ruleErrors(rules: JsonObject | undefined, path: string): FieldError[] {
  if (rules === undefined) return []
  const errors: FieldError[] = []
  const window = numberAt(rules, 'stabilizationWindowSeconds') ?? 0
  if (window < 0) {
    const detail = 'must be greater than or equal to zero'
    errors.push(field.invalid(`${path}.stabilizationWindowSeconds`, window, detail))
  }
  if (window > windowMax) {
    const detail = `must be less than or equal to ${windowMax}`
    errors.push(field.invalid(`${path}.stabilizationWindowSeconds`, window, detail))
  }
  errors.push(...choice(rules, `${path}.selectPolicy`, ['Disabled', 'Max', 'Min']))
  const policies = arrayAt(rules, 'policies')
  if (policies.length === 0) errors.push(field.required(`${path}.policies`, 'must specify at least one Policy'))
  policies.filter(isObject).forEach((policy, index) => {
    const where = `${path}.policies[${index}]`
    const type = textAt(policy, 'type') ?? ''
    if (type !== 'Pods' && type !== 'Percent') {
      errors.push(field.notSupported(`${where}.type`, type, ['Percent', 'Pods']))
    }
    for (const name of ['value', 'periodSeconds']) {
      const amount = numberAt(policy, name) ?? 0
      if (amount <= 0) errors.push(field.invalid(`${where}.${name}`, amount, 'must be greater than zero'))
    }
    const period = numberAt(policy, 'periodSeconds') ?? 0
    if (period > periodMax) {
      errors.push(field.invalid(`${where}.periodSeconds`, period, `must be less than or equal to ${periodMax}`))
    }
  })
  return errors
}
