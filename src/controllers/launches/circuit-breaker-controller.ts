import { clearCondition, conditionOf, isConditionTrue, nodePoolConditions, setCondition } from '../../api/conditions.ts'
import { isRecord } from '../../api/json.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { stageOfReason, stageReasons, triesAgainAt } from '../../disruption/circuit-breaker.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { pods } from '../../kube/kinds.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { poolNames } from '../claim-indexes.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { MachineLookup } from '../nodeclaim/index.ts'
import {
  nodeClassOf,
  nodeClassSource,
  type NodePoolDeps,
  poolController,
  poolSourceBesideStatus,
} from '../nodepool/deps.ts'
import { SteadyMoments } from '../steady-moments.ts'
import type { LaunchGuard } from './launch-guard.ts'
import type { VainLaunches } from './vain-launches.ts'
import { PodMoves } from './pod-moves.ts'

export interface CircuitBreakerDeps extends NodePoolDeps {
  readonly guard: LaunchGuard
  readonly vain: Pick<VainLaunches, 'reset'>
  readonly lookup: Pick<MachineLookup, 'podsOn'>
  readonly recorder: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'circuitBreakerOpen'>
}

const type = 'CircuitOpen'
/** How often pods are looked at that moves had left not ready: nothing tells of them. */
const recoveryMs = 60_000
/** A registered node that is not initialized by then counts as failed; it is left alone, as it may still come. */
const initializationMs = 10 * 60_000

/**
 * Tells the guard how nodes fare, and shows on each pool whether its breaker is open: the condition CircuitOpen, there only while it is
 * open, is also what a restarted process learns it from.
 */
export function circuitBreakerController(deps: CircuitBreakerDeps): Controller {
  const { guard, clock, caches, lookup } = deps
  const claims = caches.of(nodeClaims)
  const moves = new PodMoves((pool) => guard.breakers.ofPool(pool)?.stage === 'pods')
  const joined = new SteadyMoments(clock)
  /** What the nodes of a pool are made of, by the pool's UID. */
  const known = new Map<string, string>()
  claims.addIndex(awaited, poolsAwaiting)
  const observe = (claim: NodeClaim): void => {
    guard.observe(claim)
    if (claim.metadata.deletionTimestamp === undefined) return
    const begins = moves.leaving(claim, lookup.podsOn(claim.status?.nodeName ?? ''), clock.monotonicMs())
    if (begins) guard.moving(claim)
  }
  for (const claim of claims.list()) observe(claim)
  claims.subscribe(({ before, after }) => {
    if (after !== undefined) {
      observe(after)
    } else if (before !== undefined) {
      guard.gone(before.metadata.uid)
      moves.left(before.metadata.uid, clock.monotonicMs())
    }
  })
  caches.of(nodePools).subscribe(({ before, after }) => {
    if (before === undefined || after?.metadata.uid === before.metadata.uid) return
    const { name, uid } = before.metadata
    known.delete(uid)
    guard.forget(name)
    deps.metrics.circuitBreakerOpen.removeMatching({ nodepool: name })
  })
  const claimSource = source(nodeClaims, ({ before, after }) => {
    const claim = after ?? before
    return claim === undefined ? [] : poolNames(claim).map((name) => ({ name }))
  })

  function learn(pool: NodePool): void {
    const { name, uid } = pool.metadata
    const made = madeOf(pool, nodeClassOf(pool, deps))
    const before = known.get(uid)
    known.set(uid, made)
    if (before !== undefined && before !== made) {
      guard.reset(name)
      deps.vain.reset(name)
    }
    const condition = conditionOf(pool, type)
    const stage = stageOfReason(condition?.reason ?? '')
    if (before !== undefined || condition?.status !== 'True' || stage === undefined) return
    if (condition.observedGeneration !== (pool.metadata.generation ?? 0)) return
    const forMs = clock.now() - (parseTimestamp(condition.lastTransitionTime) ?? clock.now())
    guard.restore(name, { stage, message: bareMessage(condition.message ?? ''), forMs })
  }

  /** The time until the next node of the pool is late; undefined: none can be. */
  function countLate(pool: NodePool): number | undefined {
    let next: number | undefined
    for (const claim of claims.by(awaited, pool.metadata.name)) {
      const since = parseTimestamp(conditionOf(claim, 'Registered')?.lastTransitionTime)
      const leftMs = joined.begun(claim.metadata.uid, since) + initializationMs - clock.now()
      const { message = '' } = conditionOf(claim, 'Initialized') ?? {}
      if (leftMs <= 0) guard.failed(claim, 'initialization', `${claim.metadata.name}: ${message}`)
      else next = Math.min(next ?? leftMs, leftMs)
    }
    return next
  }

  /** The time until pods are looked at again that moves had left not ready; undefined: there are none. */
  function countRecovered({ metadata: { name } }: NodePool, now: number): number | undefined {
    const haveRecovered = moves.haveRecovered(name, now, () => caches.of(pods).list())
    if (haveRecovered === true) guard.recovered(name)
    return haveRecovered === false ? recoveryMs : undefined
  }

  async function show(pool: NodePool): Promise<void> {
    const { name, uid } = pool.metadata
    const breaker = guard.breakers.ofPool(name)
    const message = guard.breakers.whyOpen(name) ?? ''
    const wasOpen = isConditionTrue(pool, type)
    const now = clock.now()
    const after =
      breaker === undefined
        ? clearCondition(pool, nodePoolConditions, type, now)
        : setCondition(
            pool,
            nodePoolConditions,
            { type, status: 'True', reason: stageReasons[breaker.stage], message },
            now,
          )
    if (breaker !== undefined || wasOpen) await deps.statuses.patch(pool, after)
    deps.metrics.circuitBreakerOpen.removeMatching({ nodepool: name })
    if (breaker !== undefined) {
      deps.metrics.circuitBreakerOpen.set({ nodepool: name, reason: stageReasons[breaker.stage] }, 1)
    }
    if (wasOpen === (breaker !== undefined)) return
    deps.recorder.publish({
      object: pool,
      type: wasOpen ? 'Normal' : 'Warning',
      reason: wasOpen ? 'CircuitClosed' : 'CircuitOpened',
      message: wasOpen ? 'Nodes of the pool come up again' : `Circuit breaker opened: ${message}`,
      dedupeValues: [uid, message],
    })
  }

  return poolController(
    deps,
    'nodepool.circuitbreaker',
    [poolSourceBesideStatus, nodeClassSource(deps), claimSource],
    async (pool) => {
      const { name } = pool.metadata
      learn(pool)
      const lateMs = countLate(pool)
      const now = clock.monotonicMs()
      for (const { uid, ok, message } of moves.due(now, () => caches.of(pods).list())) guard.moved(uid, ok, message)
      const recoveryInMs = countRecovered(pool, now)
      await show(pool)
      const dueMs = (moves.nextDueAt(name) ?? Number.POSITIVE_INFINITY) - now
      const wait = Math.min(lateMs ?? Number.POSITIVE_INFINITY, recoveryInMs ?? Number.POSITIVE_INFINITY, dueMs)
      return Number.isFinite(wait) ? requeueAfter(Math.max(1_000, wait)) : done
    },
  )
}

