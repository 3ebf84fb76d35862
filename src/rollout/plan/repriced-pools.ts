import type { InstanceType } from '../../model/instance-type.ts'
import type { PlanInput } from './input.ts'

/** Pools of which a change of NodeOverlays makes instance types cheaper or dearer: consolidation weighs their nodes by other prices then. */
export function repricedPools({
  proposal,
  presentTypes,
  snapshot,
}: Pick<PlanInput, 'proposal' | 'presentTypes' | 'snapshot'>): ReadonlySet<string> {
  const isAny = proposal.objects.some(({ kind, change }) => kind === 'NodeOverlay' && change !== 'unchanged')
  if (!isAny) return new Set()
  return new Set(
    [...snapshot.instanceTypes].flatMap(([pool, after]) => {
      const before = presentTypes.get(pool)
      if (before?.kind !== 'resolved' || after.kind !== 'resolved') return []
      return haveSamePrices(before.types, after.types) ? [] : [pool]
    }),
  )
}

function haveSamePrices(before: readonly InstanceType[], after: readonly InstanceType[]): boolean {
  const prices = new Map(before.map(({ name, offerings }) => [name, pricesText(offerings)]))
  return after.every(({ name, offerings }) => (prices.get(name) ?? '') === pricesText(offerings))
}

function pricesText(offerings: InstanceType['offerings']): string {
  return offerings.map(({ price }) => price).join(' ')
}
