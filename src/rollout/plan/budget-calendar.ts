import { nextActivation, parseCron } from '../../api/cron.ts'
import { durationMs } from '../../api/duration.ts'
import type { NodePool } from '../../api/karpenter.ts'

/**
 * The next moment after `after` at which one of the pool's budgets begins or ends to hold; undefined when none ever does. Budgets that
 * cannot be read never change.
 */
export function nextBudgetChange(pool: NodePool, after: number): number | undefined {
  const times = (pool.spec.disruption?.budgets ?? []).flatMap(({ schedule, duration }) => {
    if (schedule === undefined) return []
    const parsed = parseCron(schedule)
    if (parsed.kind === 'invalid') return []
    const lengthMs = duration === undefined ? 0 : durationMs(duration)
    const begin = nextActivation(parsed.schedule, after)
    // The hit that holds now, or the next one: whichever ends first after this moment.
    const hit = nextActivation(parsed.schedule, after - lengthMs)
    return [begin, hit === undefined ? undefined : hit + lengthMs].filter((time) => time !== undefined && time > after)
  })
  return times.length === 0 ? undefined : Math.min(...times.map(Number))
}
