import { isConditionTrue } from '../../api/conditions.ts'
import type { RolloutPolicy } from '../../api/karpenter.ts'
import type { Caches } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { isReadyUnseen } from '../nodeclaim/ready-unseen.ts'
import { oneByOne } from '../one-by-one.ts'

export interface DiscardDeps {
  readonly kube: Pick<KubeClient, 'get' | 'delete'>
  readonly caches: Caches
  readonly recorder: EventRecorder
}

/**
 * Deletes claims whose nodes never came up, or broke down and run nothing any more: no budget lets anybody else take those away. One that is
 * refused keeps none of the others. @throws what failed, combined
 */
export async function discard(
  { kube, caches, recorder }: DiscardDeps,
  policy: RolloutPolicy,
  names: readonly string[],
  log: Logger,
): Promise<void> {
  await oneByOne(names, async (name) => {
    const claim = caches.of(nodeClaims).get({ name })
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
    const wasUp = isConditionTrue(claim, 'Initialized')
    if (wasUp && (await isReadyUnseen(claim, kube))) return
    const { uid, resourceVersion } = claim.metadata
    try {
      // Only as it was seen: a node that came up meanwhile is no longer ours to take.
      await kube.delete(nodeClaims, { name }, { preconditions: { uid, resourceVersion } })
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error
      return
    }
    const why = wasUp ? 'is not ready any more' : 'never came up'
    log.info({ NodeClaim: { name } }, `deleted nodeclaim whose node ${why}`)
    recorder.publish({
      object: policy,
      type: 'Normal',
      reason: 'RolloutNodeDeleted',
      message: `NodeClaim ${name} is deleted: its node ${why} and makes room for others`,
      dedupeValues: [policy.metadata.uid, uid],
    })
  })
}
