import type { PodDisruptionBudget } from '../api/kubernetes.ts'
import { selects } from '../model/label-selector.ts'
import type { PodInfo } from '../model/pod.ts'

/** What the budgets of its namespace say about evicting one pod. */
export type PDBVerdict =
  | { readonly kind: 'allowed' }
  /** One budget matches and has nothing left. */
  | { readonly kind: 'blocked'; readonly budget: string }
  /** The eviction API refuses pods that several budgets match, whatever they allow. */
  | { readonly kind: 'multiple'; readonly budgets: readonly string[] }

type PodOfBudget = Pick<PodInfo, 'namespace' | 'labels' | 'ready'>

/** Budgets by namespace, so that a pod is held against those of its own only. */
export type BudgetsByNamespace = ReadonlyMap<string, readonly PodDisruptionBudget[]>

export function byNamespace(budgets: readonly PodDisruptionBudget[]): BudgetsByNamespace {
  return Map.groupBy(budgets, (budget) => budget.metadata.namespace ?? '')
}

/** Whether an eviction would be let through now, by `status.disruptionsAllowed`. */
export function evictionVerdict(pod: PodOfBudget, budgets: BudgetsByNamespace): PDBVerdict {
  return judge(pod, budgets, (budget) => (budget.status?.disruptionsAllowed ?? 0) === 0)
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
  const ofNamespace = budgets.get(pod.namespace)
  if (ofNamespace === undefined) return allowed
  const matching = ofNamespace.filter((budget) => selects(budget.spec.selector, pod.labels))
  const [first, second] = matching
  if (first === undefined) return allowed
  if (second !== undefined) return { kind: 'multiple', budgets: matching.map(nameOf) }
  if (first.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && pod.ready === 'False') return allowed
  return blocks(first) ? { kind: 'blocked', budget: nameOf(first) } : allowed
}

const allowed: PDBVerdict = { kind: 'allowed' }

function neverAllows(budget: PodDisruptionBudget): boolean {
  const { maxUnavailable, minAvailable } = budget.spec
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%'
}

function nameOf(budget: PodDisruptionBudget): string {
  return `${budget.metadata.namespace ?? ''}/${budget.metadata.name}`
}
