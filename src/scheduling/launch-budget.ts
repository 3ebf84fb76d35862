export interface LaunchBudgetSettings {
  /** Launches that may fail before the next ones are spaced by time; 0: no budget. */
  readonly size: number
  /** Every so often one failed launch is forgiven. In an hour at most `size` + an hour / `refillMs` launches fail in vain. */
  readonly refillMs: number
}

/**
 * How many nodes may be asked for before it is known how the last ones fared. Nothing here tells one reason of a failure from another:
 * whatever it is, the same answer need not be heard from five hundred launches at once.
 */
export interface LaunchBudget {
  /** Failures since the last success that are not forgiven yet. */
  readonly debt: number
  /** When `debt` was worked out, on a clock that never jumps. */
  readonly at: number
  /** Times of the successes of the last minute, oldest first. */
  readonly successes: readonly number[]
}

export const newLaunchBudget: LaunchBudget = { debt: 0, at: 0, successes: [] }

/** For so long a success speaks for the launches after it. */
const provenMs = 60_000
/** So many launches may follow from each success: a thousand nodes come in three waves, each as long as one launch. */
const growth = 4
/** More successes than this change nothing. */
const successesMax = 1_000

/** How many launches may begin now, beside those that are under way. */
export function mayLaunch(
  budget: LaunchBudget,
  underWay: number,
  now: number,
  { size, refillMs }: LaunchBudgetSettings,
): number {
  if (size <= 0) return Number.POSITIVE_INFINITY
  const debt = debtAt(budget, now, refillMs)
  if (debt <= 0) {
    const proven = budget.successes.filter((at) => now - at <= provenMs).length
    return Math.max(0, firstWave(size) + growth * proven - underWay)
  }
  // Half of what is left each time: some of it stays for places that nobody has tried yet.
  const left = Math.floor(size - debt) - underWay
  return left <= 0 ? 0 : Math.ceil(left / 2)
}

export function afterSuccess(budget: LaunchBudget, now: number): LaunchBudget {
  const successes = [...budget.successes.filter((at) => now - at <= provenMs), now].slice(-successesMax)
  return { debt: 0, at: now, successes }
}

export function afterFailure(
  budget: LaunchBudget,
  now: number,
  { size, refillMs }: LaunchBudgetSettings,
): LaunchBudget {
  return { ...budget, debt: Math.min(size, debtAt(budget, now, refillMs) + 1), at: now }
}

/** After a restart into trouble: one launch, and then one as often as debts are forgiven. */
export function indebted(now: number, { size }: LaunchBudgetSettings): LaunchBudget {
  return { debt: Math.max(0, size - 1), at: now, successes: [] }
}

function debtAt({ debt, at }: LaunchBudget, now: number, refillMs: number): number {
  return Math.max(0, debt - Math.max(0, now - at) / refillMs)
}

function firstWave(size: number): number {
  return Math.ceil((size * 2) / 3)
}