/** Only these are looked at whenever a claim changes: in a fleet of thousands they are few. */
const awaited = 'circuitBreaker.awaited'

/** Its node came up and is not initialized yet. */
function isAwaited(claim: NodeClaim): boolean {
  if (claim.metadata.deletionTimestamp !== undefined) return false
  return isConditionTrue(claim, 'Registered') && !isConditionTrue(claim, 'Initialized')
}

function poolsAwaiting(claim: NodeClaim): readonly string[] {
  return isAwaited(claim) ? poolNames(claim) : []
}

/**
 * Changes whenever a new node may turn out otherwise than the last one: an edit of pool or class, other images, subnets or groups. Their
 * order says nothing of that: subnets stand in the order of their free addresses, which every launch changes, also one that fails.
 */
function madeOf(pool: NodePool, nodeClass: ReturnType<typeof nodeClassOf>): string {
  const status: unknown = nodeClass?.status
  const { amis, subnets, securityGroups } = isRecord(status) ? status : {}
  const resolved = JSON.stringify([amis, subnets, securityGroups].map(idsOf))
  return `${pool.metadata.generation ?? 0}/${nodeClass?.metadata.uid ?? ''}/${nodeClass?.metadata.generation ?? 0}/${resolved}`
}

function idsOf(list: unknown): readonly string[] {
  return Array.isArray(list)
    ? list.map((item: unknown) => String(isRecord(item) ? item['id'] : item)).toSorted(compareText)
    : []
}

/** The message of the condition without what is only true for the moment. */
function bareMessage(message: string): string {
  const ofTheMoment = String.raw` \([A-Za-z]+(?:, \d+ failed tr(?:y|ies) since)?\); ${triesAgainAt} \S+$`
  return message.replace(new RegExp(ofTheMoment), '')
}
