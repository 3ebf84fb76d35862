import { labelHostname } from '../api/labels.ts'
import { compareText } from './order.ts'
import {
  anyValue,
  effectiveOperator,
  intersect,
  intersectAll,
  isExhausted,
  isPossible,
  oneValue,
  overlaps,
  type Requirement,
  type RequirementEntry,
  requirementText,
  toEntries,
  toRequirement,
} from './requirement.ts'

/** Requirements by normalised label key. A key that is not there may hold anything, or nothing. */
export type Requirements = ReadonlyMap<string, Requirement>

export const noRequirements: Requirements = new Map()

/** Deprecated label keys by their canonical key; the provider may add its own. */
export type LabelAliases = ReadonlyMap<string, string>

export function normaliseKey(key: string, aliases: LabelAliases): string {
  return aliases.get(key) ?? key
}

/** Entries on one key are intersected. */
export function toRequirements(entries: readonly RequirementEntry[], aliases: LabelAliases): Requirements {
  const byKey = new Map<string, [Requirement, ...Requirement[]]>()
  for (const entry of entries) {
    const key = normaliseKey(entry.key, aliases)
    const requirement = toRequirement(key, entry.operator, entry.values, entry.minValues)
    const others = byKey.get(key)
    if (others === undefined) byKey.set(key, [requirement])
    else others.push(requirement)
  }
  return new Map([...byKey].map(([key, all]) => [key, intersectAll(all)]))
}

/** What labels amount to: each has just its value, old spellings of keys as the present ones. */
export function labelRequirements(labels: Readonly<Record<string, string>>, aliases: LabelAliases): Requirements {
  const result = new Map<string, Requirement>()
  for (const [key, value] of Object.entries(labels)) add(result, oneValue(normaliseKey(key, aliases), value))
  return result
}

/** The intersection, key by key. */
export function mergeRequirements(...sets: readonly Requirements[]): Requirements {
  const result = new Map<string, Requirement>()
  for (const set of sets) for (const requirement of set.values()) add(result, requirement)
  return result
}

export function requirementsOf(...requirements: readonly Requirement[]): Requirements {
  const result = new Map<string, Requirement>()
  for (const requirement of requirements) add(result, requirement)
  return result
}

/** A key of which the set says nothing may have any value. */
export function requirementFor(set: Requirements, key: string): Requirement {
  return set.get(key) ?? anyValue(key)
}

export type Incompatibility =
  | { readonly kind: 'undefinedLabel'; readonly key: string; readonly typoOf: string | undefined }
  | { readonly kind: 'noOverlap'; readonly incoming: Requirement; readonly existing: Requirement }

/**
 * Whether what `existing` offers can satisfy `incoming`. Keys that only `existing` has never fail; keys that only `incoming` has
 * fail unless they are in `allowUndefined` or may be absent; what no label can hold always fails. An empty list means compatible.
 */
export function incompatibilities(
  existing: Requirements,
  incoming: Requirements,
  allowUndefined: ReadonlySet<string> = emptySet,
): readonly Incompatibility[] {
  for (const requirement of sorted(incoming)) {
    const { key } = requirement
    if (existing.has(key) || mayBeAbsent(requirement)) continue
    if (!allowUndefined.has(key)) {
      return [{ kind: 'undefinedLabel', key, typoOf: typoOf(key, allowUndefined, existing) }]
    }
    if (!isPossible(requirement)) return [{ kind: 'noOverlap', incoming: requirement, existing: anyValue(key) }]
  }
  return disjointKeys(existing, incoming)
}

/** Whether there are no `incompatibilities`, at less cost. */
export function isCompatible(
  existing: Requirements,
  incoming: Requirements,
  allowUndefined: ReadonlySet<string> = emptySet,
): boolean {
  for (const requirement of incoming.values()) {
    if (!existing.has(requirement.key) && !mayBeUndefined(requirement, allowUndefined)) return false
  }
  return intersects(existing, incoming)
}

/** Looks only at the keys that both sides have. */
export function intersects(existing: Requirements, incoming: Requirements): boolean {
  for (const requirement of incoming.values()) {
    const mine = existing.get(requirement.key)
    if (mine !== undefined && !agree(mine, requirement)) return false
  }
  return true
}

function disjointKeys(existing: Requirements, incoming: Requirements): readonly Incompatibility[] {
  const found: Incompatibility[] = []
  for (const requirement of sorted(incoming)) {
    const mine = existing.get(requirement.key)
    if (mine === undefined || agree(mine, requirement)) continue
    found.push({ kind: 'noOverlap', incoming: requirement, existing: mine })
  }
  return found
}

function incompatibilityText(found: Incompatibility): string {
  if (found.kind === 'undefinedLabel') {
    const hint = found.typoOf === undefined ? '' : ` (typo of "${found.typoOf}"?)`
    return `label "${found.key}" does not have known values${hint}`
  }
  return `key ${found.incoming.key}, ${requirementText(found.incoming)} not in ${requirementText(found.existing)}`
}

export function incompatibilitiesText(found: readonly Incompatibility[]): string {
  return found.map(incompatibilityText).join('; ')
}

/** As log lines and errors show a set; the hostname placeholder of simulated nodes is left out. */
export function requirementsText(set: Requirements): string {
  return [...set.values()]
    .filter((requirement) => requirement.key !== labelHostname)
    .map(requirementText)
    .toSorted(compareText)
    .join(', ')
}

/** `spec.requirements` of a NodeClaim, keys in byte order. */
export function toRequirementEntries(set: Requirements): RequirementEntry[] {
  return sorted(set).flatMap(toEntries)
}

const emptySet: ReadonlySet<string> = new Set()

/** Whether two requirements on one key can both hold: they overlap, or both accept that the label is absent. */
export function agree(a: Requirement, b: Requirement): boolean {
  return (overlaps(a, b) && !isExhausted(a, b)) || (mayBeAbsent(a) && mayBeAbsent(b))
}

/** Whether a node without the label will do. */
export function mayBeAbsent(requirement: Requirement): boolean {
  const operator = effectiveOperator(requirement)
  return operator === 'NotIn' || operator === 'DoesNotExist'
}

/** Whether something of which the label is not known will do. */
export function mayBeUndefined(requirement: Requirement, allowUndefined: ReadonlySet<string>): boolean {
  return mayBeAbsent(requirement) || (allowUndefined.has(requirement.key) && isPossible(requirement))
}

function add(into: Map<string, Requirement>, requirement: Requirement): void {
  const known = into.get(requirement.key)
  into.set(requirement.key, known === undefined ? requirement : intersect(known, requirement))
}

function sorted(set: Requirements): Requirement[] {
  return [...set.values()].toSorted((a, b) => compareText(a.key, b.key))
}

/** Which resembling key is named is open upstream; one whose whole name is meant comes before one that merely contains it. */
function typoOf(key: string, wellKnown: ReadonlySet<string>, existing: Requirements): string | undefined {
  const tail = key.includes('/') ? key.slice(key.indexOf('/') + 1) : key
  const isMeant = (candidate: string): boolean => candidate.endsWith(`/${tail}`)
  const resembles = (candidate: string): boolean => candidate.includes(key) || candidate.endsWith(tail)
  const among = (keys: Iterable<string>): string | undefined => {
    const ordered = [...keys].toSorted(compareText)
    return ordered.find(isMeant) ?? ordered.find(resembles)
  }
  return among(wellKnown) ?? among(existing.keys())
}
