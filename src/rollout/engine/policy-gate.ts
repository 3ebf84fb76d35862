import type { RolloutPolicy, RolloutPolicySpec } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import type { Hold } from '../../disruption/gate.ts'
import { toTimestamp } from '../../model/clock.ts'
import type { GateState } from './gates.ts'
import type { NodeFacts, PoolFacts, RolloutInput } from './input.ts'
import { rankNodes } from './order.ts'
import type { RateResult } from './rate.ts'
import type { NodeLane, PolicyGate } from './result.ts'
import { isOfFailedRollout } from './rollback.ts'
import { isCounted, type Run } from './run.ts'
import { laneOf, refuses, type Scope, whyUnresolved } from './scope.ts'
import type { WindowState } from './windows.ts'

export interface GateInputs {
  readonly input: RolloutInput
  readonly scope: Scope
  readonly run: Run | undefined
  readonly gates: GateState
  /** Of the query alone. */
  readonly metric: GateState
  readonly window: WindowState
  readonly rate: RateResult
  /** Nodes of the change that may begin, by the step alone. */
  readonly allowed: number
  /** The deadline has passed: windows, steps and soaks no longer hold. */
  readonly isForced: boolean
  /** Images that the failed rollout brought, while it is rolled back. */
  readonly badImages: ReadonlySet<string>
}

/** What may begin now, node by node, with the reason where it may not. */
export function gateOf(inputs: GateInputs): PolicyGate {
  const { input, run, window, rate, isForced } = inputs
  const { policy, pools } = input
  const covers = coveredReasons(policy.spec)
  const nodes = new Map<string, NodeLane>()
  let untold = 0
  for (const pool of pools) {
    for (const node of pool.nodes) {
      const lane = laneOf(pool, node)
      if (lane === undefined) continue
      if (node.going) {
        if (node.goingUntold) untold += 1
        continue
      }
      const hold = lane === 'change' ? holdChange(inputs, pool, node) : holdMaintenance(inputs, pool)
      nodes.set(node.name, { pool: pool.name, lane, hold })
    }
  }
  const isRollback = run?.failure?.state === 'RollingBack'
  return {
    policy: policy.metadata.name,
    targets: new Map(pools.map((pool) => [pool.name, pool.target])),
    nodes,
    changes: isRollback || isForced ? Number.POSITIVE_INFINITY : Math.max(0, inputs.allowed),
    // They have not paid yet, and may have to.
    replacements: Math.max(0, rate.allowed - untold),
    changesAreFree: isRollback,
    sharedBudget: policy.spec.sharedBudget,
    covers,
    consolidation: windowHold(policy, 'Underutilized', window),
    rank: rankNodes(policy.spec.order, pools),
    validUntil: isRollback || isForced || window.kind === 'closed' ? undefined : window.until,
  }
}

/** Which reasons windows and the shared budget hold. */
export function coveredReasons({ covers = ['Drift'] }: RolloutPolicySpec): ReadonlySet<VoluntaryReason> {
  return new Set<VoluntaryReason>([
    ...(covers.includes('Drift') ? (['Drifted'] as const) : []),
    ...(covers.includes('Consolidation') ? (['Empty', 'Underutilized'] as const) : []),
  ])
}

/** What holds nodes that would go for the reason until a window opens. */
export function windowHold(
  { metadata, spec }: Pick<RolloutPolicy, 'metadata' | 'spec'>,
  reason: VoluntaryReason,
  window: WindowState,
): Hold | undefined {
  if (window.kind === 'open' || !coveredReasons(spec).has(reason)) return undefined
  return held(metadata.name, windowText(window))
}

function holdChange(inputs: GateInputs, pool: PoolFacts, node: NodeFacts): Hold | undefined {
  const { input, scope, run, isForced } = inputs
  const { name } = input.policy.metadata
  if (pool.pause !== undefined) return { code: 'Paused', message: pool.pause.message }
  if (run?.failure !== undefined) {
    const isReturning = run.failure.state === 'RollingBack' && scope.covered.includes(pool)
    if (isReturning && isOfFailedRollout(run, pool, node, inputs.badImages)) return undefined
    return held(name, `the rollout has failed: ${run.failure.message}`)
  }
  const refusal = scope.refusals.get(pool.name)
  if (refusal !== undefined && refuses(refusal, node)) return held(name, refusal.message)
  if (run === undefined) return held(name, 'the rollout has not begun')
  const unresolved = whyUnresolved(scope)
  if (unresolved !== undefined) return held(name, unresolved)
  if (isForced) return holdRate(inputs)
  return (
    windowHold(input.policy, 'Drifted', inputs.window) ??
    holdUncounted(inputs, run, node) ??
    holdStep(inputs, run) ??
    holdRate(inputs)
  )
}

/** It is not among the nodes that steps count. */
function holdUncounted({ input: { policy } }: GateInputs, run: Run, node: NodeFacts): Hold | undefined {
  if (run.step.isLast || isCounted(run, node)) return undefined
  const why = run.leaving.has(node.name)
    ? 'the node was on its way out when the rollout began and was kept'
    : 'the node came or drifted after the rollout had begun'
  return held(policy.metadata.name, `${why}; it goes with the last step`)
}

function holdMaintenance(inputs: GateInputs, pool: PoolFacts): Hold | undefined {
  if (pool.pause !== undefined) return { code: 'Paused', message: pool.pause.message }
  return windowHold(inputs.input.policy, 'Drifted', inputs.window) ?? holdRate(inputs)
}

function holdStep({ input, gates, metric, allowed }: GateInputs, run: Run): Hold | undefined {
  const { name } = input.policy.metadata
  const step = `step ${run.step.index + 1} of ${run.step.count}`
  if (gates.kind === 'failed') return held(name, gates.message)
  if (metric.kind !== 'good') return held(name, metric.message)
  const { soakedUntil } = run
  if (soakedUntil !== undefined) {
    const isOver = input.now >= soakedUntil && gates.kind === 'waiting'
    return held(
      name,
      isOver ? `${step} has soaked: ${gates.message}` : `${step} soaks until ${toTimestamp(soakedUntil)}`,
    )
  }
  if (allowed > 0) return undefined
  const waitsForPods = gates.kind === 'waiting' && gates.reason === 'PodsNotReady'
  return held(
    name,
    waitsForPods ? `${step} has its nodes: ${gates.message}` : `${step} waits for its nodes to be in service`,
  )
}

function holdRate({ input: { policy }, rate }: GateInputs): Hold | undefined {
  if (rate.allowed > 0) return undefined
  const from = rate.nextAt === undefined ? '' : ` before ${toTimestamp(rate.nextAt)}`
  return held(policy.metadata.name, `the rate allows no more replacements${from}`)
}

export function windowText(window: Extract<WindowState, { kind: 'closed' }>): string {
  const next = window.opensAt === undefined ? 'and none will be' : `before ${toTimestamp(window.opensAt)}`
  return `${window.because} ${next}`
}

function held(policy: string, message: string): Hold {
  return { code: 'RolloutHeld', message: `RolloutPolicy ${policy}: ${message}` }
}
