import type { NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import { type DisruptionGate, type Hold, openGate } from '../../disruption/gate.ts'
import type { PoolPause } from '../pause.ts'
import type { PolicyGate } from './result.ts'
import { nodeCount } from './steps.ts'

/** The gates of all policies and pauses at one moment. */
export interface PolicyGates {
  /** By pool. */
  readonly pauses: ReadonlyMap<string, PoolPause | undefined>
  /** By pool: the view of the policy that governs it. */
  readonly views: ReadonlyMap<string, PolicyView>
  /** What the pool's nodes would be made of now. */
  readonly targetOf: (pool: NodePool) => string
  readonly now: number
}

/** What policies and pauses let the disruption loop do, on one snapshot. */
export function gateOfPolicies({ pauses, views, targetOf, now }: PolicyGates): DisruptionGate {
  if (views.size === 0 && [...pauses.values()].every((pause) => pause === undefined)) return openGate
  const viewOf = (pool: string): PolicyView | undefined => views.get(pool)
  return {
    hold: (candidate, reason) => {
      const pool = poolName(candidate)
      const pause = pauses.get(pool)
      if (pause !== undefined) return { code: 'Paused', message: pause.message }
      const view = viewOf(pool)
      if (view === undefined) return undefined
      return reason === 'Drifted'
        ? holdDrifted(view, candidate, targetOf(candidate.pool), now)
        : holdConsolidation(view, reason, now)
    },
    take: (candidate, reason) => {
      const view = viewOf(poolName(candidate))
      return view === undefined || reason !== 'Drifted' ? undefined : takeDrifted(view, candidate)
    },
    limit: (pool, reason) => limitOf(viewOf(pool), reason),
    common: (pool, reason) => {
      const view = viewOf(pool)
      const nodes = limitOf(view, reason)
      return view === undefined || nodes === undefined
        ? []
        : [{ name: `RolloutPolicy ${view.policy.metadata.name}`, nodes }]
    },
    driftOrder: [...views.values()].some(({ gate }) => gate?.rank !== undefined)
      ? (candidates) => ranked(candidates, (candidate) => viewOf(poolName(candidate)))
      : undefined,
  }
}

/** Stands for a gate where none counts: whatever the policy governs waits for the next look that succeeds. */
export interface ClosedGate {
  readonly closed: string
}

/** A policy's gate, less what has begun since it was made. */
export interface PolicyView {
  readonly policy: RolloutPolicy
  readonly gate: PolicyGate | undefined
  /** Why there is no gate, where there is none. */
  readonly closed: string
  readonly changes: number
  readonly replacements: number
  /** Nodes of all the pools that may still become unavailable; undefined: no bound. */
  readonly shared: number | undefined
  /** Let through already in this view, where several go in one pass. */
  passed: number
}

/** Nodes of all the policy's pools, as budgets count them. */
interface SharedCount {
  readonly total: number
  readonly unavailable: number
}

/** `isGoing`: of the claim, whether it is on its way out or not there any more. */
export function policyView(
  policy: RolloutPolicy,
  gate: PolicyGate | ClosedGate | undefined,
  fleet: SharedCount & { isGoing(claim: string): boolean },
): PolicyView {
  if (gate !== undefined && 'closed' in gate) {
    return { ...viewAfter(policy, undefined, { changes: 0, all: 0 }, fleet), closed: gate.closed }
  }
  const begun = { changes: 0, all: 0 }
  for (const [claim, { lane }] of gate?.nodes ?? []) {
    if (!fleet.isGoing(claim)) continue
    begun.all += 1
    if (lane === 'change') begun.changes += 1
  }
  return viewAfter(policy, gate, begun, fleet)
}

/** `begun`: of the nodes that the gate knows, how many have begun to go since it was made. */
export function viewAfter(
  policy: RolloutPolicy,
  gate: PolicyGate | undefined,
  begun: { readonly changes: number; readonly all: number },
  { total, unavailable }: SharedCount,
): PolicyView {
  return {
    policy,
    gate,
    closed: 'it has not been looked at yet',
    changes: (gate?.changes ?? 0) - begun.changes,
    replacements: (gate?.replacements ?? 0) - begun.all + (gate?.changesAreFree === true ? begun.changes : 0),
    shared:
      gate?.sharedBudget === undefined ? undefined : Math.max(0, nodeCount(gate.sharedBudget, total) - unavailable),
    passed: 0,
  }
}

function holdDrifted(view: PolicyView, candidate: Candidate, target: string, now: number): Hold | undefined {
  const { policy, gate } = view
  if (policy.spec.mode === 'Observe') return undefined
  if (gate === undefined) return held(policy, view.closed)
  if (gate.targets.get(poolName(candidate)) !== target) return held(policy, 'the target has just changed')
  const lane = gate.nodes.get(candidate.nodeClaim.metadata.name)
  if (lane === undefined) return held(policy, 'the node has just drifted')
  if (lane.hold !== undefined) return lane.hold
  if (gate.validUntil !== undefined && now >= gate.validUntil) return held(policy, 'the window has just closed')
  if (lane.lane === 'change' && view.changes <= 0) return held(policy, 'the step has all its nodes')
  const isFree = lane.lane === 'change' && gate.changesAreFree
  const replacements = isFree ? Number.POSITIVE_INFINITY : view.replacements
  if (replacements <= 0) return held(policy, 'the rate allows no more replacements now')
  return undefined
}

/** Nodes of static pools go several in a pass; all others one by one, each after a look at how things are then. */
function takeDrifted(view: PolicyView, candidate: Candidate): Hold | undefined {
  const { policy, gate } = view
  const lane = gate?.nodes.get(candidate.nodeClaim.metadata.name)
  if (policy.spec.mode === 'Observe' || lane === undefined || !isStatic(candidate.pool)) return undefined
  const replacements =
    lane.lane === 'change' && gate?.changesAreFree === true ? Number.POSITIVE_INFINITY : view.replacements
  const room = Math.min(
    replacements,
    lane.lane === 'change' ? view.changes : Number.POSITIVE_INFINITY,
    limitOf(view, 'Drifted') ?? Number.POSITIVE_INFINITY,
  )
  return pass(view, room)
}

function holdConsolidation(view: PolicyView, reason: VoluntaryReason, now: number): Hold | undefined {
  const { policy, gate, shared } = view
  const covers = policy.spec.mode !== 'Observe' && (policy.spec.covers ?? []).includes('Consolidation')
  if (!covers) return undefined
  if (gate === undefined) return held(policy, view.closed)
  if (gate.consolidation !== undefined) return gate.consolidation
  if (gate.validUntil !== undefined && now >= gate.validUntil) return held(policy, 'the window has just closed')
  // Which of them go is decided by what they cost and save; those that do draw on the room that the pools have in common.
  return shared === 0 && gate.covers.has(reason) ? held(policy, allGone) : undefined
}

const allGone = 'as many others go first as may go at once'

/** Several may go at once, and how many of them will is decided later: no more are let through than there is room. */
function pass(view: PolicyView, room: number): Hold | undefined {
  if (view.passed >= room) return held(view.policy, allGone)
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
  const queues = new Map<PolicyView, Iterator<Candidate, undefined>>()
  for (const [view, own] of Map.groupBy(candidates, viewOf)) {
    const rank = view?.gate?.rank
    if (view === undefined || rank === undefined) continue
    const inOrder = own
      .map((candidate) => ({ candidate, rank: rank.get(candidate.nodeClaim.metadata.name) ?? rank.size }))
      .toSorted((a, b) => a.rank - b.rank)
    queues.set(view, inOrder.map(({ candidate }) => candidate).values())
  }
  return candidates.map((candidate) => {
    const view = viewOf(candidate)
    return (view === undefined ? undefined : queues.get(view)?.next().value) ?? candidate
  })
}
