import { parse } from 'yaml'
import type { TopologySpreadConstraint } from '../api/kubernetes.ts'
import { kubernetesYAML } from '../api/kubernetes-yaml.ts'
import { qualifiedNameErrors } from '../api/qualified-name.ts'

/** Spread constraints for pods that have none of their own. */
export interface SchedulerConfig {
  readonly defaultConstraints: readonly TopologySpreadConstraint[]
}

export type SchedulerConfigResult =
  | { readonly kind: 'ok'; readonly config: SchedulerConfig }
  | { readonly kind: 'invalid'; readonly message: string }

const constraintFields = new Set([
  'maxSkew',
  'topologyKey',
  'whenUnsatisfiable',
  'labelSelector',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'matchLabelKeys',
])

/** Strict YAML or JSON: a field that is not known stops the process, so that a misspelt one is not passed over. */
export function parseSchedulerConfig(text: string): SchedulerConfigResult {
  if (text.trim() === '') return { kind: 'ok', config: { defaultConstraints: [] } }
  let document: unknown
  try {
    document = parse(text, kubernetesYAML)
  } catch (error) {
    return undecodable(error instanceof Error ? error.message : String(error))
  }
  if (!isRecord(document)) return undecodable('not an object')
  const spread = document['podTopologySpread'] ?? {}
  if (!isRecord(spread)) return undecodable('podTopologySpread is not an object')
  const unknown =
    unknownField(document, new Set(['podTopologySpread'])) ?? unknownField(spread, new Set(['defaultConstraints']))
  if (unknown !== undefined) return undecodable(`unknown field "${unknown}"`)
  const list = spread['defaultConstraints'] ?? []
  if (!Array.isArray(list)) return undecodable('podTopologySpread.defaultConstraints is not a list')
  const constraints: TopologySpreadConstraint[] = []
  for (const [index, item] of list.entries()) {
    if (!isRecord(item)) return undecodable('a constraint is not an object')
    const field = unknownField(item, constraintFields)
    if (field !== undefined) return undecodable(`unknown field "${field}"`)
    const constraint = item as unknown as TopologySpreadConstraint
    const problem = problemOf(item, constraints)
    if (problem !== undefined) {
      const path = `podTopologySpread.defaultConstraints[${index}]`
      return { kind: 'invalid', message: `validating scheduler config, ${path}${problem}` }
    }
    constraints.push(constraint)
  }
  return { kind: 'ok', config: { defaultConstraints: constraints } }
}

function problemOf(
  constraint: Partial<TopologySpreadConstraint>,
  before: readonly TopologySpreadConstraint[],
): string | undefined {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable, labelSelector, matchLabelKeys } = constraint
  if (!(Number.isInteger(maxSkew) && maxSkew > 0)) return '.maxSkew must be greater than 0'
  if (topologyKey === '') return '.topologyKey must be set'
  const [bad] = qualifiedNameErrors(topologyKey)
  if (bad !== undefined) return `.topologyKey ${JSON.stringify(topologyKey)} is not a valid label name, ${bad}`
  if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway') {
    return `.whenUnsatisfiable ${JSON.stringify(whenUnsatisfiable ?? '')} must be one of "DoNotSchedule" or "ScheduleAnyway"`
  }
  if (labelSelector !== undefined) return '.labelSelector must not be set, as selectors are deduced for each pod'
  if (matchLabelKeys !== undefined) return '.matchLabelKeys must not be set, as it has no effect on default constraints'
  const twin = before.findIndex(
    (known) => known.topologyKey === topologyKey && known.whenUnsatisfiable === whenUnsatisfiable,
  )
  return twin < 0 ? undefined : ` is a duplicate of [${twin}], {${topologyKey}, ${whenUnsatisfiable}}`
}

function undecodable(why: string): SchedulerConfigResult {
  return { kind: 'invalid', message: `decoding scheduler config, ${why}` }
}

function unknownField(record: Record<string, unknown>, known: ReadonlySet<string>): string | undefined {
  return Object.keys(record).find((key) => !known.has(key))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
