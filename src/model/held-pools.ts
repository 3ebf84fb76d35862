import type { HeldInstanceTypes, Snapshot } from './snapshot.ts'

/**
 * Nothing is planned on a pool that may open no node: its pods may find one elsewhere.
 * @param held why not, by the pool's name
 */
export function withHeldPools(
  snapshot: Snapshot,
  held: ReadonlyMap<string, string>,
  what: HeldInstanceTypes['what'] = 'circuit breaker is open',
): Snapshot {
  if (held.size === 0) return snapshot
  const lists = [...held].map(([pool, because]) => {
    const list = snapshot.instanceTypes.get(pool)
    return [pool, { kind: 'held', what, because, types: list?.kind === 'resolved' ? list.types : [] }] as const
  })
  return { ...snapshot, instanceTypes: new Map([...snapshot.instanceTypes, ...lists]) }
}
