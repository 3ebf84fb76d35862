import type { NodePool } from '../api/karpenter.ts'
import { endOfBudgets, isZeroBudget } from '../api/budget-windows.ts'
import { nextActivation, parseCron } from '../api/cron.ts'
import { durationMs, parseDuration } from '../api/duration.ts'
import { conditionReady, isConditionTrue } from '../api/conditions.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { StateNode } from '../model/snapshot.ts'

export type VoluntaryReason = 'Empty' | 'Drifted' | 'Underutilized'
export const voluntaryReasons: readonly VoluntaryReason[] = ['Underutilized', 'Empty', 'Drifted']

/** Karpenter's words, which events, plans and explanations share. */
export function budgetHoldText(reason: VoluntaryReason): string {
  return `No allowed disruptions for disruption reason ${reason} due to blocking budget`
}

type Budget = NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>[number]

/** More nodes than any pool has: what a pool without an applicable budget allows. */
export const unlimited = 2_147_483_647

export type BudgetValue =
  | { readonly kind: 'allowed'; readonly nodes: number }
  /** Some budget cannot be evaluated: nothing is disrupted until it is mended. */
  | { readonly kind: 'invalid'; readonly error: string }

/** Nodes of a pool that may be disrupted for `reason` at once, before those already on their way out are taken off. */
export function allowedDisruptions(
  pool: NodePool,
  reason: VoluntaryReason,
  nodeCount: number,
  now: number,
): BudgetValue {
  const budgets = pool.spec.disruption?.budgets ?? [{ nodes: '10%' }]
  let lowest = unlimited
  const errors: string[] = []
  for (const budget of budgets) {
    const value = evaluateBudget(budget, nodeCount, now)
    if (value.kind === 'invalid') errors.push(value.error)
    else if (appliesTo(budget, reason)) lowest = Math.min(lowest, value.nodes)
  }
  return errors.length > 0 ? { kind: 'invalid', error: errors.join('; ') } : { kind: 'allowed', nodes: lowest }
}

function appliesTo(budget: Budget, reason: VoluntaryReason): boolean {
  return budget.reasons === undefined || budget.reasons.includes(reason)
}

function evaluateBudget(budget: Budget, nodeCount: number, now: number): BudgetValue {
  const active = isActive(budget, now)
  if (active.kind === 'invalid') return active
  if (!active.active) return { kind: 'allowed', nodes: unlimited }
  const text = budget.nodes ?? '10%'
  const percent = /^(\d+)%$/.exec(text)?.[1]
  if (percent !== undefined) return { kind: 'allowed', nodes: Math.ceil((nodeCount * Number(percent)) / 100) }
  if (/^\d+$/.test(text)) return { kind: 'allowed', nodes: Math.min(Number(text), unlimited) }
  return { kind: 'invalid', error: `invalid value ${JSON.stringify(text)} of nodes` }
}

/** Whether the budgets of any of the pools come and go with time. */
export const haveSchedules = byIdentity((pools: readonly NodePool[]): boolean =>
  pools.some(({ spec }) =>
    (spec.disruption?.budgets ?? []).some(({ schedule, duration }) => schedule !== undefined || duration !== undefined),
  ),
)

type Activity =
  | { readonly kind: 'known'; readonly active: boolean }
  | { readonly kind: 'invalid'; readonly error: string }

/**
 * Active within [hit, hit + duration), always without a schedule. A schedule that never comes (31 February) counts as active, as
 * robfig/cron's zero time does upstream; it can only hold nodes back.
 */
function isActive(budget: Budget, now: number): Activity {
  if (budget.schedule === undefined && budget.duration === undefined) return { kind: 'known', active: true }
  const parsed = parseCron(budget.schedule ?? '')
  if (parsed.kind === 'invalid')
    return { kind: 'invalid', error: `invalid schedule ${JSON.stringify(budget.schedule ?? '')}, ${parsed.message}` }
  const { duration = '0s' } = budget
  const length = parseDuration(duration)
  if (length.kind === 'invalid') return { kind: 'invalid', error: length.message }
  const lengthMs = durationMs(duration)
  const hit = nextActivation(parsed.schedule, now - lengthMs)
  return { kind: 'known', active: hit === undefined || hit <= now }
}

/** How many windows that follow each other are looked at: a week of one a minute, whichever budgets they are of, is as good as no end. */
const windowsMax = 10_080

/** When budgets that allow no node now will let one go again; undefined when nothing but a change of them ends that. */
export function zeroBudgetEnd(pool: NodePool, reason: VoluntaryReason, now: number): number | undefined {
  const zeros = (pool.spec.disruption?.budgets ?? []).filter(
    (budget) => appliesTo(budget, reason) && isZeroBudget(budget),
  )
  return endOfBudgets(zeros, now, windowsMax)
}

