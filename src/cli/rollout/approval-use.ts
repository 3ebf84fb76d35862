import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { govern } from '../../rollout/engine/govern.ts'
import { listReadable } from '../list-readable.ts'
import type { Steered } from './reference.ts'

/** Whether a policy waits for approvals of this object: `unknown` where policies, or pools, may not be read. */
export type ApprovalUse = 'asked' | 'unasked' | 'unknown'

export async function approvalUse(client: KubeClient, steered: Steered, signal: AbortSignal): Promise<ApprovalUse> {
  const [policies, pools] = await Promise.all([
    listReadable(client, rolloutPolicies, signal),
    listReadable(client, nodePools, signal),
  ])
  if (policies === undefined || pools === undefined) return 'unknown'
  const { governing } = govern(policies, pools)
  const isAsked = pools.some((pool) => {
    const name = steered.kind === 'nodepool' ? pool.metadata.name : nodeClassNameOf(pool)
    return name === steered.name && governing.get(pool.metadata.name)?.spec.mode === 'Approve'
  })
  return isAsked ? 'asked' : 'unasked'
}
