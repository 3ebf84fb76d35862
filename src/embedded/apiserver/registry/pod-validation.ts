import { type FieldError, field } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, textAt } from '../json.ts'
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
  })
  return errors
}
