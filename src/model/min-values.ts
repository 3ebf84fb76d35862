import type { InstanceType } from './instance-type.ts'
import { compareText } from './order.ts'
import type { Requirements } from './requirements.ts'

/** How far a list of types, in order, satisfies the minValues of a requirement set. */
export type MinValuesVerdict =
  /** `typesNeeded` is the length of the shortest leading part that suffices; 0 without minValues. */
  | { readonly kind: 'met'; readonly typesNeeded: number }
  /** Distinct values that the whole list reaches, for the keys that fall short, in key order. */
  | { readonly kind: 'unmet'; readonly reached: ReadonlyMap<string, number> }

/** By the types in the order given. No types satisfy everything. */
export function judgeMinValues(types: readonly InstanceType[], requirements: Requirements): MinValuesVerdict {
  const wanted = [...requirements.values()].filter((requirement) => requirement.minValues !== undefined)
  if (wanted.length === 0 || types.length === 0) return { kind: 'met', typesNeeded: 0 }
  const seen = new Map(wanted.map((requirement) => [requirement.key, new Set<string>()]))
  const isShort = (key: string, minimum: number): boolean => (seen.get(key)?.size ?? 0) < minimum
  for (const [index, type] of types.entries()) {
    for (const [key, values] of seen) for (const value of type.requirements.get(key)?.values ?? []) values.add(value)
    if (!wanted.some(({ key, minValues = 0 }) => isShort(key, minValues)))
      return { kind: 'met', typesNeeded: index + 1 }
  }
  const short = wanted.filter(({ key, minValues = 0 }) => isShort(key, minValues)).map(({ key }) => key)
  return {
    kind: 'unmet',
    reached: new Map(short.toSorted(compareText).map((key) => [key, seen.get(key)?.size ?? 0])),
  }
}

export function minValuesText(verdict: Extract<MinValuesVerdict, { kind: 'unmet' }>): string {
  return `minValues requirement is not met for label(s) (label(s)=[${[...verdict.reached.keys()].join(' ')}])`
}
