import { type CronSchedule, isEveryDay, nextActivation, parseCron, timesOfDay } from './cron.ts'
import { durationMs, parseDuration } from './duration.ts'
import type { NodePoolBudget } from './karpenter.ts'

/** Whether a budget allows no node while it holds. */
export function isZeroBudget({ nodes }: Partial<Pick<NodePoolBudget, 'nodes'>>): boolean {
  return nodes !== undefined && /^0+%?$/.test(nodes)
}

/**
 * The first moment from `from` on at which none of these budgets holds; undefined when there is none within so many windows that follow
 * each other. Windows of one budget that leave no time between them are one, until midnight. A budget that cannot be read holds never, one
 * whose schedule never comes, such as 31 February, always: so the parser of the original has it.
 */
export function endOfBudgets(
  budgets: readonly Pick<NodePoolBudget, 'schedule' | 'duration'>[],
  from: number,
  windowsMax: number,
): number | undefined {
  const recurring: Recurring[] = []
  for (const budget of budgets) {
    const windows = windowsOf(budget)
    if (windows === undefined) continue
    const next = windows === 'always' ? undefined : nextActivation(windows.schedule, from - windows.lengthMs)
    if (windows === 'always' || next === undefined) return undefined
    recurring.push({ ...windows, next, end: endWithoutGap(windows, next) })
  }
  let at = from
  for (let window = 0; window < windowsMax; window += 1) {
    const end = openUntil(recurring, at)
    if (end === undefined) return at
    at = end
  }
  return undefined
}

/** When a budget holds: from each activation on for so long, the end excluded. */
interface Windows {
  readonly schedule: CronSchedule
  readonly lengthMs: number
  /** Of the activations, in milliseconds from midnight. */
  readonly times: readonly number[]
}

interface Recurring extends Windows {
  /** The first activation whose window was not over when last looked at. */
  next: number
  /** Until then one window follows the other. */
  end: number
}

/** Undefined for a budget that cannot be read. */
function windowsOf({
  schedule,
  duration,
}: Pick<NodePoolBudget, 'schedule' | 'duration'>): Windows | 'always' | undefined {
  if (schedule === undefined && duration === undefined) return 'always'
  const parsed = parseCron(schedule ?? '')
  if (parsed.kind === 'invalid' || parseDuration(duration ?? '0s').kind === 'invalid') return undefined
  const times = timesOfDay(parsed.schedule)
  const windows = { schedule: parsed.schedule, lengthMs: durationMs(duration ?? '0s'), times }
  const [first] = times
  const isGapless = first !== undefined && isEveryDay(parsed.schedule) && endWithoutGap(windows, first) >= first + dayMs
  return isGapless ? 'always' : windows
}

const dayMs = 86_400_000

/**
 * The end of the window that this activation opens, and of those that the later ones of its day open before the one before is over: a window
 * every minute would otherwise make a day of a thousand of them.
 */
function endWithoutGap({ times, lengthMs }: Pick<Windows, 'times' | 'lengthMs'>, activation: number): number {
  const time = activation % dayMs
  let end = time + lengthMs
  for (const later of times) {
    if (later > end) break
    if (later > time) end = later + lengthMs
  }
  return activation - time + end
}

/** The end of the longest window that is open then. */
function openUntil(recurring: readonly Recurring[], at: number): number | undefined {
  let last: number | undefined
  for (const each of recurring) {
    // Searched for only when it is over: a rare one takes years of days to find.
    if (each.end <= at) {
      each.next = nextActivation(each.schedule, at - each.lengthMs) ?? Infinity
      each.end = each.next === Infinity ? Infinity : endWithoutGap(each, each.next)
    }
    if (each.next <= at) last = Math.max(last ?? 0, each.end)
  }
  return last !== undefined && last > at ? last : undefined
}
