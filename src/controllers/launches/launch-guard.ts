import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import {
  type BreakerSettings,
  consolidationPatienceMs,
  isTrying,
  spacesLaunches,
  type OpenBreaker,
  type Stage,
} from '../../disruption/circuit-breaker.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import type { Hold } from '../../disruption/gate.ts'
import type { StalledCause, StalledSource } from '../../rollout/stalled.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import {
  afterFailure,
  afterSuccess,
  indebted,
  type LaunchBudget,
  type LaunchBudgetSettings,
  mayLaunch,
  newLaunchBudget,
} from '../../scheduling/launch-budget.ts'
import { Breakers } from './breakers.ts'
import { MovesUnderWay } from './moves-under-way.ts'
import { RefusedClaims } from './refused-claims.ts'

export interface LaunchGuardSettings {
  readonly breaker: BreakerSettings
  readonly budget: LaunchBudgetSettings
}

/** A node on its way: from the claim's creation to the day it is ready for use. */
interface Young {
  readonly pool: string
  /** When it was first seen; of one that had joined by then, as after a restart, when it was made. */
  readonly bornAt: number
  launched: boolean
  registered: boolean
  /** Its failure is counted already, or somebody else ended it. */
  settled: boolean
}

/** A claim that was neither seen ready nor seen gone for so long was missed; longer than launch, registration and initialization may take. */
const forgottenMs = 30 * 60_000

export interface Held<T> {
  readonly planned: T
  /** Undefined while there is no trouble: only the answer of the first launches is awaited. */
  readonly because: string | undefined
}

/**
 * Remembers how the latest launches went, and holds back what would only fail again: per pool and for the cluster by circuit breakers,
 * and for everything that asks the cloud for machines by one budget. Only memory; the breakers' conditions bring it back after a restart.
 * All times are monotonic: a wall clock that jumps neither ends a back-off nor prolongs it.
 */
export class LaunchGuard implements StalledSource {
  /** What keeps failing, in which pool, and when it is tried again. */
  readonly breakers: Breakers
  /** Which NodeClaims the API server has refused. */
  readonly refused: RefusedClaims
  readonly #clock: Clock
  readonly #budgetSettings: LaunchBudgetSettings
  readonly #young = new Map<string, Young>()
  readonly #moves = new MovesUnderWay()
  /** Pools whose latest launch that ended failed. */
  readonly #failing = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #budget: LaunchBudget = newLaunchBudget
  /** Granted, and not written yet. */
  #granted = 0
  #somethingHeld = false

  constructor(clock: Clock, settings: LaunchGuardSettings) {
    this.#clock = clock
    this.#budgetSettings = settings.budget
    this.breakers = new Breakers(clock, settings.breaker)
    this.refused = new RefusedClaims(clock)
  }

