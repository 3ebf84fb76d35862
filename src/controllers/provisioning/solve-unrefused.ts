import { withHeldPools } from '../../model/held-pools.ts'
import type { RefusedClaims } from '../launches/refused-claims.ts'
import { solveWithoutVain, type SolveWithoutVainDeps } from './solve-without-vain.ts'
import type { ProvisioningSolveRequest, SolveOutcome } from './solver-port.ts'

interface SolveUnrefusedDeps extends SolveWithoutVainDeps {
  readonly launches: { readonly refused: Pick<RefusedClaims, 'poolsOf'> }
}

/** A solve that plans nodes of a pool only for pods whose NodeClaims there were refused is made again without that pool. */
export async function solveUnrefused(
  deps: SolveUnrefusedDeps,
  request: Omit<ProvisioningSolveRequest, 'held'>,
  signal: AbortSignal,
): Promise<SolveOutcome> {
  const held = new Map<string, string>()
  for (;;) {
    const snapshot = withHeldPools(request.snapshot, held, 'nodeclaims are refused')
    const outcome = await solveWithoutVain(deps, { ...request, snapshot }, signal)
    const planned = outcome.kind === 'noPools' ? [] : outcome.claims
    const refused = [...deps.launches.refused.poolsOf(planned)].filter(([pool]) => !held.has(pool))
    if (refused.length === 0) return outcome
    for (const [pool, because] of refused) held.set(pool, because)
  }
}
