import { labelValueErrors } from '../../../../api/qualified-name.ts'
import { type FieldError, field } from '../../errors.ts'
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt } from '../../json.ts'
import { choice } from '../field-rules.ts'
import { expressionErrors, keyErrors, selectorErrors } from '../selector-validation.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const weightMax = 100

export function tolerationErrors(spec: JsonObject, path: string): FieldError[] {
  return arrayAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `${path}.tolerations[${index}]`
    const key = textAt(toleration, 'key') ?? ''
    const operator = textAt(toleration, 'operator') ?? ''
    const value = textAt(toleration, 'value') ?? ''
    const effect = textAt(toleration, 'effect') ?? ''
    const errors = key === '' ? [] : keyErrors(key, `${at}.key`)
    if (key === '' && operator !== 'Exists') {
      const problem = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(field.invalid(`${at}.operator`, operator, problem))
    }
    if (numberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      errors.push(field.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === 'Exists') {
      const problem = "value must be empty when `operator` is 'Exists'"
      if (value !== '') errors.push(field.invalid(`${at}.operator`, value, problem))
    } else if (operator === '' || operator === 'Equal') {
      errors.push(...labelValueErrors(value).map((problem) => field.invalid(`${at}.operator`, value, problem)))
    } else errors.push(field.notSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
    if (effect !== '' && !effects.includes(effect)) {
      errors.push(field.notSupported(`${at}.effect`, effect, effects))
    }
    return errors
  })
}

export function affinityErrors(spec: JsonObject, path: string): FieldError[] {
  const at = `${path}.affinity`
  const affinity = objectAt(spec, 'affinity')
  if (affinity === undefined) return []
  return [
    ...nodeAffinityErrors(affinity, `${at}.nodeAffinity`),
    ...podAffinityErrors(affinity, 'podAffinity', at),
    ...podAffinityErrors(affinity, 'podAntiAffinity', at),
  ]
}

function nodeAffinityErrors(affinity: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  const required = objectAt(affinity, 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  if (required !== undefined) {
    const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
    const terms = arrayAt(required, 'nodeSelectorTerms')
    if (terms.length === 0) errors.push(field.required(at, 'must have at least one node selector term'))
    terms.forEach((term, index) => errors.push(...nodeTermErrors(term, `${at}[${index}]`)))
  }
  arrayAt(affinity, 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution').forEach((preferred, index) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
    errors.push(...weightErrors(preferred, at))
    errors.push(...nodeTermErrors(objectAt(preferred, 'preference'), `${at}.preference`))
  })
  return errors
}

function nodeTermErrors(term: unknown, path: string): FieldError[] {
  return arrayAt(term, 'matchExpressions').flatMap((expression, index) => {
    const at = `${path}.matchExpressions[${index}]`
    const operator = textAt(expression, 'operator') ?? ''
    const keys = keyErrors(textAt(expression, 'key') ?? '', `${at}.key`)
    if (operator !== 'Gt' && operator !== 'Lt') return [...expressionErrors(expression, at), ...keys]
    if (arrayAt(expression, 'values').length === 1) return keys
    return [field.required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"), ...keys]
  })
}

function podAffinityErrors(affinity: JsonObject, kind: 'podAffinity' | 'podAntiAffinity', path: string): FieldError[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution'
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
  return [
    ...arrayAt(affinity, kind, required).flatMap((term, index) =>
      podTermErrors(term, `${path}.${kind}.${required}[${index}]`),
    ),
    ...arrayAt(affinity, kind, preferred).flatMap((term, index) => {
      const at = `${path}.${kind}.${preferred}[${index}]`
      return [...weightErrors(term, at), ...podTermErrors(objectAt(term, 'podAffinityTerm'), `${at}.podAffinityTerm`)]
    }),
  ]
}

function podTermErrors(term: unknown, at: string): FieldError[] {
  const key = textAt(term, 'topologyKey') ?? ''
  return [
    ...selectorErrors(objectAt(term, 'labelSelector'), `${at}.labelSelector`),
    ...(key === '' ? [field.required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...keyErrors(key, `${at}.topologyKey`),
  ]
}

function weightErrors(term: unknown, at: string): FieldError[] {
  const weight = numberAt(term, 'weight') ?? 0
  if (weight >= 1 && weight <= weightMax) return []
  return [field.invalid(`${at}.weight`, weight, `must be in the range 1-${weightMax}`)]
}

const whenUnsatisfiable = ['DoNotSchedule', 'ScheduleAnyway']
const nodePolicies = ['Honor', 'Ignore']

export function spreadErrors(spec: JsonObject, path: string): FieldError[] {
  const spreads = arrayAt(spec, 'topologySpreadConstraints')
  const pairs = spreads.map(
    (spread) => `{${textAt(spread, 'topologyKey') ?? ''}, ${textAt(spread, 'whenUnsatisfiable') ?? ''}}`,
  )
  return spreads.flatMap((spread, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`
    const errors = spreadFieldErrors(spread, at)
    const pair = pairs[index] ?? ''
    if (pairs.includes(pair, index + 1)) {
      errors.push(field.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair))
    }
    return errors
  })
}

function spreadFieldErrors(spread: unknown, at: string): FieldError[] {
  const errors: FieldError[] = []
  const maxSkew = isObject(spread) ? spread['maxSkew'] : undefined
  if (typeof maxSkew !== 'number' || maxSkew <= 0) {
    errors.push(field.invalid(`${at}.maxSkew`, maxSkew ?? 0, 'must be greater than zero'))
  }
  const key = textAt(spread, 'topologyKey') ?? ''
  if (key === '') errors.push(field.required(`${at}.topologyKey`, 'can not be empty'))
  const when = textAt(spread, 'whenUnsatisfiable') ?? ''
  if (!whenUnsatisfiable.includes(when)) {
    errors.push(field.notSupported(`${at}.whenUnsatisfiable`, when, whenUnsatisfiable))
  }
  const minDomains = numberAt(spread, 'minDomains')
  if (minDomains !== undefined) {
    if (minDomains <= 0) errors.push(field.invalid(`${at}.minDomains`, minDomains, 'must be greater than zero'))
    if (when !== 'DoNotSchedule') {
      const problem = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`
      errors.push(field.invalid(`${at}.minDomains`, minDomains, problem))
    }
  }
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
    errors.push(...choice(spread, `${at}.${name}`, nodePolicies))
  }
  errors.push(...selectorErrors(objectAt(spread, 'labelSelector'), `${at}.labelSelector`))
  return errors
}
