import { type FieldError, field } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, textMapAt } from '../json.ts'
import { parseExactQuantity } from '../../../api/exact-quantity.ts'
import { labelProblem } from './names.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** The checks of a pod spec, or of a template's, that matter to who writes workloads by hand. */
export function podSpecErrors(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  const containers = arrayAt(spec, 'containers')
  if (containers.length === 0) errors.push(field.required(`${path}.containers`))
  errors.push(...containerErrors(containers, `${path}.containers`))
  errors.push(...containerErrors(arrayAt(spec, 'initContainers'), `${path}.initContainers`))
  const restartPolicy = textAt(spec, 'restartPolicy')
  if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
    errors.push(field.notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies))
  }
  arrayAt(spec, 'tolerations').forEach((toleration, index) => {
    const effect = textAt(toleration, 'effect')
    if (effect !== undefined && effect !== '' && !effects.includes(effect)) {
      errors.push(field.notSupported(`${path}.tolerations[${index}].effect`, effect, effects))
    }
    if ((textAt(toleration, 'key') ?? '') === '' && textAt(toleration, 'operator') !== 'Exists') {
      const problem = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(
        field.invalid(`${path}.tolerations[${index}].operator`, textAt(toleration, 'operator') ?? '', problem),
      )
    }
  })
  errors.push(...nodeAffinityErrors(spec, `${path}.affinity.nodeAffinity`))
  const spreads = new Set<string>()
  arrayAt(spec, 'topologySpreadConstraints').forEach((spread, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`
    const maxSkew = isObject(spread) ? spread['maxSkew'] : undefined
    if (typeof maxSkew !== 'number' || maxSkew <= 0)
      errors.push(field.invalid(`${at}.maxSkew`, maxSkew ?? 0, 'must be greater than zero'))
    const key = textAt(spread, 'topologyKey') ?? ''
    if (key === '') errors.push(field.required(`${at}.topologyKey`, 'can not be empty'))
    const when = textAt(spread, 'whenUnsatisfiable') ?? ''
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(when)) {
      errors.push(field.notSupported(`${at}.whenUnsatisfiable`, when, ['DoNotSchedule', 'ScheduleAnyway']))
    }
    const pair = `{${key}, ${when}}`
    if (spreads.has(pair)) errors.push(field.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair))
    spreads.add(pair)
  })
  return errors
}

function containerErrors(containers: readonly unknown[], path: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`
    const name = textAt(container, 'name') ?? ''
    const problem = name === '' ? undefined : labelProblem(name)
    if (name === '') errors.push(field.required(`${at}.name`))
    else if (problem !== undefined) errors.push(field.invalid(`${at}.name`, name, problem))
    else if (names.has(name)) errors.push(field.duplicate(`${at}.name`, name))
    names.add(name)
    if ((textAt(container, 'image') ?? '') === '') errors.push(field.required(`${at}.image`))
    errors.push(...resourceErrors(container, `${at}.resources`))
  })
  return errors
}

/** Requests may not exceed limits, and what cannot be overcommitted needs both, equal. */
function resourceErrors(container: unknown, path: string): FieldError[] {
  const errors: FieldError[] = []
  const requests = textMapAt(container, 'resources', 'requests')
  const limits = textMapAt(container, 'resources', 'limits')
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name]
    if (limit === undefined) {
      if (!canOvercommit(name)) {
        errors.push(field.required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
      }
    } else if (isGreater(request, limit)) {
      errors.push(field.invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`))
    } else if (!canOvercommit(name) && request !== limit) {
      errors.push(field.invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`))
    }
  }
  return errors
}

/** The cluster's own resources are shared; devices and huge pages are not. */
function canOvercommit(name: string): boolean {
  return !name.startsWith('hugepages-') && (!name.includes('/') || name.includes('kubernetes.io/'))
}

function isGreater(a: string, b: string): boolean {
  const left = parseExactQuantity(a)
  const right = parseExactQuantity(b)
  if (left === undefined || right === undefined) return false
  return left.numerator * right.denominator > right.numerator * left.denominator
}

const selectorOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

function nodeAffinityErrors(spec: JsonObject, path: string): FieldError[] {
  const required = objectAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  if (required === undefined) return []
  const terms = arrayAt(required, 'nodeSelectorTerms')
  const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
  if (terms.length === 0) return [field.required(at, 'must have at least one node selector term')]
  return terms.flatMap((term, index) =>
    arrayAt(term, 'matchExpressions').flatMap((expression, position) => {
      const operator = textAt(expression, 'operator') ?? ''
      const where = `${at}[${index}].matchExpressions[${position}]`
      if (!selectorOperators.includes(operator)) {
        return [field.invalid(`${where}.operator`, operator, 'not a valid selector operator')]
      }
      const needsValues = operator === 'In' || operator === 'NotIn'
      return needsValues && arrayAt(expression, 'values').length === 0
        ? [field.required(`${where}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
        : []
    }),
  )
}
