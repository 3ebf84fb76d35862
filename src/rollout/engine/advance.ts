import type { StalledCause } from '../stalled.ts'
import type { NodeFacts, PoolFacts, RolloutInput } from './input.ts'
import { neverUp } from './never-up.ts'
import { gateOf } from './policy-gate.ts'
import { allowedByStep, deadlineOf } from './progress.ts'
import { spendRate } from './rate.ts'
import type { RolloutStepResult } from './result.ts'
import { isOfFailedRollout } from './rollback.ts'
import { runOf } from './run.ts'
import { whyUnresolved } from './scope.ts'
import { stalledCauses } from './stalled-causes.ts'
import { statusOf } from './to-status.ts'
import { windowState } from './windows.ts'
import { Work } from './work.ts'

/**
 * One look at everything that a policy governs: how far its rollout is, whether it may go on, and with which nodes. Pure; a crash before
 * the result is written costs nothing but doing it again, and what is not in the status is read from the cluster each time.
 */
export function advance(input: RolloutInput): RolloutStepResult {
  const { policy, now } = input
  const { spec } = policy
  const previous = policy.status
  const work = new Work(input)
  const { found } = work
  const before = runOf(previous)
  const isObserving = spec.mode === 'Observe'
  const { run, scope } = work.toPresent(isObserving ? undefined : before)
  const after = run === undefined ? undefined : work.step(run, scope)
  if (run === undefined && !isObserving) work.noteGoodImages()

  const window = windowState(spec, now)
  const standsStill = after !== undefined && whyUnresolved(scope) !== undefined
  const isForced =
    after !== undefined && after.failure === undefined && !standsStill && now >= deadlineOf(policy.spec, after)
  const present = new Set(input.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)))
  // What a rollback takes back pays nothing, and needs no room in the bucket. Everything else does, in a rollout that failed as well.
  const isFree = (pool: PoolFacts, node: NodeFacts): boolean =>
    after?.failure?.state === 'RollingBack' &&
    scope.covered.includes(pool) &&
    isOfFailedRollout(after, pool, node, found.badImages)
  const going = input.pools.flatMap((pool) =>
    pool.nodes.flatMap((node) => (node.goingForDrift && !isFree(pool, node) ? [node.name] : [])),
  )
  const rate = spendRate({
    rate: spec.rate,
    previous: previous?.rate,
    going: new Set(going),
    present,
    now,
  })
  const allowed =
    after === undefined || after.soakedUntil !== undefined || standsStill ? 0 : allowedByStep(after, scope.covered)
  const good = { kind: 'good' as const }
  const { state: gates, metric } = work.gates ?? { state: good, metric: good }
  const { badImages } = found
  const gate = gateOf({ input, scope, run: after, gates, metric, window, rate, allowed, isForced, badImages })
  const outdated = after === undefined ? undefined : neverUp(after, scope, gate, now)
  const facts = { input, scope, run: after, gates, window, rate, isForced, isObserving }
  const stalled: readonly StalledCause[] = isObserving ? [] : stalledCauses(facts)
  const status = statusOf({ ...facts, history: found.history, completed: work.completed })
  found.noteShown(previous, status)
  return {
    status,
    gate: isObserving ? { ...gate, nodes: new Map(), sharedBudget: undefined, consolidation: undefined } : gate,
    transitions: found.transitions,
    rollbacks: found.rollbacks,
    verdicts: found.verdicts,
    discards: [...new Set([...found.discards, ...(outdated?.names ?? [])])],
    stalled,
    wakeAt: earliest(
      [
        work.gates?.wakeAt,
        outdated?.nextTimeout,
        ...found.timeouts,
        after?.soakedUntil,
        after === undefined || isForced ? undefined : deadlineOf(policy.spec, after),
        window.kind === 'open' ? window.until : window.opensAt,
        gate.nodes.size > 0 ? rate.nextAt : undefined,
        rate.lapsesAt,
        ...[...scope.refusals.values()].map(({ until }) => until),
        ...input.pools.map(({ pause }) => pause?.until),
      ].filter((at) => at === undefined || at > now),
    ),
  }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== undefined && Number.isFinite(at))
  return known.length === 0 ? undefined : Math.min(...known.map(Number))
}
