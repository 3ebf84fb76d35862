import type { RolloutHistoryEntry, RolloutNodePoolStatus, RolloutPolicyStatus } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { joinSentences } from '../joined-sentences.ts'
import { blockersOf } from '../status.ts'
import type { NodeFacts, PoolFacts } from './input.ts'
import type { PassFacts } from './pass-facts.ts'
import { coveredReasons, windowText } from './policy-gate.ts'
import { allowedByStep, deadlineOf, isTried, replacedCount } from './progress.ts'
import type { Run } from './run.ts'
import { changeNodes, whyUnresolved } from './scope.ts'
import { writableTerms } from './steps.ts'

export interface StatusFacts extends PassFacts {
  readonly history: readonly RolloutHistoryEntry[]
  readonly completed: boolean
}

type Phase = NonNullable<RolloutPolicyStatus['phase']>

interface Shown {
  readonly phase: Phase
  readonly reason: string
  readonly message: string
}

/** All that is remembered and shown. Conditions are kept by whoever writes it. */
export function statusOf(facts: StatusFacts): RolloutPolicyStatus {
  const { input, run, rate, window, history } = facts
  const { policy, pools } = input
  const { phase, reason, message } = shownOf(facts)
  const nodes = pools.flatMap((pool) => pool.nodes)
  const opensAt = phase === 'Waiting' && window.kind === 'closed' ? window.opensAt : undefined
  return {
    ...(policy.status?.conditions === undefined ? {} : { conditions: policy.status.conditions }),
    observedGeneration: policy.metadata.generation ?? 0,
    phase,
    reason,
    message,
    ...countsOf(nodes),
    blockedBy: blockersOf(nodes),
    nodePools: poolStatuses(facts),
    ...(run === undefined ? {} : runFields(run, facts)),
    ...(opensAt === undefined ? {} : { nextWindowTime: toTimestamp(opensAt) }),
    ...(rate.status === undefined ? {} : { rate: rate.status }),
    ...approvalsOf(pools),
    ...(history.length === 0 ? {} : { history: [...history] }),
  }
}

/** As the statuses of pools count them: what starts or goes by scaling leaves nothing to replace, and what is replaced counts until it is gone. */
function countsOf(
  nodes: readonly NodeFacts[],
): Pick<RolloutPolicyStatus, 'totalNodes' | 'updatedNodes' | 'blockedNodes'> {
  const outdated = nodes.filter(({ drift }) => drift !== undefined).length
  const updatedNodes = nodes.filter(({ drift, going }) => drift === undefined && !going).length
  const blockedNodes = nodes.filter(({ blocked }) => blocked !== undefined).length
  return { totalNodes: updatedNodes + outdated, updatedNodes, blockedNodes }
}

function runFields(run: Run, { input, scope }: StatusFacts): Partial<RolloutPolicyStatus> {
  const deadline = deadlineOf(input.policy.spec, run)
  return {
    revision: run.revision,
    startTime: toTimestamp(run.startedAt),
    startNodes: run.startNodes,
    ...(run.imageChanges.size === 0
      ? {}
      : { imageChanges: [...run.imageChanges].toSorted(compareText).slice(0, listMax) }),
    ...leavingOf(run, input.pools),
    replacedNodes: replacedOf(run, { input, scope }),
    inForce: writableTerms(run.terms),
    step: run.step.index,
    steps: run.step.count,
    stepGoal: run.step.goal,
    stepStartTime: toTimestamp(run.stepStartedAt),
    ...(run.reachedAt === undefined ? {} : { stepReachedTime: toTimestamp(run.reachedAt) }),
    ...(run.soakedUntil === undefined ? {} : { soakedUntil: toTimestamp(run.soakedUntil) }),
    ...(run.pending.length === 0 ? {} : { pending: [...run.pending] }),
    ...(run.failed === 0 ? {} : { failedNodes: run.failed }),
    ...(run.badSince === undefined ? {} : { badSince: toTimestamp(run.badSince) }),
    ...(run.failure === undefined ? {} : { failure: run.failure }),
    ...(Number.isFinite(deadline) ? { deadlineTime: toTimestamp(deadline) } : {}),
  }
}

