import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { govern } from '../../rollout/engine/index.ts'
import { poolPause } from '../../rollout/pause.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

/** Where pauses may come from, besides the pool itself. */
export interface PauseQuestion {
  readonly snapshot: Pick<Snapshot, 'now'>
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly policies: readonly RolloutPolicy[]
}

/** The pause that holds the pool's nodes, by itself, its class or a policy; undefined when none is in force. */
export function pauseReason(
  about: VoluntaryReason,
  pool: NodePool,
  { snapshot, nodeClasses, policies }: PauseQuestion,
): Reason | undefined {
  const pause = poolPause(
    {
      pool,
      nodeClass: nodeClasses.find(({ metadata }) => metadata.name === pool.spec.template.spec.nodeClassRef.name),
      policies: govern(policies, [pool]).selecting.get(pool.metadata.name) ?? [],
    },
    snapshot.now,
  )
  return pause === undefined ? undefined : reason(about, 'blocks', 'Paused', pause.message, nodeHelp.Paused)
}
