import { conditionOf } from '../../api/conditions.ts'
import type { StalledCause } from '../stalled.ts'
import { nodeCount } from './steps.ts'
import type { RolloutInput } from './input.ts'
import type { PassFacts } from './pass-facts.ts'
import { coveredReasons } from './policy-gate.ts'
import type { Run } from './run.ts'
import { unknownTerm } from './scope.ts'

/** How long the query may have no answer while the rollout waits for nothing else. */
const unknownPatienceMs = 5 * 60_000

/** What keeps the rollouts of a policy from ever going on by themselves. */
export function stalledCauses({ input, run, gates, window, isForced }: PassFacts): readonly StalledCause[] {
  const { policy, pools, now } = input
  const { name } = policy.metadata
  const causes: StalledCause[] = []
  if (run?.failure !== undefined && run.failure.state !== 'RollingBack') {
    const reason = run.failure.state === 'RolledBack' ? 'RolledBack' : 'Halted'
    causes.push({ reason, message: `RolloutPolicy ${name}: ${run.failure.message}` })
  }
  const unknown = unknownTerm(policy.spec)
  if (unknown !== undefined) {
    causes.push({ reason: unknown.reason, message: `RolloutPolicy ${name}: ${unknown.message}` })
  }
  // What holds other disruption alone keeps no rollout.
  const holdsDrift = coveredReasons(policy.spec).has('Drifted')
  if (!isForced && holdsDrift && window.kind === 'closed' && window.opensAt === undefined) {
    causes.push({ reason: 'WindowsNeverOpen', message: `RolloutPolicy ${name}: ${window.because}, and none will be` })
  }
  const total = pools.reduce((sum, pool) => sum + pool.nodes.length, 0)
  const { sharedBudget } = policy.spec
  if (holdsDrift && sharedBudget !== undefined && total > 0 && nodeCount(sharedBudget, total) === 0) {
    causes.push({ reason: 'SharedBudgetIsZero', message: `RolloutPolicy ${name}: sharedBudget allows no node at all` })
  }
  const isUnknown = !isForced && gates.kind === 'waiting' && gates.reason === 'MetricUnknown'
  if (isUnknown && now >= waitsForAnswerSince(input, run) + unknownPatienceMs) {
    causes.push({ reason: 'MetricUnknown', message: `RolloutPolicy ${name}: ${gates.message}` })
  }
  return causes
}

/** Since when only an answer is lacking; in ms since the epoch, infinite while nodes are on their way. */
function waitsForAnswerSince({ policy, pools, metric }: RolloutInput, run: Run | undefined): number {
  const isMoving = pools.some(({ nodes }) => nodes.some(({ going, initialized }) => going || !initialized))
  if (run === undefined || isMoving) return Number.POSITIVE_INFINITY
  const waits = run.soakedUntil ?? run.stepStartedAt
  // A process that finds the query without an answer for long does not wait all over again.
  const stalled = conditionOf(policy, 'Stalled')
  if (stalled?.status === 'True' && stalled.reason === 'MetricUnknown') return waits
  const answer = metric?.answer
  return Math.max(waits, answer?.kind === 'unknown' ? (answer.since ?? waits) : waits)
}
