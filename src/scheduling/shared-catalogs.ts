import type { NodePool } from '../api/karpenter.ts'
import type { InstanceType } from '../model/instance-type.ts'
import type { Sliced } from '../model/sliced.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { CatalogIndex, plainAllocatable } from './catalog-index.ts'
import { RequirementSpace } from './requirement-space.ts'

export interface SharedCatalogs {
  readonly requirements: RequirementSpace
  /** Whether the index of these types is there already. */
  knows(types: readonly InstanceType[]): boolean
  /** Does the work of the next `catalogOf` for these types that can be done piece by piece. */
  prepare(types: readonly InstanceType[]): Sliced<void>
  catalogOf(types: readonly InstanceType[]): CatalogIndex
}

interface Entry extends SharedCatalogs {
  readonly lists: readonly (readonly InstanceType[])[]
  readonly wellKnown: ReadonlySet<string>
  readonly reservationLabel: string
}

/** Sets that accumulate from solve to solve before the space is dropped: some tens of megabytes. */
const setsMax = 20_000

/** Types looked at between two slices: a few milliseconds where nothing of them is known yet. */
const typesPerSlice = 64

/** By the first list: instance-type lists are immutable and the same list comes back until an offering changes. */
const known = new WeakMap<readonly InstanceType[], Entry>()

/**
 * Indexes of instance types, kept for as long as the lists they were made from: between two changes of the offerings every snapshot
 * has the same ones. What is kept is only what could be worked out again, so that answers don't depend on it.
 */
export function sharedCatalogs(
  snapshot: Snapshot,
  pools: readonly NodePool[],
  wellKnown: ReadonlySet<string>,
  reservationLabel: string,
): SharedCatalogs {
  const lists = pools.flatMap(({ metadata }) => {
    const list = snapshot.instanceTypes.get(metadata.name)
    return list?.kind === 'resolved' ? [list.types] : []
  })
  const [first] = lists
  if (first === undefined) return makeEntry(lists, wellKnown, reservationLabel, new RequirementSpace(wellKnown))
  const found = known.get(first)
  if (
    found !== undefined &&
    found.wellKnown === wellKnown &&
    found.reservationLabel === reservationLabel &&
    found.requirements.size < setsMax &&
    found.lists.length === lists.length &&
    found.lists.every((list, index) => list === lists[index])
  ) {
    return found
  }
  const made = makeEntry(lists, wellKnown, reservationLabel, spaceFor(wellKnown))
  known.set(first, made)
  return made
}

/** What a list of types says outlives the list: the next one differs in little. */
const spaces = new WeakMap<ReadonlySet<string>, RequirementSpace>()

function spaceFor(wellKnown: ReadonlySet<string>): RequirementSpace {
  const found = spaces.get(wellKnown)
  if (found !== undefined && found.size < setsMax) return found
  const made = new RequirementSpace(wellKnown)
  spaces.set(wellKnown, made)
  return made
}

function makeEntry(
  lists: readonly (readonly InstanceType[])[],
  wellKnown: ReadonlySet<string>,
  reservationLabel: string,
  requirements: RequirementSpace,
): Entry {
  const catalogs = new Map<readonly InstanceType[], CatalogIndex>()
  return {
    lists,
    wellKnown,
    reservationLabel,
    requirements,
    knows: (types) => catalogs.has(types),
    *prepare(types) {
      if (catalogs.has(types)) return
      for (const [index, type] of types.entries()) {
        requirements.intern(type.requirements)
        plainAllocatable(type)
        if (index % typesPerSlice === typesPerSlice - 1) yield
      }
    },
    catalogOf(types) {
      const existing = catalogs.get(types)
      if (existing !== undefined) return existing
      const catalog = new CatalogIndex(types, requirements, reservationLabel)
      catalogs.set(types, catalog)
      return catalog
    },
  }
}
