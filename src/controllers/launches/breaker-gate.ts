import { type DisruptionGate, openGate } from '../../disruption/gate.ts'
import type { LaunchGuard } from './launch-guard.ts'

/** Nodes stay while their replacements would only fail; one at a time goes while that is not known. */
export function breakerGate(guard: Pick<LaunchGuard, 'hold' | 'isOpen' | 'limit'>): DisruptionGate {
  if (!guard.isOpen) return openGate
  return {
    hold: ({ pool }, reason) => guard.hold(pool.metadata.name, reason),
    limit: (pool, reason) => guard.limit(pool, reason),
    driftOrder: undefined,
  }
}