/** How many nodes of each pool count, and how many of those are already being disrupted or out of order. */
export interface PoolNodeCounts {
  readonly total: number
  readonly disrupting: number
}

export const countPoolNodes = byIdentity((nodes: readonly StateNode[]): ReadonlyMap<string, PoolNodeCounts> => {
  const counts = new Map<string, PoolNodeCounts>()
  for (const node of nodes) {
    if (node.nodeClaim === undefined || !node.initialized || node.nodePool === '') continue
    if (isConditionTrue(node.nodeClaim, 'InstanceTerminating')) continue
    const known = counts.get(node.nodePool) ?? { total: 0, disrupting: 0 }
    // A claim may be seen as it was before its node began to go.
    const isGoing = node.markedForDeletion || node.node?.metadata.deletionTimestamp !== undefined
    const isDisrupting = isGoing || node.node === undefined || !isConditionTrue(node.node, conditionReady)
    counts.set(node.nodePool, { total: known.total + 1, disrupting: known.disrupting + (isDisrupting ? 1 : 0) })
  }
  return counts
})

/** One pool's budget for one reason at one moment, with all that events and metrics tell about it. */
export interface PoolBudget {
  readonly pool: NodePool
  readonly total: number
  readonly disrupting: number
  /** 0 when a budget is invalid. */
  readonly allowed: number
  /** What may still start: never negative. */
  readonly remaining: number
  readonly error: string | undefined
  /** Beside `remaining`, where pools have a bound in common. */
  readonly common?: readonly CommonRoom[]
}

/** What several pools may start between them, beside what each may. */
export interface CommonRoom {
  /** The same for all of them. */
  readonly name: string
  readonly nodes: number
}

/** By pool name. A pool that is not there has nothing left. */
export type BudgetMap = ReadonlyMap<string, PoolBudget>

/** What each pool may still start for the reason: what the tightest of its active budgets allows, less what is being disrupted. `now`: ms since the epoch. */
export function computeBudgets(
  pools: readonly NodePool[],
  nodes: readonly StateNode[],
  reason: VoluntaryReason,
  now: number,
): BudgetMap {
  const counts = countPoolNodes(nodes)
  return new Map(
    pools.map((pool) => {
      const { total, disrupting } = counts.get(pool.metadata.name) ?? { total: 0, disrupting: 0 }
      const value = allowedDisruptions(pool, reason, total, now)
      const allowed = value.kind === 'allowed' ? value.nodes : 0
      const error = value.kind === 'invalid' ? value.error : undefined
      return [
        pool.metadata.name,
        { pool, total, disrupting, allowed, remaining: Math.max(allowed - disrupting, 0), error },
      ]
    }),
  )
}

/** A mutable copy of what remains, spent candidate by candidate within one decision. */
export class BudgetPurse {
  readonly #remaining: Map<string, number>
  readonly #common = new Map<string, readonly { left: number }[]>()

  constructor(budgets: BudgetMap) {
    this.#remaining = new Map([...budgets].map(([pool, budget]) => [pool, budget.remaining]))
    const rooms = new Map<string, { left: number }>()
    const roomOf = ({ name, nodes }: CommonRoom): { left: number } => {
      const room = rooms.get(name) ?? { left: nodes }
      rooms.set(name, room)
      return room
    }
    for (const [pool, { common }] of budgets) if (common !== undefined) this.#common.set(pool, common.map(roomOf))
  }

  remaining(pool: string): number {
    return Math.min(this.#remaining.get(pool) ?? 0, ...(this.#common.get(pool) ?? []).map(({ left }) => left))
  }

  /** False, and nothing is spent, when nothing is left. */
  spend(pool: string): boolean {
    const left = this.remaining(pool)
    if (left <= 0) return false
    this.#remaining.set(pool, (this.#remaining.get(pool) ?? 0) - 1)
    for (const room of this.#common.get(pool) ?? []) room.left -= 1
    return true
  }
}

/** The misconfigurations that the loop logs: one text per pool that has any. */
export function budgetErrors(pools: readonly NodePool[], now: number): readonly string[] {
  return haveSchedules(pools) ? errorsAt(pools, now) : lastingErrors(pools)
}

const lastingErrors = byIdentity((pools: readonly NodePool[]) => errorsAt(pools, 0))

function errorsAt(pools: readonly NodePool[], now: number): readonly string[] {
  return pools.flatMap((pool) => {
    const value = allowedDisruptions(pool, 'Empty', 100, now)
    return value.kind === 'invalid'
      ? [`invalid disruption budgets in nodepool ${pool.metadata.name}, ${value.error}`]
      : []
  })
}
