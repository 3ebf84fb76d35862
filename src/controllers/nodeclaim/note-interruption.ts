import { isConditionTrue } from '../../api/conditions.ts'
import { annotationInterrupted } from '../../api/joinery-annotations.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'
import { annotateClaim, type AnnotateDeps } from './annotate-claim.ts'

/**
 * Tells a rollout that waits for the claim's node that what it is made of has nothing to do with its end. Whoever refuses this note does not
 * keep the claim from being deleted.
 */
export async function noteInterruption(deps: AnnotateDeps, claim: NodeClaim, how: string, log: Logger): Promise<void> {
  if (isConditionTrue(claim, 'Initialized')) return
  try {
    await annotateClaim(deps, claim, annotationInterrupted, how)
  } catch (error) {
    const fields = { NodeClaim: { name: claim.metadata.name }, annotation: annotationInterrupted }
    log.error({ ...fields, err: error }, 'failed annotating interrupted nodeclaim')
  }
}
