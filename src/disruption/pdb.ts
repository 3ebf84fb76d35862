import type { PodDisruptionBudget } from '../api/kubernetes.ts'
import { byIdentity } from '../model/by-identity.ts'
import { type Labels, selects } from '../model/label-selector.ts'
import type { PodInfo } from '../model/pod.ts'
import { SelectorIndex } from '../model/selector-index.ts'

/** What the budgets of its namespace say about evicting one pod. */
export type PDBVerdict =
  | { readonly kind: 'allowed' }
  /** One budget matches and has nothing left. */
  | { readonly kind: 'blocked'; readonly budget: string }
  /** The eviction API refuses pods that several budgets match, whatever they allow. */
  | { readonly kind: 'multiple'; readonly budgets: readonly string[] }

type PodOfBudget = Pick<PodInfo, 'namespace' | 'labels' | 'ready'>

/** Budgets by namespace, so that a pod is held against those of its own only. */
export type BudgetsByNamespace = ReadonlyMap<string, NamespaceBudgets>

/** Of a list that stays the same, as that of a cache does until a budget changes, the same index. */
export const byNamespace = byIdentity((budgets: readonly PodDisruptionBudget[]): BudgetsByNamespace => {
  const grouped = Map.groupBy(budgets, (budget) => budget.metadata.namespace ?? '')
  return new Map([...grouped].map(([namespace, ofNamespace]) => [namespace, new NamespaceBudgets(ofNamespace)]))
})

/** Finds the budgets that match a pod without asking all of them: most selectors name a label with its value. */
class NamespaceBudgets {
  readonly #budgets: readonly PodDisruptionBudget[]
  readonly #index = new SelectorIndex()
  /** By the labels of pods, which many share. */
  readonly #found = new WeakMap<Labels, readonly PodDisruptionBudget[]>()

  constructor(budgets: readonly PodDisruptionBudget[]) {
    this.#budgets = budgets
    for (const [position, { spec }] of budgets.entries()) this.#index.add(position, spec.selector)
  }

  /** In the order of the list. */
  matching(labels: Labels): readonly PodDisruptionBudget[] {
    let found = this.#found.get(labels)
    if (found === undefined) {
      found = this.#index
        .candidates(labels)
        .flat()
        .toSorted((a, b) => a - b)
        .flatMap((position) => this.#budgets[position] ?? [])
        .filter((budget) => selects(budget.spec.selector, labels))
      this.#found.set(labels, found)
    }
    return found
  }
}

/** Whether a budget matches one of the pods. */
export function matchesAny(pods: readonly PodOfBudget[], budgets: BudgetsByNamespace): boolean {
  return pods.some(({ namespace, labels }) => (budgets.get(namespace)?.matching(labels).length ?? 0) > 0)
}

/** The budgets that only one of the lists has, as they are there: one that has changed in both of its forms. */
export function budgetsBetween(
  before: readonly PodDisruptionBudget[],
  after: readonly PodDisruptionBudget[],
): BudgetsByNamespace {
  return byNamespace([...new Set(before).symmetricDifference(new Set(after))])
}

/** Whether an eviction would be let through now, by `status.disruptionsAllowed`. */
export function evictionVerdict(pod: PodOfBudget, budgets: BudgetsByNamespace): PDBVerdict {
  return judge(pod, budgets, (budget) => (budget.status?.disruptionsAllowed ?? 0) === 0)
}

/**
 * What the eviction API answers now. It lets more pods go than a disruption counts on: those that have not started, and those that are not
 * ready while as many others are as their budget wants.
 */
export function evictionAnswer(pod: PodOfBudget & Pick<PodInfo, 'phase'>, budgets: BudgetsByNamespace): PDBVerdict {
  if (pod.phase === 'Pending') return allowed
  return judge(
    pod,
    budgets,
    (budget) => !letsUnhealthyGo(pod, budget) && (budget.status?.disruptionsAllowed ?? 0) === 0,
  )
}

/**
 * Whether the budget can never allow an eviction, however many pods are healthy: such pods are left out of simulations.
 * An integer minAvailable never counts, even when it equals the number of pods.
 */
export function isFullyBlocked(pod: PodOfBudget, budgets: BudgetsByNamespace): boolean {
  return judge(pod, budgets, neverAllows).kind !== 'allowed'
}

function judge(
  pod: PodOfBudget,
  budgets: BudgetsByNamespace,
  blocks: (budget: PodDisruptionBudget) => boolean,
): PDBVerdict {
  const matching = budgets.get(pod.namespace)?.matching(pod.labels) ?? []
  const [first, second] = matching
  if (first === undefined) return allowed
  if (second !== undefined) return { kind: 'multiple', budgets: matching.map(nameOf) }
  if (first.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && pod.ready === 'False') return allowed
  return blocks(first) ? { kind: 'blocked', budget: nameOf(first) } : allowed
}

const allowed: PDBVerdict = { kind: 'allowed' }

function letsUnhealthyGo({ ready }: PodOfBudget, { spec, status }: PodDisruptionBudget): boolean {
  if (ready === 'True') return false
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
}

function neverAllows(budget: PodDisruptionBudget): boolean {
  const { maxUnavailable, minAvailable } = budget.spec
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%'
}

function nameOf(budget: PodDisruptionBudget): string {
  return `${budget.metadata.namespace ?? ''}/${budget.metadata.name}`
}
