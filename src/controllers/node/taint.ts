import type { Node } from '../../api/kubernetes.ts'
import { taintDisrupted } from '../../api/labels.ts'
import { nodes } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import { matchesTaint } from '../../model/taints.ts'

const labelExcludeFromLoadBalancers = 'node.kubernetes.io/exclude-from-external-load-balancers'

/** Keeps new pods and new connections away from a node that is going; logs when there was something to do. Rejects with `Conflict` when the node has changed. */
export async function taintDisruptedNode(kube: KubeClient, node: Node, log: Logger): Promise<Node> {
  const taints = node.spec.taints ?? []
  const tainted = taints.some((taint) => matchesTaint(taint, taintDisrupted))
  const wanted = tainted
    ? taints
    : [...taints.filter((taint) => taint.key !== taintDisrupted.key), { ...taintDisrupted }]
  const labels = { ...node.metadata.labels, [labelExcludeFromLoadBalancers]: 'karpenter' }
  const patch = mergePatchBetween(
    { metadata: { labels: node.metadata.labels ?? {} }, spec: { taints: node.spec.taints } },
    { metadata: { labels }, spec: { taints: wanted } },
  )
  if (patch === undefined) return node
  const metadata = typeof patch['metadata'] === 'object' ? patch['metadata'] : {}
  const body = { ...patch, metadata: { ...metadata, resourceVersion: node.metadata.resourceVersion } }
  const saved = await kube.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body })
  log.info(
    { 'taint.Key': taintDisrupted.key, 'taint.Value': '', 'taint.Effect': taintDisrupted.effect },
    'tainted node',
  )
  return saved
}
