import { compareText } from '../model/order.ts'
import { intersect, type Requirement } from '../model/requirement.ts'
import { agree, mayBeUndefined, type Requirements } from '../model/requirements.ts'

/** Position of an interned requirement set in its space; equal sets have equal ids. */
export type SetID = number

interface InternedSet {
  readonly requirements: ReadonlyMap<string, Requirement>
  /** Ids of the single requirements, by key. */
  readonly ids: ReadonlyMap<string, number>
  readonly merged: Map<SetID, SetID>
  readonly lenient: Map<SetID, boolean>
  readonly strict: Map<SetID, boolean>
}

/**
 * Requirement sets by identity. A cluster knows few distinct ones, but a solve merges and compares them millions of times: here
 * each pair is worked out once. Whoever keeps a space bounds it by its size.
 */
export class RequirementSpace {
  readonly #wellKnown: ReadonlySet<string>
  readonly #requirements: Requirement[] = []
  readonly #requirementIDs = new Map<string, number>()
  readonly #known = new WeakMap<Requirement, number>()
  readonly #sets: InternedSet[] = []
  readonly #setIDs = new Map<string, SetID>()
  /** The same by the order in which somebody named the keys, which saves sorting them: a producer always has the same order. */
  readonly #asNamed = new Map<string, SetID>()
  /** The set without requirements. */
  readonly empty: SetID

  constructor(wellKnown: ReadonlySet<string>) {
    this.#wellKnown = wellKnown
    this.empty = this.intern(new Map())
  }

  /** How many distinct sets it has seen. */
  get size(): number {
    return this.#sets.length
  }

  /** Keys must be normalised. */
  intern(requirements: Requirements): SetID {
    let named = ''
    for (const requirement of requirements.values()) named += `${this.requirementID(requirement)},`
    const found = this.#asNamed.get(named)
    if (found !== undefined) return found
    const ids = new Map<string, number>()
    for (const [key, requirement] of requirements) ids.set(key, this.requirementID(requirement))
    return this.#internIDs(ids)
  }

  /** In key order. */
  get(set: SetID): Requirements {
    return this.#at(set).requirements
  }

  requirement(set: SetID, key: string): Requirement | undefined {
    return this.#at(set).requirements.get(key)
  }

  /** −1 when the set says nothing about the key. */
  requirementIDIn(set: SetID, key: string): number {
    return this.#at(set).ids.get(key) ?? -1
  }

  requirementIDs(set: SetID): ReadonlyMap<string, number> {
    return this.#at(set).ids
  }

  requirementByID(id: number): Requirement {
    const requirement = this.#requirements[id]
    if (requirement === undefined) throw new RangeError(`no requirement ${id}`)
    return requirement
  }

  requirementID(requirement: Requirement): number {
    const known = this.#known.get(requirement)
    if (known !== undefined) return known
    const text = identityText(requirement)
    let id = this.#requirementIDs.get(text)
    if (id === undefined) {
      id = this.#requirements.length
      this.#requirements.push(requirement)
      this.#requirementIDs.set(text, id)
    }
    this.#known.set(requirement, id)
    return id
  }

  /** The intersection, key by key. */
  merge(a: SetID, b: SetID): SetID {
    if (a === b || b === this.empty) return a
    if (a === this.empty) return b
    const left = this.#at(a)
    const known = left.merged.get(b)
    if (known !== undefined) return known
    const right = this.#at(b)
    const ids = new Map(left.ids)
    for (const [key, id] of right.ids) {
      const mine = ids.get(key)
      if (mine === undefined) ids.set(key, id)
      else if (mine !== id) {
        ids.set(key, this.requirementID(intersect(this.requirementByID(mine), this.requirementByID(id))))
      }
    }
    const result = this.#internIDs(ids)
    left.merged.set(b, result)
    return result
  }

  /** The set with one key's requirement intersected. */
  narrow(set: SetID, requirement: Requirement): SetID {
    return this.merge(set, this.intern(new Map([[requirement.key, requirement]])))
  }

  /** The set with one key's requirement replaced, or dropped. */
  replace(set: SetID, key: string, requirement: Requirement | undefined): SetID {
    const ids = new Map(this.#at(set).ids)
    if (requirement === undefined) ids.delete(key)
    else ids.set(key, this.requirementID(requirement))
    return this.#internIDs(ids)
  }

  /** `existing.Compatible(incoming)` where well-known keys may be undefined on the left. */
  compatible(existing: SetID, incoming: SetID): boolean {
    if (incoming === this.empty) return true
    const left = this.#at(existing)
    const known = left.lenient.get(incoming)
    if (known !== undefined) return known
    const result = this.#isCompatible(left, this.#at(incoming), this.#wellKnown)
    left.lenient.set(incoming, result)
    return result
  }

  /** `existing.Compatible(incoming)` without leniency. */
  strictlyCompatible(existing: SetID, incoming: SetID): boolean {
    if (incoming === this.empty) return true
    const left = this.#at(existing)
    const known = left.strict.get(incoming)
    if (known !== undefined) return known
    const result = this.#isCompatible(left, this.#at(incoming), nothing)
    left.strict.set(incoming, result)
    return result
  }

  #isCompatible(existing: InternedSet, incoming: InternedSet, lenient: ReadonlySet<string>): boolean {
    for (const [key, requirement] of incoming.requirements) {
      const mine = existing.requirements.get(key)
      if (mine === undefined) {
        if (!mayBeUndefined(requirement, lenient)) return false
      } else if (!agree(mine, requirement)) {
        return false
      }
    }
    return true
  }

  #internIDs(ids: ReadonlyMap<string, number>): SetID {
    let named = ''
    for (const id of ids.values()) named += `${id},`
    const found = this.#asNamed.get(named)
    if (found !== undefined) return found
    const sorted = [...ids].toSorted(([a], [b]) => compareText(a, b))
    const text = sorted.map(([, id]) => id).join(',')
    const known = this.#setIDs.get(text) ?? this.#add(text, sorted)
    this.#asNamed.set(named, known)
    return known
  }

  #add(text: string, sorted: readonly (readonly [string, number])[]): SetID {
    const set: InternedSet = {
      requirements: new Map(sorted.map(([key, id]) => [key, this.requirementByID(id)])),
      ids: new Map(sorted),
      merged: new Map(),
      lenient: new Map(),
      strict: new Map(),
    }
    const id = this.#sets.length
    this.#sets.push(set)
    this.#setIDs.set(text, id)
    return id
  }

  #at(set: SetID): InternedSet {
    const found = this.#sets[set]
    if (found === undefined) throw new RangeError(`no requirement set ${set}`)
    return found
  }
}

const nothing: ReadonlySet<string> = new Set()

/** Equal for requirements that are the same. */
export function identityText(requirement: Requirement): string {
  const { key, complement, values, lowest, highest, minValues } = requirement
  const listed = values.size > 1 ? [...values].toSorted(compareText).join('\u0000') : [...values].join()
  const count = values.size
  return `${key}\u0001${complement ? '-' : '+'}${count}\u0001${listed}\u0001${lowest ?? ''}\u0001${highest ?? ''}\u0001${minValues ?? ''}`
}
