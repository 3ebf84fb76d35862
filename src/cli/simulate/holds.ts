import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { type DisruptionGate, type Hold, holdingGate } from '../../disruption/gate.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { govern } from '../../rollout/engine/index.ts'
import { poolPause } from '../../rollout/pause.ts'

/** Where pauses may come from, besides the pool itself. */
export interface PauseSources {
  readonly snapshot: Pick<Snapshot, 'now'>
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly policies: readonly RolloutPolicy[]
}

/** What of the operator's gate the objects show: pauses, and rollouts that wait for something. */
export function shownGate(sources: PauseSources): DisruptionGate {
  return holdingGate(
    ({ pool }, reason) => pauseHold(pool, sources) ?? (reason === 'Drifted' ? rolloutHold(pool) : undefined),
  )
}

/** The pause that holds the pool's nodes, by itself, its class or a policy; undefined when none is in force. */
export function pauseHold(pool: NodePool, { snapshot, nodeClasses, policies }: PauseSources): Hold | undefined {
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
