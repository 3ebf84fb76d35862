import type { Pod, PodDisruptionBudget } from '../../api/kubernetes.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import { resolvePercent } from './percent.ts'
import { isReady } from './pods.ts'

/** How long an eviction that was granted may take to show as a deletion. */
const disruptedMs = 120_000

export interface BudgetFacts {
  /** The pods that the budget selects and that have not ended. */
  readonly pods: readonly Pod[]
  /** How many pods their controllers want; asked only where the budget is a share. */
  wantedPods(): number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What the status of a budget is to say, as a merge patch has it, and in how many milliseconds it has to be looked at again. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  facts: BudgetFacts,
): { readonly status: object; readonly lookAgainMs: number | undefined } {
  const { pods, now } = facts
  const { expectedPods, desiredHealthy } = demandOf(budget, facts)
  const { disruptedPods, lookAgainMs } = grantedEvictions(budget, facts)
  const currentHealthy = pods.filter(
    (pod) =>
      isReady(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      typeof disruptedPods[pod.metadata.name] !== 'string',
  ).length
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const observedGeneration = budget.metadata.generation ?? 1
  const conditions = withCondition(
    budget.status?.conditions,
    {
      type: 'DisruptionAllowed',
      status: disruptionsAllowed > 0 ? 'True' : 'False',
      reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration,
    },
    toTimestamp(now),
  )
  const status = {
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration,
    conditions,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
  }
  return { status, lookAgainMs }
}

/** How many pods there should be, and how many of them have to be healthy. */
function demandOf(
  { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
  { pods, wantedPods }: BudgetFacts,
): { readonly expectedPods: number; readonly desiredHealthy: number } {
  if (maxUnavailable !== undefined) {
    const expectedPods = wantedPods()
    const desiredHealthy = Math.max(0, expectedPods - resolvePercent(maxUnavailable, expectedPods, 'up'))
    return { expectedPods, desiredHealthy }
  }
  if (typeof minAvailable === 'string') {
    const expectedPods = wantedPods()
    return { expectedPods, desiredHealthy: resolvePercent(minAvailable, expectedPods, 'up') }
  }
  return { expectedPods: pods.length, desiredHealthy: minAvailable ?? 0 }
}

/** Evictions that were granted and do not show as deletions yet; null, which a merge patch takes for a removal, where that is over. */
function grantedEvictions(
  { status }: PodDisruptionBudget,
  { pods, now }: BudgetFacts,
): { readonly disruptedPods: Readonly<Record<string, string | null>>; readonly lookAgainMs: number | undefined } {
  const disruptedPods: Record<string, string | null> = {}
  let lookAgainMs: number | undefined
  for (const [name, at] of Object.entries(status?.disruptedPods ?? {})) {
    const left = (parseTimestamp(at) ?? 0) + disruptedMs - now
    const pod = pods.find(({ metadata }) => metadata.name === name)
    const isPending = pod !== undefined && pod.metadata.deletionTimestamp === undefined && left > 0
    disruptedPods[name] = isPending ? at : null
    if (isPending) lookAgainMs = Math.min(lookAgainMs ?? left, left)
  }
  return { disruptedPods, lookAgainMs }
}
