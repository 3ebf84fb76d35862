import type { Pod } from '../../api/kubernetes.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import { pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'

/**
 * A pod that runs on one of the nodes which were found empty, as the API server has it now; undefined when all are. Asked once they are
 * tainted: a watch that has died without a word shows a node as empty for as long as a pod has been on it.
 */
export async function occupantOf(
  kube: Pick<KubeClient, 'list'>,
  candidates: readonly Candidate[],
): Promise<Pod | undefined> {
  const lists = await Promise.all(
    candidates.map(({ node }) => kube.list(pods, { fieldSelector: `spec.nodeName=${node.metadata.name}` })),
  )
  return lists.flatMap(({ items }) => items).find((pod) => isReschedulable(podInfoOf(pod)))
}
