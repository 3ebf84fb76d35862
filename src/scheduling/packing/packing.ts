import type { Sliced } from '../../model/sliced.ts'
import type { SolveContext } from '../context.ts'
import type { Placement } from '../placement.ts'
import type { SolveRequest } from '../solve-request.ts'
import { improveInSlices, packingSlices } from './improve.ts'

/** How pods share new nodes: as Karpenter has it, or improved within a bound on the work and on a workload's share of one node. */
export type Packing =
  | { readonly kind: 'greedy' }
  | { readonly kind: 'improved'; readonly slicesMax: number; readonly largestShare: number }

/** The greedy answer, or a cheaper one where that is asked for. */
export function* packedInSlices(
  context: SolveContext,
  request: SolveRequest,
  greedy: Placement,
  packing: Packing,
): Sliced<Placement> {
  if (packing.kind === 'greedy' || greedy.newNodePlans.length === 0) return greedy
  const { slicesMax, largestShare } = packing
  const workUnits = packingSlices(request.pods.length, slicesMax)
  return yield* improveInSlices(context, request, greedy, { workUnits, largestShare })
}
