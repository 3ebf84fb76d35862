import type { NodeClaim } from '../../api/karpenter.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { retried } from '../retry.ts'

export interface AnnotateDeps {
  readonly kube: Pick<KubeClient, 'get' | 'patch'>
  readonly clock: Pick<Clock, 'sleep'>
}

/** Unless this very claim has it already, also where the cache is behind. */
export async function annotateClaim(
  { kube, clock }: AnnotateDeps,
  claim: NodeClaim,
  key: string,
  value: string,
): Promise<void> {
  if (claim.metadata.annotations?.[key] !== undefined) return
  const annotate = async (): Promise<void> => {
    const present = await getIfPresent(kube, nodeClaims, keyOf(claim))
    const { uid, resourceVersion, annotations } = present?.metadata ?? {}
    if (uid !== claim.metadata.uid || annotations?.[key] !== undefined) return
    const body = { metadata: { resourceVersion, annotations: { [key]: value } } }
    await kube.patch(nodeClaims, keyOf(claim), { kind: 'merge', body })
  }
  try {
    await retried(annotate, { clock, isWorthIt: isConflict })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
