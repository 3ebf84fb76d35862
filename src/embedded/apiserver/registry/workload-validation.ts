import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, type JsonObject, numberAt, objectAt, textAt, textMapAt } from '../json.ts'
import { labelPredicate, toLabelSelector } from '../label-selectors.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { claimErrors } from './claim-validation.ts'
import { choice, notNegative } from './field-rules.ts'
import { labelProblem } from './names.ts'
import { labelSelectorErrors } from './selector-validation.ts'
import { templateErrors } from './template-validation.ts'

/** What is wrong with a Deployment, ReplicaSet, StatefulSet or DaemonSet. */
export function workloadErrors(object: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const { kind } = object
  const spec = objectAt(object, 'spec') ?? {}
  const claimed = arrayAt(spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name') ?? '')
  return [
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    // A real server takes it of a StatefulSet, whose controller then keeps all.
    ...(kind === 'StatefulSet' ? [] : notNegative(spec, 'spec', ['revisionHistoryLimit'])),
    ...ownSelectorErrors(object, old),
    ...strategyErrors(kind, spec),
    ...templateErrors(spec, 'spec.template', claimed),
    ...arrayAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
      claimErrors(objectAt(claim, 'spec') ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...runningErrors(kind, objectAt(spec, 'template', 'spec') ?? {}),
    ...(kind === 'StatefulSet' && old !== undefined ? fixedErrors(spec, objectAt(old, 'spec') ?? {}) : []),
  ]
}

/** What may change of a StatefulSet. */
const free = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

function fixedErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const names = new Set([...Object.keys(spec), ...Object.keys(before)])
  if (![...names].some((name) => !free.includes(name) && !jsonEqual(spec[name], before[name]))) return []
  const listed = free.map((name) => `'${name}'`)
  const allowed = `${listed.slice(0, -1).join(', ')} and ${listed.at(-1) ?? ''}`
  return [field.forbidden('spec', `updates to statefulset spec for fields other than ${allowed} are forbidden`)]
}

function ownSelectorErrors(object: IncomingObject, old: StoredObject | undefined): FieldError[] {
  const selector = objectAt(object, 'spec', 'selector')
  if (selector === undefined) return [field.required('spec.selector')]
  const errors = labelSelectorErrors(selector, 'spec.selector')
  const labels = textMapAt(object, 'spec', 'template', 'metadata', 'labels')
  if (isEmptySelector(selector)) {
    const named = object.kind === 'ReplicaSet' ? 'deployment' : object.kind.toLowerCase()
    const detail = `empty selector is invalid for ${named}`
    errors.push(field.invalid('spec.selector', selector, detail))
  } else if (errors.length > 0) errors.push(field.invalid('spec.selector', selector, 'invalid label selector'))
  else if (!labelPredicate(toLabelSelector(selector))(labels)) {
    const told = Object.keys(labels).length === 0 ? null : labels
    errors.push(field.invalid('spec.template.metadata.labels', told, '`selector` does not match template `labels`'))
  }
  // Of a StatefulSet it is one of the fields that are judged together.
  if (object.kind !== 'StatefulSet' && old !== undefined && !jsonEqual(objectAt(old, 'spec', 'selector'), selector)) {
    errors.push(field.invalid('spec.selector', selector, 'field is immutable'))
  }
  return errors
}

function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 &&
    arrayAt(selector, 'matchExpressions').length === 0
  )
}

