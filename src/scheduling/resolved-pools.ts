import type { NodePool } from '../api/karpenter.ts'
import type { InstanceType } from '../model/instance-type.ts'
import type { LabelAliases } from '../model/requirements.ts'
import type { Sliced } from '../model/sliced.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { simulatedRequirements, type UnresolvedPool, unresolvedPool } from './node-pools.ts'
import type { SetID } from './requirement-space.ts'
import type { SharedCatalogs } from './shared-catalogs.ts'

/** A pool with the types that it may launch. */
export interface ResolvedPool {
  readonly pool: NodePool
  readonly catalog: CatalogIndex
  readonly set: SetID
  /** Whether it may open no node now, which is no fault of its requirements. */
  readonly isHeld: boolean
}

interface ResolvedPools {
  readonly resolved: readonly ResolvedPool[]
  readonly unresolved: readonly UnresolvedPool[]
  /** Pools that have types, be they held, and these. */
  readonly domainSources: readonly { readonly pool: NodePool; readonly types: readonly InstanceType[] }[]
}

/** Looks up the types of the pools; the index of those that are new is made in slices. */
export function* resolvePools(
  pools: readonly NodePool[],
  instanceTypes: Snapshot['instanceTypes'],
  catalogs: SharedCatalogs,
  aliases: LabelAliases,
): Sliced<ResolvedPools> {
  const unresolved: UnresolvedPool[] = []
  const resolved: ResolvedPool[] = []
  const domainSources: { pool: NodePool; types: readonly InstanceType[] }[] = []
  for (const pool of pools) {
    const list = instanceTypes.get(pool.metadata.name)
    const problem = unresolvedPool(pool.metadata.name, list)
    if (problem !== undefined) unresolved.push(problem)
    const types = list?.kind === 'resolved' ? list.types : []
    const set = catalogs.requirements.intern(simulatedRequirements(pool, aliases))
    const isNew = !catalogs.knows(types)
    yield* catalogs.prepare(types)
    resolved.push({ pool, catalog: catalogs.catalogOf(types), set, isHeld: list?.kind === 'held' })
    const named = list?.kind === 'held' ? list.types : types
    if (named.length > 0) domainSources.push({ pool, types: named })
    if (isNew) yield
  }
  return { resolved, unresolved, domainSources }
}
