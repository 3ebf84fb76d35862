import { nillableDurationMs } from '../../api/duration.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import { decideOwnDrift, type OwnDriftOf } from '../../rollout/own-drift.ts'
import type { RolloutBook } from './book.ts'
import type { Fleet } from './fleet.ts'

/** Reads what annotations and policies ask of a pool's nodes. */
export function ownDriftSource({ fleet, book }: { readonly fleet: Fleet; readonly book: RolloutBook }): OwnDriftOf {
  return (claim, pool, now) => {
    const nodeClass = fleet.nodeClassOf(pool)
    const own = readRolloutAnnotations(pool, now)
    const restarts = [own.restartAt, nodeClass && readRolloutAnnotations(nodeClass, now).restartAt].filter(
      (at) => at !== undefined,
    )
    const spec = book.governance().governing.get(pool.metadata.name)?.spec
    const isActive = spec !== undefined && spec.mode !== 'Observe'
    return decideOwnDrift({
      claim,
      retiring: own.retire,
      restartAt: restarts.length === 0 ? undefined : Math.max(...restarts),
      softExpireAfterMs:
        isActive && spec.softExpireAfter !== undefined ? nillableDurationMs(spec.softExpireAfter) : undefined,
      softExpireJitter: Number.parseInt(spec?.softExpireJitter ?? '10%', 10) / 100,
      now,
    })
  }
}
