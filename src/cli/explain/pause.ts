import type { NodePool } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { pauseHold, type PauseSources } from '../simulate/holds.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** The pause that holds the pool's nodes; undefined when none is in force. */
export function pauseReason(about: VoluntaryReason, pool: NodePool, sources: PauseSources): Reason | undefined {
  const hold = pauseHold(pool, sources)
  return hold === undefined ? undefined : reason(about, 'blocks', hold.code, hold.message, nodeHelp.Paused)
}
