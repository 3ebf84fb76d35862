import { BoundedMemo } from '../api/bounded-memo.ts'
import type { NodePool } from '../api/karpenter.ts'
import { awsVocabulary, normalizeLabelKey } from '../api/label-rules.ts'
import { capacityTypes, labelCapacityType } from '../api/labels.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { TypeOutline } from '../model/instance-type.ts'
import {
  allows,
  anyValue,
  effectiveOperator,
  intersectAll,
  type RequirementOperator,
  type Requirement,
  toRequirement,
} from '../model/requirement.ts'
import {
  intersects,
  isCompatible,
  labelRequirements,
  mergeRequirements,
  requirementFor,
  type Requirements,
  toRequirements,
} from '../model/requirements.ts'
import type { AdmissionFacts } from './rule.ts'

export interface RequirementLine {
  readonly key: string
  readonly operator: RequirementOperator
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

/** Whether nodes of this capacity type meet the requirements and no others do, however that is written. */
export function isOnlyOf(requirements: Requirements, capacityType: string): boolean {
  const capacity = requirementFor(requirements, labelCapacityType)
  return capacityTypes.every((type) => allows(capacity, type) === (type === capacityType))
}

/** Looking through a catalogue takes milliseconds, several rules need it, and the same pools are judged again and again. */
const allowedBefore = byIdentity(
  (_catalogue: readonly TypeOutline[]) => new BoundedMemo<string, readonly TypeOutline[]>(200),
)
/** Several rules ask about one pool, one after the other. */
const askedLast = new WeakMap<
  NodePool,
  { readonly catalogue: readonly TypeOutline[]; readonly types: readonly TypeOutline[] }
>()

/**
 * Instance types that the pool may launch: attributes fit, and at least one way to buy them does. Undefined where no types are known.
 */
export function allowedTypes(
  nodePool: NodePool,
  { catalogueOf }: Pick<AdmissionFacts, 'catalogueOf'>,
): readonly TypeOutline[] | undefined {
  const catalogue = catalogueOf?.(nodePool)
  if (catalogue === undefined || catalogue.length === 0) return undefined
  const last = askedLast.get(nodePool)
  if (last?.catalogue === catalogue) return last.types
  const types = typesOfEqualPools(nodePool, catalogue)
  askedLast.set(nodePool, { catalogue, types })
  return types
}

function typesOfEqualPools(nodePool: NodePool, catalogue: readonly TypeOutline[]): readonly TypeOutline[] {
  const { metadata, spec } = nodePool.spec.template
  const text = JSON.stringify([spec.requirements, metadata?.labels])
  return allowedBefore(catalogue).of(text, () => typesMeeting(templateRequirements(nodePool), catalogue))
}

/** The first requirement by its position, or label by its key, that no instance type meets even alone; undefined where only several leave none. */
export function unmetAlone(
  nodePool: NodePool,
  { catalogueOf }: Pick<AdmissionFacts, 'catalogueOf'>,
): readonly ['requirement' | 'label', string] | undefined {
  const catalogue = catalogueOf?.(nodePool) ?? []
  const isUnmet = (line: RequirementLine): boolean =>
    typesMeeting(toRequirements([line], awsVocabulary.aliases), catalogue).length === 0
  const { metadata, spec } = nodePool.spec.template
  const index = spec.requirements.findIndex(isUnmet)
  if (index >= 0) return ['requirement', String(index)]
  const label = Object.entries(metadata?.labels ?? {}).find(([key, value]) =>
    isUnmet({ key, operator: 'In', values: [value] }),
  )
  return label === undefined ? undefined : ['label', label[0]]
}

function typesMeeting(requirements: Requirements, catalogue: readonly TypeOutline[]): TypeOutline[] {
  return catalogue.filter(
    (type) =>
      intersects(requirements, type.requirements) &&
      type.offerings.some((offering) => isCompatible(requirements, offering.requirements, awsVocabulary.wellKnown)),
  )
}

/** Lines on one key that exclude each other, by the position of the last one; -1 where labels alone do. */
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
  // Hardly anything is wrong with a line that is alone.
  if (new Set(keys).size === keys.length && !lines.some(({ operator }) => operator === 'Lt')) return []
  const byKey = new Map<string, RequirementAt[]>()
  const add = (index: number, { key, operator, values }: RequirementLine): void => {
    const normalized = normalizeLabelKey(key)
    const one = { index, requirement: toRequirement(normalized, operator, values) }
    const others = byKey.get(normalized)
    if (others === undefined) byKey.set(normalized, [one])
    else others.push(one)
  }
  // One label may be there in its old and in its present spelling.
  for (const [key, value] of Object.entries(labels)) add(-1, { key, operator: 'In', values: [value] })
  for (const [index, line] of lines.entries()) add(index, line)
  return [...byKey]
    .flatMap(([key, all]) => {
      // Numbers in labels are never negative.
      const belowZero = all.find(({ requirement: { highest } }) => highest !== undefined && highest < 0)
      const index = belowZero?.index ?? contradictionAmong(all)
      return index === undefined ? [] : [{ key, index }]
    })
    .toSorted((a, b) => a.index - b.index)
}

interface RequirementAt {
  /** Position of the line; -1 for a label. */
  readonly index: number
  readonly requirement: Requirement
}

/** The line with which nothing is left of what must exist. */
function contradictionAmong(all: readonly RequirementAt[]): number | undefined {
  const isPossible = (count: number): boolean => effectiveOperator(together(all, count)) !== 'DoesNotExist'
  if (isPossible(all.length)) return undefined
  // Nothing comes back that is gone, so that the first lines which leave nothing can be found by halving.
  let [possible, impossible] = [0, all.length]
  while (impossible - possible > 1) {
    const middle = Math.floor((possible + impossible) / 2)
    if (isPossible(middle)) possible = middle
    else impossible = middle
  }
  const last = impossible - 1
  const isMissed = last > 0 && mustExist(together(all, last))
  return all.find(
    ({ requirement }, at) => at > 0 && at >= last && ((at === last && isMissed) || mustExist(requirement)),
  )?.index
}

/** The first ones; with none of them anything goes. */
function together(all: readonly RequirementAt[], count: number): Requirement {
  const [first, ...others] = all.slice(0, count).map(({ requirement }) => requirement)
  return first === undefined ? anyValue('') : intersectAll([first, ...others])
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
