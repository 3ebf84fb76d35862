import { type FieldError, field } from '../../errors.ts'
import { arrayAt, isObject, type JsonObject, textAt } from '../../json.ts'
import { choice } from '../field-rules.ts'
import { nameErrors } from './list-names.ts'
import { portErrors } from './ports.ts'
import { probeErrors } from './probes.ts'
import { resourceErrors } from './resources.ts'
import { mountErrors } from './volumes.ts'

const pullPolicies = ['Always', 'IfNotPresent', 'Never']
const restartPolicies = ['Always', 'Never', 'OnFailure']

/** All containers of a pod; their names have to differ, whichever list they are in. */
export function containerErrors(spec: JsonObject, path: string, claimed: readonly string[]): FieldError[] {
  const containers = arrayAt(spec, 'containers')
  const names = new Set<string>()
  const volumes = new Set([...arrayAt(spec, 'volumes').map((volume) => textAt(volume, 'name') ?? ''), ...claimed])
  const errors = containers.length === 0 ? [field.required(`${path}.containers`)] : []
  for (const list of ['containers', 'initContainers']) {
    const hostPorts = new Set<string>()
    arrayAt(spec, list).forEach((container, index) => {
      const at = `${path}.${list}[${index}]`
      const name = textAt(container, 'name') ?? ''
      errors.push(
        ...nameErrors(name, names, `${at}.name`),
        ...imageErrors(container, at),
        ...portErrors(container, { hostNetwork: spec['hostNetwork'] === true, hostPorts }, at),
        ...variableErrors(container, at),
        ...mountErrors(container, volumes, at),
        ...resourceErrors(container, `${at}.resources`),
        ...probeErrors(container, at),
        ...(list === 'initContainers' ? choice(container, `${at}.restartPolicy`, restartPolicies) : []),
      )
      names.add(name)
    })
  }
  return errors
}

function imageErrors(container: unknown, at: string): FieldError[] {
  return [
    ...((textAt(container, 'image') ?? '') === '' ? [field.required(`${at}.image`)] : []),
    ...choice(container, `${at}.imagePullPolicy`, pullPolicies),
  ]
}

const variableSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef']
const variableFields =
  /^(metadata\.(name|namespace|uid|labels\['.*'\]|annotations\['.*'\])|spec\.(nodeName|serviceAccountName|host)|status\.(hostIPs?|podIPs?))$/

function variableErrors(container: unknown, path: string): FieldError[] {
  return arrayAt(container, 'env').flatMap((variable, index) => {
    const at = `${path}.env[${index}]`
    const errors = (textAt(variable, 'name') ?? '') === '' ? [field.required(`${at}.name`)] : []
    const source = isObject(variable) ? variable['valueFrom'] : undefined
    if (!isObject(source)) return errors
    const count = variableSources.filter((name) => isObject(source[name])).length
    const hasValue = (textAt(variable, 'value') ?? '') !== ''
    if (count === 0) {
      const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
      errors.push(field.invalid(`${at}.valueFrom`, '', `must specify one of: ${names}`))
    } else if (hasValue) {
      errors.push(field.invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty'))
    } else if (count > 1) {
      errors.push(field.invalid(`${at}.valueFrom`, '', 'may not have more than one field specified at a time'))
    }
    const label = textAt(source, 'fieldRef', 'fieldPath')
    if (label !== undefined && !variableFields.test(label)) {
      const detail = `error converting fieldPath: field label not supported: ${label}`
      errors.push(field.invalid(`${at}.valueFrom.fieldRef.fieldPath`, label, detail))
    }
    return errors
  })
}
