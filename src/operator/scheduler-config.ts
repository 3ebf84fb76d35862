import { parse } from 'yaml'
import { messageOf } from '../api/error-text.ts'
import { isRecord } from '../api/json.ts'
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

const constraintTypes = {
  maxSkew: 'number',
  topologyKey: 'string',
  whenUnsatisfiable: 'string',
  labelSelector: 'object',
  minDomains: 'number',
  nodeAffinityPolicy: 'string',
  nodeTaintsPolicy: 'string',
  matchLabelKeys: 'object',
} as const satisfies Readonly<Record<keyof TopologySpreadConstraint, 'number' | 'string' | 'object'>>

/** Strict YAML or JSON: a field that is not known stops the process, so that a misspelt one is not passed over. */
export function parseSchedulerConfig(text: string): SchedulerConfigResult {
  if (text.trim() === '') return { kind: 'ok', config: { defaultConstraints: [] } }
  let document: unknown
  try {
    document = parse(text, kubernetesYAML)
  } catch (error) {
    return undecodable(messageOf(error))
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
    const field = unknownField(item, new Set(Object.keys(constraintTypes)))
    if (field !== undefined) return undecodable(`unknown field "${field}"`)
    const path = `podTopologySpread.defaultConstraints[${index}]`
    const constraint = withoutNulls(item)
    const mistyped = Object.entries(constraintTypes).find(
      ([name, type]) => constraint[name] !== undefined && typeof constraint[name] !== type,
    )
    if (mistyped !== undefined) return undecodable(`${path}.${mistyped[0]} is not ${nounOf[mistyped[1]]}`)
    const problem = problemOf(constraint, constraints)
    if (problem !== undefined) return { kind: 'invalid', message: `validating scheduler config, ${path}${problem}` }
    constraints.push(constraint as unknown as TopologySpreadConstraint)
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

const nounOf = { number: 'a number', string: 'a text', object: 'an object or a list' } as const

/** To Go a null is a field that is not there. */
function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

function undecodable(why: string): SchedulerConfigResult {
  return { kind: 'invalid', message: `decoding scheduler config, ${why}` }
}

function unknownField(record: Record<string, unknown>, known: ReadonlySet<string>): string | undefined {
  return Object.keys(record).find((key) => !known.has(key))
}
