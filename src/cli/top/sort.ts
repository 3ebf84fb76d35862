import { compareText } from '../../model/order.ts'
import type { NodeView, Usage } from '../../operator/dashboard/fleet-view.ts'

export const sortKeys = ['pool', 'cpu', 'memory', 'pods', 'price', 'age', 'trouble'] as const
export type SortKey = (typeof sortKeys)[number]

/** What a node is sorted by, most interesting last: fullest, dearest, oldest, most in trouble. */
const weights: Readonly<Record<Exclude<SortKey, 'pool'>, (node: NodeView) => number>> = {
  cpu: ({ cpu }) => shareOf(cpu),
  memory: ({ memory }) => shareOf(memory),
  pods: ({ pods }) => pods,
  price: ({ usdPerHour }) => usdPerHour ?? -1,
  age: ({ createdAt }) => -createdAt,
  trouble: ({ state, drifted, blocked }) =>
    (state === 'NotReady' ? 4 : 0) + (drifted === null ? 0 : 2) + (blocked.length > 0 ? 1 : 0),
}

/** By pool as the view has them, else the highest first; equal ones by name. */
export function sortNodes(
  nodes: readonly NodeView[],
  key: SortKey,
  direction: 'normal' | 'reversed',
): readonly NodeView[] {
  const sorted =
    key === 'pool' ? nodes : nodes.toSorted((a, b) => weights[key](b) - weights[key](a) || compareText(a.name, b.name))
  return direction === 'reversed' ? sorted.toReversed() : sorted
}

/** 0 to 1, or above when more was promised than there is; 0 where there is nothing. */
export function shareOf({ requested, allocatable }: Usage): number {
  return allocatable <= 0 ? 0 : requested / allocatable
}
