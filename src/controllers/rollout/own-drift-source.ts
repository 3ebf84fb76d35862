import { ownDriftOf, type OwnDriftOf } from '../../rollout/own-drift.ts'
import type { RolloutBook } from './book.ts'
import type { Fleet } from './fleet.ts'

/** Reads what annotations and policies ask of a pool's nodes. */
export function ownDriftSource({ fleet, book }: { readonly fleet: Fleet; readonly book: RolloutBook }): OwnDriftOf {
  return (claim, pool, now) => {
    const policy = book.governance().governing.get(pool.metadata.name)
    return ownDriftOf(claim, { pool, nodeClass: fleet.nodeClassOf(pool), policy }, now)
  }
}