/** Pods of workloads run until somebody stops them. */
function runningErrors(kind: string, podSpec: JsonObject): FieldError[] {
  const path = 'spec.template.spec'
  const errors = [...choice(podSpec, `${path}.restartPolicy`, ['Always'])]
  if (podSpec['activeDeadlineSeconds'] !== undefined) {
    const owner = kind === 'Deployment' ? 'ReplicaSet' : kind
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`
    errors.push(field.forbidden(`${path}.activeDeadlineSeconds`, detail))
  }
  if (arrayAt(podSpec, 'ephemeralContainers').length > 0) {
    const detail = 'ephemeral containers not allowed in pod template'
    errors.push(field.forbidden(`${path}.ephemeralContainers`, detail))
  }
  return errors
}

function strategyErrors(kind: string, spec: JsonObject): FieldError[] {
  switch (kind) {
    case 'Deployment':
      return deploymentErrors(spec)
    case 'StatefulSet':
      return statefulSetErrors(spec)
    case 'DaemonSet':
      return daemonSetErrors(objectAt(spec, 'updateStrategy') ?? {})
    default:
      return []
  }
}

function deploymentErrors(spec: JsonObject): FieldError[] {
  const errors = [...notNegative(spec, 'spec', ['progressDeadlineSeconds'])]
  const deadline = numberAt(spec, 'progressDeadlineSeconds')
  if (deadline !== undefined && deadline <= (numberAt(spec, 'minReadySeconds') ?? 0)) {
    errors.push(field.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
  const strategy = objectAt(spec, 'strategy') ?? {}
  const rolling = objectAt(strategy, 'rollingUpdate')
  const path = 'spec.strategy.rollingUpdate'
  switch (textAt(strategy, 'type') ?? '') {
    case 'Recreate':
      if (rolling !== undefined) {
        errors.push(field.forbidden(path, "may not be specified when strategy `type` is 'Recreate'"))
      }
      return errors
    case 'RollingUpdate':
      errors.push(...amountErrors(rolling, path, 'maxUnavailable', 'share'), ...amountErrors(rolling, path, 'maxSurge'))
      if (isNone(at(rolling, 'maxUnavailable')) && isNone(at(rolling, 'maxSurge'))) {
        const value = at(rolling, 'maxUnavailable')
        errors.push(field.invalid(`${path}.maxUnavailable`, value, 'may not be 0 when `maxSurge` is 0'))
      }
      return errors
    default:
      return [...errors, field.notSupported('spec.strategy', goStrategy(strategy), ['Recreate', 'RollingUpdate'])]
  }
}

function statefulSetErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const policy = textAt(spec, 'podManagementPolicy')
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(field.invalid('spec.podManagementPolicy', policy ?? '', "must be 'OrderedReady' or 'Parallel'"))
  }
  const service = textAt(spec, 'serviceName') ?? ''
  const problem = service === '' ? undefined : labelProblem(service)
  if (problem !== undefined) errors.push(field.invalid('spec.serviceName', service, problem))
  const strategy = objectAt(spec, 'updateStrategy') ?? {}
  const rolling = objectAt(strategy, 'rollingUpdate')
  const type = textAt(strategy, 'type')
  if (type === 'OnDelete' && rolling !== undefined) {
    const value = { Partition: rolling['partition'] ?? null, MaxUnavailable: rolling['maxUnavailable'] ?? null }
    const detail = "only allowed for updateStrategy 'RollingUpdate'"
    errors.push(field.invalid('spec.updateStrategy.rollingUpdate', value, detail))
  } else if (type === 'RollingUpdate') {
    errors.push(...notNegative(rolling ?? {}, 'spec.updateStrategy.rollingUpdate', ['partition']))
  } else if (type !== 'OnDelete') {
    errors.push(field.invalid('spec.updateStrategy', goStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'"))
  }
  errors.push(...notNegative(objectAt(spec, 'ordinals') ?? {}, 'spec.ordinals', ['start']))
  const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy') ?? {}
  for (const name of ['whenDeleted', 'whenScaled']) {
    errors.push(...choice(retention, `spec.persistentVolumeClaimRetentionPolicy.${name}`, ['Retain', 'Delete']))
  }
  return errors
}

function daemonSetErrors(strategy: JsonObject): FieldError[] {
  const type = textAt(strategy, 'type')
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') {
    return [field.notSupported('spec.updateStrategy', goStrategy(strategy), ['RollingUpdate', 'OnDelete'])]
  }
  const path = 'spec.updateStrategy.rollingUpdate'
  const rolling = objectAt(strategy, 'rollingUpdate')
  const errors = [
    ...amountErrors(rolling, path, 'maxUnavailable', 'share'),
    ...amountErrors(rolling, path, 'maxSurge', 'share'),
  ]
  const surge = at(rolling, 'maxSurge')
  const hasUnavailable = !isNone(at(rolling, 'maxUnavailable'))
  if (hasUnavailable && !isNone(surge)) {
    errors.push(field.invalid(`${path}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero'))
  } else if (!hasUnavailable && isNone(surge)) {
    errors.push(field.required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  }
  return errors
}

/** As Go prints the internal type in messages. */
function goStrategy(strategy: JsonObject): JsonObject {
  return { Type: strategy['type'] ?? '', RollingUpdate: strategy['rollingUpdate'] ?? null }
}

function isNone(amount: unknown): boolean {
  return amount === undefined || amount === 0 || (typeof amount === 'string' && /^0+%$/.test(amount))
}

/** A number, or a share in percent, which may be limited to the whole. */
function amountErrors(rolling: unknown, path: string, name: string, limit: 'share' | 'any' = 'any'): FieldError[] {
  const value = at(rolling, name)
  const where = `${path}.${name}`
  if (typeof value === 'number' && value < 0) {
    return [field.invalid(where, value, 'must be greater than or equal to 0')]
  }
  if (typeof value !== 'string') return []
  if (!/^\d+%$/.test(value)) {
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
    return [field.invalid(where, value, detail)]
  }
  const isTooMuch = limit === 'share' && Number.parseInt(value, 10) > 100
  return isTooMuch ? [field.invalid(where, value, 'must not be greater than 100%')] : []
}
