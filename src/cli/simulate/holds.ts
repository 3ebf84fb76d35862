import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { type DisruptionGate, type Hold, holdingGate } from '../../disruption/gate.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { govern, windowHold, windowState } from '../../rollout/engine/index.ts'
import { poolPause } from '../../rollout/pause.ts'
import { breakerHold } from './shown-breaker.ts'

/** Where pauses and windows may come from, besides the pool itself. */
export interface HoldSources {
  readonly snapshot: Pick<Snapshot, 'now' | 'nodes'>
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly policies: readonly RolloutPolicy[]
}

/** What of the operator's gate the objects show: pauses, windows, circuit breakers, and rollouts that wait for something. */
export function shownGate(sources: HoldSources): DisruptionGate {
  return holdingGate(
    ({ pool }, reason) => poolHold(pool, reason, sources) ?? (reason === 'Drifted' ? rolloutHold(pool) : undefined),
  )
}

/** What holds all nodes of the pool that would go for the reason. The windows that drift waits for are its rollout's to tell. */
export function poolHold(pool: NodePool, reason: VoluntaryReason, sources: HoldSources): Hold | undefined {
  return (
    pauseHold(pool, sources) ??
    (reason === 'Drifted' ? undefined : closedWindow(pool, reason, sources)) ??
    breakerHold(pool, reason, sources.snapshot)
  )
}

/** The policy that governs the pool, which is the oldest that selects it. */
export function governingPolicy(pool: NodePool, policies: readonly RolloutPolicy[]): RolloutPolicy | undefined {
  return govern(policies, [pool]).governing.get(pool.metadata.name)
}

function closedWindow(pool: NodePool, reason: VoluntaryReason, sources: HoldSources): Hold | undefined {
  const policy = governingPolicy(pool, sources.policies)
  if (policy === undefined || policy.spec.mode === 'Observe') return undefined
  return windowHold(policy, reason, windowState(policy.spec, sources.snapshot.now))
}

/** The pause that holds the pool's nodes, by itself, its class or a policy; undefined when none is in force. */
function pauseHold(pool: NodePool, { snapshot, nodeClasses, policies }: HoldSources): Hold | undefined {
  const pause = poolPause(
    {
      pool,
      nodeClass: nodeClasses.find(({ metadata }) => metadata.name === pool.spec.template.spec.nodeClassRef.name),
      policies: govern(policies, [pool]).selecting.get(pool.metadata.name) ?? [],
    },
    snapshot.now,
  )
  return pause === undefined ? undefined : { code: 'Paused', message: pause.message }
}

/** What the operator wrote of the rollout: which of the drifted nodes go next is the policy's to say. */
const holdingPhases: ReadonlySet<string> = new Set(['Waiting', 'AwaitingApproval', 'Soaking', 'Halted'])

export function rolloutHold({ status }: NodePool): Hold | undefined {
  const { policy, phase = 'Idle', message = '' } = status?.rollout ?? {}
  if (policy === undefined || !holdingPhases.has(phase)) return undefined
  return { code: 'RolloutHeld', message: `RolloutPolicy ${policy}: ${phase}${message === '' ? '' : `, ${message}`}` }
}
