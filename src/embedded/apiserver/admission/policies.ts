import { KubeError, type KubeErrorCode } from '../../../kube/errors.ts'
import type { AdmissionAttempt } from '../api/context.ts'
import { qualifiedPlural } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import type { Registry } from '../registry/registry.ts'
import { labelPredicate, toLabelSelector } from '../label-selectors.ts'
import type { Store } from '../store.ts'
import { admissionVariables, evaluate, matchConditions } from './expressions.ts'
import { matchesRules, matchesSelectors } from './matching.ts'

interface Violation {
  readonly message: string
  readonly reason: KubeErrorCode
}

/** Enforces the stored ValidatingAdmissionPolicies through their bindings. */
export function enforcePolicies(store: Store, registry: Registry, attempt: AdmissionAttempt): void {
  const bindings = store.list('admissionregistration.k8s.io/validatingadmissionpolicybindings')
  for (const binding of bindings) {
    const policy = store.get(
      'admissionregistration.k8s.io/validatingadmissionpolicies',
      textAt(binding, 'spec', 'policyName') ?? '',
    )
    const matchResources = objectAt(binding, 'spec', 'matchResources')
    if (policy === undefined || !matchesResources(store, objectAt(policy, 'spec', 'matchConstraints') ?? {}, attempt))
      continue
    if (matchResources !== undefined && !matchesResources(store, matchResources, attempt, true)) continue
    for (const params of paramsOf(store, registry, policy, binding, attempt)) {
      const violations = evaluatePolicy(store, policy, attempt, params)
      for (const violation of violations) act(violation, { policy, binding, attempt })
    }
  }
}

/** In a binding no rules mean all that the policy covers. */
function matchesResources(store: Store, config: JsonObject, attempt: AdmissionAttempt, emptyMatches = false): boolean {
  const rules = arrayAt(config, 'resourceRules')
  if (!(emptyMatches && rules.length === 0) && !matchesRules(rules, attempt)) return false
  return !matchesRules(arrayAt(config, 'excludeResourceRules'), attempt) && matchesSelectors(store, config, attempt)
}

function paramsOf(
  store: Store,
  registry: Registry,
  policy: StoredObject,
  binding: StoredObject,
  attempt: AdmissionAttempt,
): readonly (JsonObject | undefined)[] {
  const kind = objectAt(policy, 'spec', 'paramKind')
  const reference = objectAt(binding, 'spec', 'paramRef')
  if (kind === undefined || reference === undefined) return [undefined]
  const definition = registry.findKind(textAt(kind, 'apiVersion') ?? '', textAt(kind, 'kind') ?? '')
  if (definition === undefined) return []
  const namespace = definition.namespaced ? (textAt(reference, 'namespace') ?? attempt.target.namespace ?? '') : ''
  const candidates = store.list(definition.table, namespace === '' ? '' : `${namespace}/`)
  const name = textAt(reference, 'name')
  const selector = objectAt(reference, 'selector')
  const matches = selector === undefined ? () => true : labelPredicate(toLabelSelector(selector))
  const found = candidates.filter((each) =>
    name === undefined ? matches(each.metadata.labels ?? {}) : each.metadata.name === name,
  )
  if (found.length > 0) return found
  return textAt(reference, 'parameterNotFoundAction') === 'Deny' ? [undefined] : []
}

function evaluatePolicy(
  store: Store,
  policy: StoredObject,
  attempt: AdmissionAttempt,
  params: JsonObject | undefined,
): readonly Violation[] {
  const ignores = textAt(policy, 'spec', 'failurePolicy') === 'Ignore'
  const failed = (message: string): readonly Violation[] => (ignores ? [] : [{ message, reason: 'Invalid' }])
  const variables = admissionVariables(store, attempt, params)
  const matched = matchConditions(arrayAt(policy, 'spec', 'matchConditions'), variables)
  if (matched === 'no') return []
  if (matched instanceof Error) return failed(matched.message)
  const scope = { ...variables, variables: lazyVariables(arrayAt(policy, 'spec', 'variables'), variables) }
  return arrayAt(policy, 'spec', 'validations')
    .filter(isObject)
    .flatMap((validation) => {
      const expression = textAt(validation, 'expression') ?? 'true'
      const result = evaluate(expression, scope)
      if (result.kind === 'error') return failed(`expression '${expression}' resulted in error: ${result.message}`)
      return result.value === true
        ? []
        : [{ message: messageOf(validation, expression, scope), reason: reasonOf(validation) }]
    })
}

/** Variables are computed when first used, and may use those before them. */
function lazyVariables(declared: readonly unknown[], base: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const variable of declared) {
    const name = textAt(variable, 'name')
    if (name === undefined) continue
    Object.defineProperty(values, name, {
      enumerable: true,
      configurable: true,
      get() {
        const result = evaluate(textAt(variable, 'expression') ?? 'null', { ...base, variables: values })
        if (result.kind === 'error') throw new Error(result.message)
        Object.defineProperty(values, name, { enumerable: true, value: result.value })
        return result.value
      },
    })
  }
  return values
}

function messageOf(validation: JsonObject, expression: string, scope: Record<string, unknown>): string {
  const dynamic = textAt(validation, 'messageExpression')
  if (dynamic !== undefined) {
    const result = evaluate(dynamic, scope)
    if (result.kind === 'value' && typeof result.value === 'string' && result.value.trim() !== '') return result.value
  }
  return textAt(validation, 'message') ?? `failed expression: ${expression.trim()}`
}

function reasonOf(validation: JsonObject): KubeErrorCode {
  const reason = textAt(validation, 'reason') ?? ''
  switch (reason) {
    case 'Unauthorized':
    case 'Forbidden':
    case 'RequestEntityTooLarge':
      return reason
    default:
      return 'Invalid'
  }
}

const statuses: Partial<Record<KubeErrorCode, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
}

function act(
  { message, reason }: Violation,
  where: { readonly policy: StoredObject; readonly binding: StoredObject; readonly attempt: AdmissionAttempt },
): void {
  const { policy, binding, attempt } = where
  const actions = arrayAt(binding, 'spec', 'validationActions')
  const names = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`
  if (actions.includes('Warn')) attempt.request.warn(`Validation failed for ${names}: ${message}`)
  if (!actions.includes('Deny')) return
  const { definition, target } = attempt
  const denial = `${names} denied request: ${message}`
  const text = `${qualifiedPlural(definition)} "${target.name}" is forbidden: ${denial}`
  throw new KubeError(reason, statuses[reason] ?? 422, text, {
    details: {
      name: target.name,
      kind: definition.plural,
      causes: [{ message: denial }],
      ...(definition.group === '' ? {} : { group: definition.group }),
    },
  })
}
