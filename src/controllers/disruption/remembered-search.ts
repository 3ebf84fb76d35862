import type { BudgetMap } from '../../disruption/budgets.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import type { PoolTotals } from '../../disruption/balanced.ts'
import { clockFacts } from '../../disruption/what-if.ts'
import { compareText } from '../../model/order.ts'
import { isSameList } from '../../model/same-list.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/**
 * The last search of one kind that found nothing, with all that it was made from. A search is a pure function of the cluster, the
 * budgets and the moment: as long as none of these moved, looking again would find nothing again. Where a budget holds nodes back the
 * method may not settle, and without this every pass would repeat the same simulations.
 */
export class RememberedSearch<Decision> {
  #last: { readonly facts: readonly unknown[]; readonly decision: Decision } | undefined

  /** `foundNothing` tells which decisions may be handed out again. */
  async find(
    facts: readonly unknown[],
    search: () => Promise<Decision>,
    foundNothing: (decision: Decision) => boolean,
  ): Promise<Decision> {
    if (this.#last !== undefined && isSameList(this.#last.facts, facts)) return this.#last.decision
    this.#last = undefined
    const decision = await search()
    if (foundNothing(decision)) this.#last = { facts, decision }
    return decision
  }
}

export interface SearchInputs {
  readonly snapshot: Snapshot
  readonly eligible: readonly Candidate[]
  readonly budgets: BudgetMap
  readonly totals: ReadonlyMap<string, PoolTotals>
}

/** What a snapshot holds, its time left out. Snapshots share what has not changed, so objects are compared by identity. */
export function snapshotFacts(snapshot: Snapshot): readonly unknown[] {
  const { claims, volumes, storageClasses, csiNodes } = snapshot.volumes
  const { services, replicaSets, replicationControllers, statefulSets } = snapshot.spreadOwners
  return [
    snapshot.nodes,
    snapshot.unboundPods,
    snapshot.nodePools,
    snapshot.namespaces,
    snapshot.podDisruptionBudgets,
    ...[claims, volumes, storageClasses, csiNodes],
    ...[services, replicaSets, replicationControllers, statefulSets],
    ...[snapshot.devices?.claims, snapshot.devices?.classes, snapshot.devices?.slices],
    ...snapshot.daemonSets.flatMap(({ daemonSet, newestPod }) => [daemonSet, newestPod]),
    ...[...snapshot.instanceTypes].flatMap(([pool, list]) => [
      pool,
      list.kind,
      list.kind === 'resolved' ? list.types : list,
    ]),
  ]
}

/** Everything that decides how a search comes out. What the passing of time alone can change is in `clockFacts` and in the budgets. */
export function searchFacts(
  { snapshot, eligible, budgets, totals }: SearchInputs,
  ...more: readonly unknown[]
): readonly unknown[] {
  return [
    ...snapshotFacts(snapshot),
    ...eligible.map(({ name }) => name),
    ...[...budgets].flatMap(([pool, { remaining, common = [] }]) => [
      pool,
      remaining,
      ...common.flatMap(({ name, nodes }) => [name, nodes]),
    ]),
    ...[...totals].flatMap(([pool, { cost, disruptionCost }]) => [pool, cost, disruptionCost]),
    clockFacts(snapshot),
    ...more,
  ]
}

/** Pools in any order. */
export function poolsText(pools: ReadonlySet<string>): string {
  return [...pools].toSorted(compareText).join()
}
