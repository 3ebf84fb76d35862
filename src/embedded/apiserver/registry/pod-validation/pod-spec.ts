import { type FieldError, field } from '../../errors.ts'
import { arrayAt, type JsonObject, objectAt, textAt } from '../../json.ts'
import { choice } from '../field-rules.ts'
import { labelErrors, labelProblem, subdomainProblem } from '../names.ts'
import { containerErrors } from './containers.ts'
import { affinityErrors, spreadErrors, tolerationErrors } from './scheduling.ts'
import { volumeErrors } from './volumes.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const deadlineMax = 2 ** 31 - 1

/**
 * The checks of a pod spec, or of a template's, that matter to who writes workloads by hand.
 * @param claimed names of volumes that claim templates add
 */
export function podSpecErrors(spec: JsonObject, path: string, claimed: readonly string[] = []): FieldError[] {
  return [
    ...volumeErrors(spec, path),
    ...containerErrors(spec, path, claimed),
    ...settingErrors(spec, path),
    ...labelErrors(objectAt(spec, 'nodeSelector') ?? {}, `${path}.nodeSelector`),
    ...tolerationErrors(spec, path),
    ...affinityErrors(spec, path),
    ...spreadErrors(spec, path),
    ...gateErrors(spec, path),
  ]
}

function settingErrors(spec: JsonObject, path: string): FieldError[] {
  const errors = [
    ...choice(spec, `${path}.restartPolicy`, restartPolicies),
    ...choice(spec, `${path}.dnsPolicy`, dnsPolicies),
  ]
  if (spec['dnsPolicy'] === 'None' && objectAt(spec, 'dnsConfig') === undefined) {
    errors.push(field.required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None'))
  }
  const { activeDeadlineSeconds: deadline } = spec
  if (typeof deadline === 'number' && (deadline < 1 || deadline > deadlineMax)) {
    const detail = `must be between 1 and ${deadlineMax}, inclusive`
    errors.push(field.invalid(`${path}.activeDeadlineSeconds`, deadline, detail))
  }
  const names = {
    hostname: labelProblem,
    subdomain: labelProblem,
    serviceAccountName: subdomainProblem,
    nodeName: subdomainProblem,
  }
  for (const [name, problemOf] of Object.entries(names)) {
    const text = textAt(spec, name) ?? ''
    const problem = text === '' ? undefined : problemOf(text)
    if (problem !== undefined) errors.push(field.invalid(`${path}.${name}`, text, problem))
  }
  return errors
}

function gateErrors(spec: JsonObject, path: string): FieldError[] {
  const seen = new Set<string>()
  return arrayAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name') ?? ''
    if (seen.has(name)) return [field.duplicate(`${path}.schedulingGates[${index}]`, name)]
    seen.add(name)
    return []
  })
}
