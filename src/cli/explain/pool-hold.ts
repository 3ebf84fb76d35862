import type { NodePool } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { type HoldSources, poolHold } from '../simulate/holds.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** The pause, the closed window or the open circuit breaker that holds the pool's nodes; undefined when none is in force. */
export function poolHoldReason(about: VoluntaryReason, pool: NodePool, sources: HoldSources): Reason | undefined {
  const hold = poolHold(pool, about, sources)
  if (hold === undefined) return undefined
  const help = hold.code === 'RolloutHeld' ? windowHelp : nodeHelp[hold.code]
  return reason(about, 'blocks', hold.code, hold.message, help)
}

const windowHelp = 'wait for the window, or take Consolidation out of spec.covers of the RolloutPolicy'
