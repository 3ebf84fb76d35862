import { field, type FieldError } from '../errors.ts'
import { arrayAt, textMapAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { qualifiedNameProblem } from './names.ts'

const counted = ['pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps']
const standard = [
  ...counted,
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
  'cpu',
  'memory',
  'ephemeral-storage',
]
const scopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]

export function quotaErrors(quota: IncomingObject): readonly FieldError[] {
  const hard = Object.entries(textMapAt(quota, 'spec', 'hard')).flatMap(([resource, text]) => {
    const path = `spec.hard[${resource}]`
    const errors: FieldError[] = []
    const problem = qualifiedNameProblem(resource)
    if (problem !== undefined) errors.push(field.invalid(path, resource, problem))
    const isStandard = standard.includes(resource) || /^(requests|limits)\./.test(resource)
    if (!resource.includes('/') && !isStandard) {
      errors.push(field.invalid(path, resource, 'must be a standard resource for quota'))
    }
    if (text.startsWith('-')) errors.push(field.invalid(path, text, 'must be greater than or equal to 0'))
    if (counted.includes(resource) && text.endsWith('m')) errors.push(field.invalid(path, text, 'must be an integer'))
    return errors
  })
  const named = arrayAt(quota, 'spec', 'scopes')
  const unknown = named.some((scope) => !scopes.includes(String(scope)))
  return [...hard, ...(unknown ? [field.invalid('spec.scopes', named, 'unsupported scope')] : [])]
}