  /** Called when launches that were held back may go on. */
  onRelease(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Which of the claims may be written now, in their order. Each of them must be reported by `written` or `notWritten`. */
  admit<T extends { readonly nodePool: string }>(
    planned: readonly T[],
  ): { readonly admitted: readonly T[]; readonly held: readonly Held<T>[] } {
    for (const [uid, { bornAt, settled }] of this.#young) {
      // One that has failed and stays, as a node that never becomes initialized does, would count as one more failure.
      if (!settled && this.#now - bornAt > forgottenMs) this.#young.delete(uid)
    }
    const admitted: T[] = []
    const held: Held<T>[] = []
    const trying = new Set<string>()
    const launching = this.#launchingPools()
    let left = mayLaunch(this.#budget, this.#underWay(), this.#now, this.#budgetSettings)
    for (const each of planned) {
      const breaker = this.#spacing(each.nodePool)
      const because = breaker === undefined ? undefined : this.#whyHeld(each.nodePool, breaker)
      if (because !== undefined) held.push({ planned: each, because })
      else if (breaker !== undefined && trying.has(each.nodePool)) {
        held.push({ planned: each, because: this.breakers.text(breaker) })
      } else if (left <= 0 && !this.#isUntried(each.nodePool, launching)) {
        held.push({
          planned: each,
          because: this.#budget.debt > 0 ? 'launches failed, one more follows later' : undefined,
        })
      } else {
        left -= 1
        launching.add(each.nodePool)
        admitted.push(each)
        if (breaker !== undefined) trying.add(each.nodePool)
      }
    }
    this.#granted += admitted.length
    if (held.length > 0) this.#somethingHeld = true
    return { admitted, held }
  }

  written(claim: NodeClaim): void {
    this.#granted = Math.max(0, this.#granted - 1)
    this.observe(claim)
  }

  notWritten(): void {
    this.#granted = Math.max(0, this.#granted - 1)
  }

  /** Any version of a claim; what it has reached since the last one counts. */
  observe(claim: NodeClaim): void {
    const { uid } = claim.metadata
    const young = this.#young.get(uid)
    if (young === undefined) {
      if (!isConditionTrue(claim, 'Initialized') && claim.metadata.deletionTimestamp === undefined) {
        this.#young.set(uid, youngOf(claim, this.#clock))
      }
      return
    }
    if (!young.launched && isConditionTrue(claim, 'Launched')) {
      young.launched = true
      this.#failing.delete(young.pool)
      this.#budget = afterSuccess(this.#budget, this.#now)
      this.#record(young, 'capacity', true)
      this.#record(young, 'launch', true)
      this.#release()
    }
    if (!young.registered && isConditionTrue(claim, 'Registered')) {
      young.registered = true
      this.#record(young, 'registration', true)
    }
    if (isConditionTrue(claim, 'Initialized')) {
      this.#record(young, 'initialization', true)
      this.#young.delete(uid)
    }
  }

  /** A claim was given up on. Once for each claim. */
  failed(claim: NodeClaim, stage: Stage, message: string): void {
    this.observe(claim)
    const young = this.#young.get(claim.metadata.uid)
    if (young === undefined || young.settled) return
    young.settled = true
    if (!young.launched) {
      this.#failing.add(young.pool)
      this.#budget = afterFailure(this.#budget, this.#now, this.#budgetSettings)
    }
    this.#record(young, stage, false, message)
  }

  gone(uid: string): void {
    this.#young.delete(uid)
  }

  /** A claim goes whose pods have to run elsewhere. */
  moving({ metadata: { uid, labels } }: NodeClaim): void {
    this.#moves.begin(uid, { pool: labels?.[labelNodePool] ?? '', bornAt: this.#now })
  }

  /** Whether the pods of a claim that was `moving` run again. */
  moved(uid: string, ok: boolean, message: string): void {
    const move = this.#moves.end(uid)
    if (move !== undefined) this.#record(move, 'pods', ok, message)
  }

  /** Pods that moves of the pool had left not ready have become so after all, or are given up. */
  recovered(pool: string): void {
    this.#record({ pool, bornAt: this.#now }, 'pods', true)
  }

  /** What the pool's nodes are made of has changed: what failed may work now. */
  reset(pool: string): void {
    this.breakers.reset(pool)
    this.refused.forget(pool)
    this.#failing.delete(pool)
    this.#release()
  }

  /** The pool is gone; one of the same name begins anew. */
  forget(pool: string): void {
    this.breakers.forget(pool)
    this.refused.forget(pool)
    this.#failing.delete(pool)
  }

  /** After a restart: the pool's breaker was open for so long, and nobody remembers more than its condition says. */
  restore(pool: string, memory: { readonly stage: Stage; readonly message: string; readonly forMs: number }): void {
    const isNew = this.breakers.restore(pool, memory)
    if (isNew && (memory.stage === 'capacity' || memory.stage === 'launch')) {
      this.#budget = indebted(this.#now, this.#budgetSettings)
    }
  }

  /** Pools that may not open a node now, and why. */
  heldPools(pools: readonly string[]): ReadonlyMap<string, string> {
    const held = new Map<string, string>()
    for (const pool of pools) {
      const breaker = this.#spacing(pool)
      const because = breaker === undefined ? undefined : this.#whyHeld(pool, breaker)
      if (because !== undefined) held.set(pool, because)
    }
    return held
  }

  /**
   * An empty node can go: nothing has to be launched for it and nothing moves. `aboutToMove`: the pools of nodes that go as soon as their
   * replacements are ready.
   */
  hold(pool: string, reason: VoluntaryReason, aboutToMove: ReadonlySet<string> = new Set()): Hold | undefined {
    if (reason === 'Empty') return undefined
    const open = this.breakers.ofPool(pool) ?? this.breakers.ofCluster
    if (open === undefined) return undefined
    const breaker = reason === 'Underutilized' ? { ...open, retryAt: open.retryAt + consolidationPatienceMs } : open
    const isAboutToMove = breaker.stage === 'pods' && aboutToMove.has(pool)
    const because = isAboutToMove ? this.breakers.text(breaker) : this.#whyHeld(pool, breaker)
    return because === undefined ? undefined : { code: 'CircuitOpen', message: because }
  }

  /** One node at a time while it is not known whether the trouble is over. */
  limit(pool: string, reason: VoluntaryReason): number | undefined {
    if (reason === 'Empty') return undefined
    return this.breakers.ofPool(pool) === undefined && this.breakers.ofCluster === undefined ? undefined : 1
  }

  ofPool(pool: string): readonly StalledCause[] {
    const message = this.breakers.whyOpen(pool)
    return message === undefined ? [] : [{ reason: 'CircuitOpen', message }]
  }

  ofClass(): readonly StalledCause[] {
    return []
  }

  get #now(): number {
    return this.#clock.monotonicMs()
  }

  #record({ pool, bornAt }: Pick<Young, 'pool' | 'bornAt'>, stage: Stage, ok: boolean, message = ''): void {
    this.breakers.record({ stage, ok, message, pool, bornAt })
  }

  /** The breaker that spaces the pool's launches, whatever its phase. */
  #spacing(pool: string): OpenBreaker | undefined {
    return [this.breakers.ofPool(pool), this.breakers.ofCluster].find((breaker) => spacesLaunches(breaker?.stage))
  }

