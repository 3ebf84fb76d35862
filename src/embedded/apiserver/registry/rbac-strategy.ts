import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { pathSegmentProblem, subdomainProblem } from './names.ts'
import { withDefaults } from './pod-defaults.ts'
import { labelSelectorErrors } from './selector-validation.ts'

const group = 'rbac.authorization.k8s.io'

/** What is wrong with a Role, or with a ClusterRole, whose rules may name addresses. */
export function roleErrors(role: IncomingObject): readonly FieldError[] {
  const namespaced = role.kind === 'Role'
  const errors = arrayAt(role, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced))
  const aggregation = objectAt(role, 'aggregationRule')
  if (aggregation === undefined) return errors
  const path = 'aggregationRule.clusterRoleSelectors'
  const selectors = arrayAt(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0) {
    return [...errors, field.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  }
  selectors.filter(isObject).forEach((selector, index) => {
    const problems = labelSelectorErrors(selector, `${path}[${index}]`)
    errors.push(...problems)
    if (problems.length > 0) errors.push(field.invalid(`${path}[${index}]`, null, 'invalid label selector.'))
  })
  return errors
}

function ruleErrors(rule: unknown, path: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const [groups, resources, addresses] = ['apiGroups', 'resources', 'nonResourceURLs'].map((name) =>
    arrayAt(rule, name),
  )
  if (arrayAt(rule, 'verbs').length === 0) {
    errors.push(field.required(`${path}.verbs`, 'verbs must contain at least one value'))
  }
  if (addresses !== undefined && addresses.length > 0) {
    const detail = namespaced
      ? 'namespaced rules cannot apply to non-resource URLs'
      : [groups, resources, arrayAt(rule, 'resourceNames')].some((names = []) => names.length > 0)
        ? 'rules cannot apply to both regular resources and non-resource URLs'
        : undefined
    if (detail !== undefined) errors.push(field.invalid(`${path}.nonResourceURLs`, addresses, detail))
    return errors
  }
  if (groups?.length === 0) {
    errors.push(field.required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (resources?.length === 0) {
    errors.push(field.required(`${path}.resources`, 'resource rules must supply at least one resource'))
  }
  return errors
}

export function defaultBinding(binding: IncomingObject): IncomingObject {
  const role = withDefaults(objectAt(binding, 'roleRef') ?? {}, { apiGroup: group })
  const subjects = arrayAt(binding, 'subjects').map((subject) =>
    textAt(subject, 'kind') === 'ServiceAccount' || !isObject(subject)
      ? subject
      : withDefaults(subject, { apiGroup: group }),
  )
  const named = withAt(binding, ['roleRef'], role)
  return subjects.length === 0 ? named : withAt(named, ['subjects'], subjects)
}

export function bindingErrors(binding: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const role = objectAt(binding, 'roleRef') ?? {}
  const apiGroup = textAt(role, 'apiGroup') ?? ''
  const errors: FieldError[] = []
  if (apiGroup !== group) errors.push(field.notSupported('roleRef.apiGroup', apiGroup, [group]))
  const kinds = binding.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const kind = textAt(role, 'kind') ?? ''
  if (!kinds.includes(kind)) errors.push(field.notSupported('roleRef.kind', kind, kinds))
  const name = textAt(role, 'name') ?? ''
  const problem = pathSegmentProblem(name)
  if (name === '') errors.push(field.required('roleRef.name'))
  else if (problem !== undefined) errors.push(field.invalid('roleRef.name', name, problem))
  errors.push(
    ...arrayAt(binding, 'subjects')
      .filter(isObject)
      .flatMap((subject, index) => subjectErrors(subject, `subjects[${index}]`, binding.kind)),
  )
  if (old !== undefined && !jsonEqual(old['roleRef'], role)) {
    errors.push(field.invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'))
  }
  return errors
}

function subjectErrors(subject: JsonObject, path: string, bindingKind: unknown): FieldError[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject
  const errors: FieldError[] = []
  if (name === '') errors.push(field.required(`${path}.name`))
  switch (kind) {
    case 'ServiceAccount': {
      const problem = name === '' ? undefined : subdomainProblem(String(name))
      if (problem !== undefined) errors.push(field.invalid(`${path}.name`, name, problem))
      if (apiGroup !== '') errors.push(field.notSupported(`${path}.apiGroup`, apiGroup, ['']))
      if (namespace === '' && bindingKind === 'ClusterRoleBinding') errors.push(field.required(`${path}.namespace`))
      return errors
    }
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(field.notSupported(`${path}.apiGroup`, apiGroup, [group]))
      return errors
    default:
      return [...errors, field.notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}