/** Nodes that a rollback returned look like ones never touched, and those whose images nobody knows like ones replaced. */
function replacedOf(run: Run, { input, scope }: Pick<StatusFacts, 'input' | 'scope'>): number {
  const isKept = run.failure !== undefined || whyUnresolved(scope) !== undefined
  return (isKept ? input.policy.status?.replacedNodes : undefined) ?? replacedCount(run, scope.covered)
}

/** As many as a list of the status may hold. */
const listMax = 1_000

function leavingOf({ leaving }: Run, pools: readonly PoolFacts[]): Pick<RolloutPolicyStatus, 'leaving'> {
  const left = pools.flatMap(({ nodes }) => nodes.flatMap(({ name }) => (leaving.has(name) ? [name] : [])))
  return left.length === 0 ? {} : { leaving: left.toSorted(compareText).slice(0, listMax) }
}

function shownOf(facts: StatusFacts): Shown {
  const { input, run, isObserving } = facts
  if (isObserving) {
    const changing = input.pools.reduce((sum, pool) => sum + changeNodes(pool).length, 0)
    return { phase: 'Idle', reason: 'Observing', message: `${changing} node(s) differ; the policy only reports` }
  }
  return run === undefined ? shownIdle(facts) : shownRun(facts, run)
}

function shownIdle({ input, scope, completed, history }: StatusFacts): Shown {
  if (input.pools.length === 0) {
    const yielded = input.yielded.length > 0
    return yielded
      ? { phase: 'Idle', reason: 'Yields', message: 'older policies govern all the pools that it selects' }
      : { phase: 'Idle', reason: 'NoNodePools', message: 'it selects no NodePool' }
  }
  const refusals = [...scope.refusals.values()]
  const awaiting = refusals.filter(({ reason }) => reason === 'AwaitingApproval')
  const [first] = awaiting.length > 0 ? awaiting : refusals
  if (first !== undefined) {
    const phase = first.reason === 'AwaitingApproval' ? 'AwaitingApproval' : 'Waiting'
    const message = joinSentences(
      refusals.flatMap(({ reason, message: text }) => (reason === first.reason ? text : [])),
    )
    if (first.reason !== 'NewNodesOnly') return { phase, reason: first.reason, message }
    return { phase: 'Idle', reason: first.reason, message: first.message }
  }
  const [newest] = history
  if (completed || input.policy.status?.phase === 'Completed') {
    return { phase: 'Completed', reason: 'Completed', message: newest?.message ?? 'every node is up to date' }
  }
  return { phase: 'Idle', reason: 'UpToDate', message: 'every node is up to date' }
}

function shownRun(facts: StatusFacts, run: Run): Shown {
  const { input, scope, gates, window, rate, isForced } = facts
  const { failure, step } = run
  if (failure !== undefined) {
    const phase = failure.state === 'RollingBack' ? 'RollingBack' : 'Halted'
    return { phase, reason: failure.state === 'RolledBack' ? 'RolledBack' : failure.reason, message: failure.message }
  }
  const pauses = scope.covered.flatMap(({ pause }) => pause ?? [])
  const [pause] = pauses
  if (pause !== undefined && pauses.length === scope.covered.length) {
    return { phase: 'Paused', reason: 'Paused', message: pause.message }
  }
  // What goes for other reasons may be more than the step asks for.
  const ofGoal = Math.min(replacedOf(run, facts), step.goal)
  const counted = `step ${step.index + 1} of ${step.count}: ${ofGoal} of ${step.goal} node(s)`
  const refusals = [...scope.refusals.entries()].filter(([name]) => run.covered.has(name))
  const [refusal] = refusals
  if (refusal !== undefined && refusals.length === run.covered.size) {
    const phase = refusal[1].reason === 'AwaitingApproval' ? 'AwaitingApproval' : 'Waiting'
    return { phase, reason: refusal[1].reason, message: refusal[1].message }
  }
  const pauseOfRest = pauseOfRemaining(facts, run)
  if (pauseOfRest !== undefined) {
    return { phase: 'Paused', reason: 'Paused', message: `${counted}; ${pauseOfRest}` }
  }
  const unresolved = whyUnresolved(scope)
  if (unresolved !== undefined) {
    return { phase: 'Waiting', reason: 'ImagesUnknown', message: `${counted}; ${unresolved}` }
  }
  if (isForced) {
    return {
      phase: 'Progressing',
      reason: 'DeadlineExceeded',
      message: `the deadline has passed, it goes on; ${counted}`,
    }
  }
  if (run.soakedUntil !== undefined) {
    const text = `${counted}, soaks until ${toTimestamp(run.soakedUntil)}`
    return gates.kind === 'waiting' && input.now >= run.soakedUntil
      ? { phase: 'Soaking', reason: gates.reason, message: `${text}; ${gates.message}` }
      : { phase: 'Soaking', reason: 'Soaking', message: text }
  }
  const isLeft = step.isLast
    ? scope.covered.flatMap(changeNodes).some(({ going }) => !going)
    : allowedByStep(run, scope.covered) > 0
  if (isLeft && window.kind === 'closed' && coveredReasons(input.policy.spec).has('Drifted')) {
    return { phase: 'Waiting', reason: 'WindowClosed', message: `${counted}; ${windowText(window)}` }
  }
  if (gates.kind !== 'good') {
    return { phase: 'Progressing', reason: gates.reason, message: `${counted}; ${gates.message}` }
  }
  if (rate.allowed === 0 && isLeft) {
    const from = rate.nextAt === undefined ? '' : `, the next at ${toTimestamp(rate.nextAt)}`
    return { phase: 'Progressing', reason: 'RateLimited', message: `${counted}; the rate is used up${from}` }
  }
  const isUntried = !step.isLast && ofGoal >= step.goal && !isTried(run, scope.covered)
  const untried = isUntried ? '; no node of the new revision is in service yet' : ''
  return { phase: 'Progressing', reason: 'Progressing', message: `${counted}${untried}` }
}