  #whyHeld(pool: string, breaker: OpenBreaker): string | undefined {
    const tries = isTrying(breaker, this.#now) && !this.#isTriedNow(pool, breaker)
    return tries ? undefined : this.breakers.text(breaker)
  }

  /** A new node tells whether moves leave pods that are not ready only once it has taken some. */
  #isTriedNow(pool: string, breaker: OpenBreaker): boolean {
    if (breaker.stage === 'pods') return this.#moves.isUnderWay(pool, breaker.openedAt, this.#now)
    for (const young of this.#young.values()) {
      if (young.pool === pool && !young.settled && young.bornAt >= breaker.openedAt) return true
    }
    return false
  }

  /** One launch of a pool that has not failed itself may begin whatever the others have used up: one that never succeeds would starve all. */
  #isUntried(pool: string, launching: ReadonlySet<string>): boolean {
    // Of what is granted and not written yet nobody knows the pool; that is soon over.
    return this.#granted === 0 && !this.#failing.has(pool) && !launching.has(pool)
  }

  #launchingPools(): Set<string> {
    const young = [...this.#young.values()].filter(({ launched, settled }) => !launched && !settled)
    return new Set(young.map(({ pool }) => pool))
  }

  #underWay(): number {
    let count = this.#granted
    for (const { launched, settled } of this.#young.values()) if (!launched && !settled) count += 1
    return count
  }

  #release(): void {
    if (!this.#somethingHeld) return
    this.#somethingHeld = false
    for (const listener of this.#listeners) listener()
  }
}

function youngOf(claim: NodeClaim, clock: Clock): Young {
  const registered = isConditionTrue(claim, 'Registered')
  const ageMs = clock.now() - (parseTimestamp(claim.metadata.creationTimestamp) ?? clock.now())
  return {
    pool: claim.metadata.labels?.[labelNodePool] ?? '',
    bornAt: clock.monotonicMs() - (registered ? Math.max(0, ageMs) : 0),
    launched: isConditionTrue(claim, 'Launched'),
    registered,
    settled: false,
  }
}
