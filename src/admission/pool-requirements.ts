import type { NodePool } from '../api/karpenter.ts'
import { awsVocabulary, normalizeLabelKey } from '../api/label-rules.ts'
import type { TypeOutline } from '../model/instance-type.ts'
import { effectiveOperator, intersect, type Operator, type Requirement, toRequirement } from '../model/requirement.ts'
import {
  intersects,
  isCompatible,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  toRequirements,
} from '../model/requirements.ts'

export interface RequirementLine {
  readonly key: string
  readonly operator: Operator
  readonly values?: readonly string[]
  readonly minValues?: number
}

/** Several rules ask, and each pool is held against all others whenever one is judged. */
const requirementsBefore = new WeakMap<NodePool, Requirements>()

/** Requirements and labels of the template together: what every node of the pool will have. */
export function templateRequirements(nodePool: NodePool): Requirements {
  const known = requirementsBefore.get(nodePool)
  if (known !== undefined) return known
  const { metadata, spec } = nodePool.spec.template
  const merged = mergeRequirements(
    toRequirements(spec.requirements, awsVocabulary.aliases),
    labelRequirements(metadata?.labels ?? {}, awsVocabulary.aliases),
  )
  requirementsBefore.set(nodePool, merged)
  return merged
}

/** Looking through a catalogue takes milliseconds, several rules need it, and the same pools are judged again and again. */
const allowedBefore = new WeakMap<readonly TypeOutline[], Map<string, readonly TypeOutline[]>>()
const rememberedMax = 200
/** Several rules ask about one pool, one after the other. */
const askedLast = new WeakMap<
  NodePool,
  { readonly catalogue: readonly TypeOutline[]; readonly types: readonly TypeOutline[] }
>()

/** Instance types that the pool may launch: attributes fit, and at least one way to buy them does. */
export function allowedTypes(nodePool: NodePool, catalogue: readonly TypeOutline[]): readonly TypeOutline[] {
  const last = askedLast.get(nodePool)
  if (last?.catalogue === catalogue) return last.types
  const types = typesOfEqualPools(nodePool, catalogue)
  askedLast.set(nodePool, { catalogue, types })
  return types
}

function typesOfEqualPools(nodePool: NodePool, catalogue: readonly TypeOutline[]): readonly TypeOutline[] {
  const { metadata, spec } = nodePool.spec.template
  const text = JSON.stringify([spec.requirements, metadata?.labels])
  const remembered = allowedBefore.get(catalogue) ?? new Map<string, readonly TypeOutline[]>()
  const known = remembered.get(text)
  if (known !== undefined) return known
  const found = typesMeeting(templateRequirements(nodePool), catalogue)
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(text, found)
  allowedBefore.set(catalogue, remembered)
  return found
}

function typesMeeting(requirements: Requirements, catalogue: readonly TypeOutline[]): TypeOutline[] {
  return catalogue.filter(
    (type) =>
      intersects(requirements, type.requirements) &&
      type.offerings.some((offering) => isCompatible(requirements, offering.requirements, awsVocabulary.wellKnown)),
  )
}

/** Lines on one key that exclude each other, by the position of the last one. */
export interface Contradiction {
  readonly key: string
  readonly index: number
}

/** Keys that must have a value and can have none. A key that may be absent is never contradictory. */
export function contradictions(
  lines: readonly RequirementLine[],
  labels: Readonly<Record<string, string>> = {},
): Contradiction[] {
  const keys = [...Object.keys(labels), ...lines.map(({ key }) => key)].map((key) => normalizeLabelKey(key))
  // Nothing contradicts a line that is alone.
  if (new Set(keys).size === keys.length) return []
  const known = new Map<string, Requirement>()
  for (const [key, value] of Object.entries(labels)) {
    const normalized = normalizeLabelKey(key)
    known.set(normalized, toRequirement(normalized, 'In', [value]))
  }
  const found: Contradiction[] = []
  for (const [index, line] of lines.entries()) {
    const key = normalizeLabelKey(line.key)
    const next = toRequirement(key, line.operator, line.values)
    const before = known.get(key)
    const merged = before === undefined ? next : intersect(before, next)
    known.set(key, merged)
    if (before === undefined || effectiveOperator(merged) !== 'DoesNotExist' || found.some((one) => one.key === key))
      continue
    if (mustExist(before) || mustExist(next)) found.push({ key, index })
  }
  return found
}

function mustExist(requirement: Requirement): boolean {
  const operator = effectiveOperator(requirement)
  return operator === 'In' || operator === 'Exists'
}

/** How many different values an In list on the key leaves, after all lines on it; undefined when none lists values. */
export function listedValues(lines: readonly RequirementLine[], key: string): number | undefined {
  const merged = toRequirements(
    lines.filter((line) => normalizeLabelKey(line.key) === key),
    awsVocabulary.aliases,
  ).get(key)
  return merged === undefined || merged.complement ? undefined : merged.values.size
}

/** `1 value`, `2 different values`. */
export function distinct(count: number): string {
  return count === 1 ? '1 value' : `${count} different values`
}
