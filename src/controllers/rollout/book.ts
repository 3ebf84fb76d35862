import type { NodePoolRolloutStatus, RolloutPolicy } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { countPoolNodes } from '../../disruption/budgets.ts'
import { type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import { driftOrder } from '../../disruption/drift.ts'
import type { DisruptionGate, Hold } from '../../disruption/gate.ts'
import type { Clock } from '../../model/clock.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { type Governance, govern, type PolicyGate, type RolloutStepResult } from '../../rollout/engine/index.ts'
import { type PoolPause, poolPause } from '../../rollout/pause.ts'
import type { StalledCause, StalledSource } from '../../rollout/stalled.ts'
import type { Fleet } from './fleet.ts'
import type { PolicySource } from './policies.ts'

/** The last look at each policy. Memory only: after a restart the pools of a policy wait for the first look at it. */
export class RolloutBook implements StalledSource {
  readonly #policies: PolicySource
  readonly #fleet: Fleet
  readonly #clock: Clock
  readonly #results = new Map<string, { readonly uid: string; readonly result: RolloutStepResult }>()

  constructor(deps: { readonly policies: PolicySource; readonly fleet: Fleet; readonly clock: Clock }) {
    this.#policies = deps.policies
    this.#fleet = deps.fleet
    this.#clock = deps.clock
  }

  record(policy: RolloutPolicy, result: RolloutStepResult): void {
    this.#results.set(policy.metadata.name, { uid: policy.metadata.uid, result })
  }

  forget(policy: string): void {
    this.#results.delete(policy)
  }

  governance(): Governance {
    return govern(this.#policies.list(), this.#fleet.pools())
  }

  /** Whether some policy has taken the node in, in the look at it that counts now. */
  resultOf(policy: RolloutPolicy): RolloutStepResult | undefined {
    const known = this.#results.get(policy.metadata.name)
    return known?.uid === policy.metadata.uid ? known.result : undefined
  }

  ofPool(name: string): readonly StalledCause[] {
    const policy = this.governance().governing.get(name)
    return policy === undefined ? [] : (this.resultOf(policy)?.stalled ?? [])
  }

  /** What stalls a policy stalls the classes of its pools. */
  ofClass(name: string): readonly StalledCause[] {
    const { governing } = this.governance()
    const causes = this.#fleet.pools().flatMap((pool) => {
      if (this.#fleet.nodeClassOf(pool)?.metadata.name !== name) return []
      const policy = governing.get(pool.metadata.name)
      return policy === undefined ? [] : (this.resultOf(policy)?.stalled ?? [])
    })
    return [...new Map(causes.map((cause) => [`${cause.reason} ${cause.message}`, cause])).values()]
  }

  /** What the status of a pool tells of the rollout that it takes part in. */
  poolStatus(name: string): NodePoolRolloutStatus | undefined {
    const policy = this.governance().governing.get(name)
    const status = policy === undefined ? undefined : this.resultOf(policy)?.status
    if (policy === undefined || status === undefined) return undefined
    const { phase, reason, message, revision, step, steps, startTime, stepStartTime } = status
    const own = status.nodePools?.find((pool) => pool.name === name)
    return {
      policy: policy.metadata.name,
      ...(phase === undefined ? {} : { phase }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(revision === undefined ? {} : { revision }),
      ...(step === undefined ? {} : { step }),
      ...(steps === undefined ? {} : { steps }),
      ...(own?.totalNodes === undefined ? {} : { totalNodes: own.totalNodes }),
      ...(own?.updatedNodes === undefined ? {} : { updatedNodes: own.updatedNodes }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(stepStartTime === undefined ? {} : { stepStartTime }),
    }
  }

  /** What pauses a pool, and until when. */
  pauseOf(name: string): PoolPause | undefined {
    const pool = this.#fleet.pools().find(({ metadata }) => metadata.name === name)
    if (pool === undefined) return undefined
    const policies = this.governance().selecting.get(name) ?? []
    return poolPause({ pool, nodeClass: this.#fleet.nodeClassOf(pool), policies }, this.#clock.now())
  }

  gateFor(snapshot: Snapshot): DisruptionGate {
    const governance = govern(this.#policies.list(), snapshot.nodePools)
    const pauses = new Map(
      snapshot.nodePools.map((pool) => {
        const policies = governance.selecting.get(pool.metadata.name) ?? []
        const nodeClass = this.#fleet.nodeClassOf(pool)
        return [pool.metadata.name, poolPause({ pool, nodeClass, policies }, snapshot.now)] as const
      }),
    )
    const policies = new Map<string, PolicyView>()
    for (const policy of new Set(governance.governing.values())) {
      const gate = this.resultOf(policy)?.gate
      const pools = new Set([...governance.governing].flatMap(([pool, each]) => (each === policy ? [pool] : [])))
      policies.set(policy.metadata.name, policyView(policy, gate, pools, snapshot))
    }
    const viewOf = (pool: string): PolicyView | undefined => {
      const policy = governance.governing.get(pool)
      return policy === undefined ? undefined : policies.get(policy.metadata.name)
    }
    const hold = (candidate: Candidate, reason: VoluntaryReason): Hold | undefined => {
      const pool = poolName(candidate)
      const pause = pauses.get(pool)
      if (pause !== undefined) return { code: 'Paused', message: pause.message }
      const view = viewOf(pool)
      if (view === undefined) return undefined
      return reason === 'Drifted'
        ? holdDrifted(view, candidate, this.#fleet.targetsOf(candidate.pool).pool, snapshot.now)
        : holdConsolidation(view, reason)
    }
    return {
      hold,
      limit: (pool, reason) => limitOf(viewOf(pool), reason),
      driftOrder: [...policies.values()].some(({ gate }) => gate?.rank !== undefined)
        ? (candidates) => ranked(driftOrder(candidates), (candidate) => viewOf(poolName(candidate)))
        : undefined,
    }
  }
}

/** A policy's gate, less what has begun since it was made. */
interface PolicyView {
  readonly policy: RolloutPolicy
  readonly gate: PolicyGate | undefined
  readonly changes: number
  readonly replacements: number
  /** Nodes of all the pools that may still become unavailable; undefined: no bound. */
  readonly shared: number | undefined
  /** Let through already in this view, where several go in one pass. */
  passed: number
}

function policyView(
  policy: RolloutPolicy,
  gate: PolicyGate | undefined,
  pools: ReadonlySet<string>,
  snapshot: Snapshot,
): PolicyView {
  const byClaim = new Map<string, StateNode>()
  for (const node of snapshot.nodes) if (node.nodeClaim !== undefined) byClaim.set(node.nodeClaim.metadata.name, node)
  let changes = 0
  let all = 0
  for (const [claim, { lane }] of gate?.nodes ?? []) {
    const node = byClaim.get(claim)
    if (node !== undefined && !node.markedForDeletion) continue
    all += 1
    if (lane === 'change') changes += 1
  }
  let unavailable = 0
  for (const [pool, count] of countPoolNodes(snapshot.nodes)) if (pools.has(pool)) unavailable += count.disrupting
  return {
    policy,
    gate,
    changes: (gate?.changes ?? 0) - changes,
    replacements: (gate?.replacements ?? 0) - all,
    shared: gate?.sharedBudget === undefined ? undefined : Math.max(0, gate.sharedBudget - unavailable),
    passed: 0,
  }
}

function holdDrifted(view: PolicyView, candidate: Candidate, target: string, now: number): Hold | undefined {
  const { policy, gate } = view
  if (policy.spec.mode === 'Observe') return undefined
  if (gate === undefined) return held(policy, 'it has not been looked at yet')
  if (gate.targets.get(poolName(candidate)) !== target) return held(policy, 'the target has just changed')
  const lane = gate.nodes.get(candidate.nodeClaim.metadata.name)
  if (lane === undefined) return held(policy, 'the node has just drifted')
  if (lane.hold !== undefined) return lane.hold
  if (gate.validUntil !== undefined && now >= gate.validUntil) return held(policy, 'the window has just closed')
  if (lane.lane === 'change' && view.changes <= 0) return held(policy, 'the step has all its nodes')
  if (view.replacements <= 0) return held(policy, 'the rate allows no more replacements now')
  // Nodes of static pools go several in a pass; all others one by one, each after a look at how things are then.
  if (!isStatic(candidate.pool)) return undefined
  const room = Math.min(
    view.replacements,
    lane.lane === 'change' ? view.changes : Number.POSITIVE_INFINITY,
    view.shared ?? Number.POSITIVE_INFINITY,
  )
  return pass(view, room)
}

function holdConsolidation(view: PolicyView, reason: VoluntaryReason): Hold | undefined {
  const { policy, gate, shared } = view
  const covers = policy.spec.mode !== 'Observe' && (policy.spec.covers ?? []).includes('Consolidation')
  if (!covers) return undefined
  if (gate === undefined) return held(policy, 'it has not been looked at yet')
  if (gate.consolidation !== undefined) return gate.consolidation
  return shared !== undefined && gate.covers.has(reason) ? pass(view, shared) : undefined
}

/** Several may go at once, and how many of them will is decided later: no more are let through than there is room. */
function pass(view: PolicyView, room: number): Hold | undefined {
  if (view.passed >= room) return held(view.policy, 'as many others go first as may go at once')
  view.passed += 1
  return undefined
}

function limitOf(view: PolicyView | undefined, reason: VoluntaryReason): number | undefined {
  if (view?.shared === undefined || view.gate?.covers.has(reason) !== true) return undefined
  return view.shared
}

function held({ metadata: { name } }: RolloutPolicy, message: string): Hold {
  return { code: 'RolloutHeld', message: `RolloutPolicy ${name}: ${message}` }
}

/** Each policy orders its own nodes among the places that they have in the usual order; the others stay where they are. */
function ranked(
  candidates: readonly Candidate[],
  viewOf: (candidate: Candidate) => PolicyView | undefined,
): readonly Candidate[] {
  const queues = new Map<PolicyView, Candidate[]>()
  for (const [view, own] of Map.groupBy(candidates, viewOf)) {
    const rank = view?.gate?.rank
    if (view === undefined || rank === undefined) continue
    const rankOf = (candidate: Candidate): number => rank.get(candidate.nodeClaim.metadata.name) ?? rank.size
    queues.set(
      view,
      own.toSorted((a, b) => rankOf(a) - rankOf(b)),
    )
  }
  return candidates.map((candidate) => {
    const view = viewOf(candidate)
    return (view === undefined ? undefined : queues.get(view)?.shift()) ?? candidate
  })
}
