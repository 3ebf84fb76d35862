import type { NodeClaim } from '../../api/karpenter.ts'
import { annotationTerminationTimestamp } from '../../api/labels.ts'
import { isConflict } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, parseRFC3339, toTimestamp } from '../../model/clock.ts'
import { retried } from '../retry.ts'

/**
 * A broken machine neither evicts nor reports: waiting out a grace period would only lengthen the outage. Only a claim that goes is hurried:
 * left on one that stays, since it may not be deleted or the process ends, the time would force out the pods of any later drain.
 * @returns the annotation that was written, if one was
 */
export async function hurryDrain(
  claim: NodeClaim,
  { kube, clock }: { readonly kube: KubeClient; readonly clock: Clock },
): Promise<Readonly<Record<string, string>> | undefined> {
  const write = async (): Promise<Readonly<Record<string, string>> | undefined> => {
    const present = await getIfPresent(kube, nodeClaims, keyOf(claim))
    if (present?.metadata.uid !== claim.metadata.uid || present.metadata.deletionTimestamp === undefined)
      return undefined
    const { resourceVersion, annotations: known } = present.metadata
    const now = clock.now()
    const dueAt = parseRFC3339(known?.[annotationTerminationTimestamp] ?? '')
    if (dueAt !== undefined && dueAt < now) return undefined
    const annotations = { [annotationTerminationTimestamp]: toTimestamp(now) }
    await kube.patch(nodeClaims, keyOf(claim), { kind: 'merge', body: { metadata: { resourceVersion, annotations } } })
    return annotations
  }
  return retried(write, { clock, isWorthIt: isConflict })
}