/** Of the pools that have nodes left, where all of these are paused and nothing else is waited for: the others are through, and it stands still. */
function pauseOfRemaining({ scope, gates }: StatusFacts, run: Run): string | undefined {
  if (run.soakedUntil !== undefined || gates.kind !== 'good') return undefined
  const remaining = scope.covered.filter((pool) => changeNodes(pool).length > 0)
  if (remaining.some((pool) => changeNodes(pool).some(({ going }) => going))) return undefined
  const pauses = remaining.flatMap(({ pause }) => pause ?? [])
  return pauses.length === remaining.length ? pauses[0]?.message : undefined
}

function poolStatuses({ input, run, completed, scope }: StatusFacts): RolloutNodePoolStatus[] {
  const before = new Map((input.policy.status?.nodePools ?? []).map((entry) => [entry.name, entry]))
  const covered = new Set(scope.covered.map(({ name }) => name))
  const governed = input.pools.map((pool): RolloutNodePoolStatus => {
    const startNodes = run?.covered.get(pool.name)
    const isCurrent = (completed && covered.has(pool.name)) || pool.nodes.every(({ drift }) => drift === undefined)
    const currentHash = isCurrent ? pool.target : before.get(pool.name)?.currentHash
    return {
      name: pool.name,
      ...(currentHash === undefined ? {} : { currentHash }),
      targetHash: pool.target,
      ...countsOf(pool.nodes),
      ...(input.policy.spec.mode === 'Approve' ? { approved: pool.approval !== undefined } : {}),
      ...(startNodes === undefined ? {} : { startNodes }),
    }
  })
  const yielded = input.yielded.map(({ pool, to }): RolloutNodePoolStatus => ({ name: pool, governedBy: to }))
  // Of more than there is room for, the ones that the rollout covers are its memory; those that it yields matter least.
  const byWeight = [
    ...governed.filter(({ startNodes }) => startNodes !== undefined),
    ...governed.filter(({ startNodes }) => startNodes === undefined),
    ...yielded,
  ]
  return byWeight.slice(0, listMax).toSorted((a, b) => compareText(a.name, b.name))
}

/** As long as the status may hold. */
const userMax = 1_024

function approvalsOf(pools: readonly PoolFacts[]): Pick<RolloutPolicyStatus, 'approvals'> {
  const approvals = new Map(
    pools.flatMap(({ approval }) =>
      approval === undefined ? [] : [[`${approval.kind}/${approval.name}`, approval] as const],
    ),
  )
  if (approvals.size === 0) return {}
  return {
    approvals: [...approvals.values()]
      .toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name))
      .slice(0, listMax)
      .map(({ kind, name, target, time, fieldManager, user }) => ({
        kind,
        name,
        target,
        ...(time === undefined ? {} : { time }),
        ...(fieldManager === undefined ? {} : { fieldManager }),
        ...(user === undefined ? {} : { user: user.slice(0, userMax) }),
      })),
  }
}
