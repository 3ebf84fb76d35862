import type { Pod, PodDisruptionBudget } from '../../api/kubernetes.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import { resolvePercent } from './percent.ts'
import { isReady } from './pods.ts'

/** How long an eviction that was granted may take to show as a deletion. */
const disruptedMs = 120_000

/** How many pods there should be by their controllers, or why nobody can tell. */
export type WantedPods =
  | { readonly kind: 'known'; readonly count: number }
  | { readonly kind: 'unknown'; readonly because: string }

export interface BudgetFacts {
  /** The pods that the budget selects and that have not ended. */
  readonly pods: readonly Pod[]
  /** How many pods their controllers want; asked only where the budget depends on it. */
  wantedPods(): WantedPods
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What the status of a budget is to say, as a merge patch has it, and in how many milliseconds it has to be looked at again. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  facts: BudgetFacts,
): { readonly status: object; readonly lookAgainMs: number | undefined } {
  const { pods, now } = facts
  const demand = demandOf(budget, facts)
  if (demand.kind === 'unknown') return { status: failedStatus(budget, demand.because, now), lookAgainMs: undefined }
  const { expectedPods, desiredHealthy } = demand
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

/** Nothing is allowed while nobody can tell how many pods there should be; the numbers stay as they were. */
function failedStatus({ status }: PodDisruptionBudget, message: string, now: number): object {
  const observedGeneration = status?.observedGeneration ?? 0
  const conditions = withCondition(
    status?.conditions,
    { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message, observedGeneration },
    toTimestamp(now),
  )
  return { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status, disruptionsAllowed: 0, conditions }
}

type Demand =
  | { readonly kind: 'known'; readonly expectedPods: number; readonly desiredHealthy: number }
  | Extract<WantedPods, { kind: 'unknown' }>

/** How many pods there should be, and how many of them have to be healthy. */
function demandOf(
  { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
  { pods, wantedPods }: BudgetFacts,
): Demand {
  if (maxUnavailable === undefined && typeof minAvailable !== 'string') {
    return { kind: 'known', expectedPods: pods.length, desiredHealthy: minAvailable ?? 0 }
  }
  const wanted = wantedPods()
  if (wanted.kind === 'unknown') return wanted
  const expectedPods = wanted.count
  const desiredHealthy =
    maxUnavailable === undefined
      ? resolvePercent(minAvailable, expectedPods, 'up')
      : Math.max(0, expectedPods - resolvePercent(maxUnavailable, expectedPods, 'up'))
  return { kind: 'known', expectedPods, desiredHealthy }
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
