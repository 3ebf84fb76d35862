import type { SolveContext } from '../../scheduling/index.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp, noTypesHelp } from './help.ts'

type UnresolvedPool = SolveContext['unresolvedPools'][number]

/** Why a pool takes part in no solve: nothing is known of its instance types, or its circuit breaker is open. */
export function untypedReason(
  about: string,
  { nodePool, message, error }: UnresolvedPool,
  { snapshot }: SolveContext,
): Reason {
  const list = snapshot.instanceTypes.get(nodePool)
  const text = error === undefined ? message : `${message}: ${error}`
  return list?.kind === 'held'
    ? reason(about, 'blocks', 'CircuitOpen', text, nodeHelp.CircuitOpen)
    : reason(about, 'blocks', 'noInstanceTypes', text, noTypesHelp(list))
}
