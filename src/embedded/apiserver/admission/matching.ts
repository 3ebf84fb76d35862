import { arrayAt, isObject, type JsonObject, objectAt, textAt } from '../json.ts'
import type { AdmissionAttempt } from '../api/context.ts'
import { labelPredicate, toLabelSelector } from '../label-selectors.ts'
import type { Store } from '../store.ts'

/** Whether one of the rules (`apiGroups`, `apiVersions`, `operations`, `resources`, `scope`) covers the attempt. */
export function matchesRules(rules: readonly unknown[], attempt: AdmissionAttempt): boolean {
  return rules.some((rule) => isObject(rule) && matchesRule(rule, attempt))
}

function matchesRule(rule: JsonObject, { definition, operation, subresource, target }: AdmissionAttempt): boolean {
  const scope = textAt(rule, 'scope') ?? '*'
  const names = arrayAt(rule, 'resourceNames')
  return (
    covers(rule, 'apiGroups', definition.group) &&
    covers(rule, 'apiVersions', definition.version) &&
    covers(rule, 'operations', operation) &&
    arrayAt(rule, 'resources').some((pattern) => matchesResource(String(pattern), definition.plural, subresource)) &&
    (names.length === 0 || names.includes(target.name)) &&
    (scope === '*' || (scope === 'Namespaced') === definition.namespaced)
  )
}

function covers(rule: JsonObject, name: string, value: string): boolean {
  const values = arrayAt(rule, name)
  return values.includes('*') || values.includes(value)
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*\/status`, `*\/*`; a plain name or star leaves subresources out. */
function matchesResource(pattern: string, plural: string, subresource: string | undefined): boolean {
  const [resource, part] = pattern.split('/')
  if (resource !== '*' && resource !== plural) return false
  return part === undefined ? subresource === undefined : part === '*' || part === subresource
}

/** Whether `namespaceSelector` and `objectSelector` select the attempt. An object matches by its new or its old labels. */
export function matchesSelectors(store: Store, config: JsonObject, attempt: AdmissionAttempt): boolean {
  const { definition, object, old, target } = attempt
  const byObject = objectAt(config, 'objectSelector')
  if (byObject !== undefined) {
    const matches = labelPredicate(toLabelSelector(byObject))
    const labelled = [object, old].filter((each) => each !== undefined)
    if (!labelled.some((each) => matches(labelsOf(each)))) return false
  }
  const byNamespace = objectAt(config, 'namespaceSelector')
  if (byNamespace === undefined) return true
  // A namespace is selected by its own labels; other cluster-scoped objects always match.
  if (definition.table === '/namespaces')
    return labelPredicate(toLabelSelector(byNamespace))(labelsOf(object ?? old ?? {}))
  if (!definition.namespaced) return true
  const namespace = store.get('/namespaces', target.namespace ?? '')
  return labelPredicate(toLabelSelector(byNamespace))(namespace?.metadata.labels ?? {})
}

function labelsOf(object: object): Readonly<Record<string, string>> {
  const labels = objectAt({ object }, 'object', 'metadata', 'labels') ?? {}
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]))
}
