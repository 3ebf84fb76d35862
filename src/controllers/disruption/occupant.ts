import type { Pod } from '../../api/kubernetes.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { isWorthKeeping } from '../../disruption/disruption-cost.ts'
import { pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'

/**
 * A pod for which one of the nodes that were found empty is not, as the API server has it now; undefined when all are. Asked once they are
 * tainted: a watch that has died without a word shows a node as empty for as long as a pod has been on it. Pods whose moving costs nothing
 * were there to be seen and made no node less empty.
 */
export async function occupantOf(
  kube: Pick<KubeClient, 'list'>,
  candidates: readonly Candidate[],
): Promise<Pod | undefined> {
  const lists = await Promise.all(
    candidates.map(({ node }) => kube.list(pods, { fieldSelector: `spec.nodeName=${node.metadata.name}` })),
  )
  return lists.flatMap(({ items }) => items).find((pod) => isWorthKeeping(podInfoOf(pod)))
}
