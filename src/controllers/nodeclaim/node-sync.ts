import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node, OwnerReference, Taint } from '../../api/kubernetes.ts'
import {
  annotationNodeClassHashInput,
  annotationNodePoolHashInput,
  annotationReplaces,
} from '../../api/joinery-annotations.ts'
import { matchesTaint } from '../../model/taints.ts'
import { labelDoNotSyncTaints, labelRegistered, finalizerTermination, taintUnregistered } from '../../api/labels.ts'

/** The node as its claim wants it at registration. Nothing is taken away, and it is never repeated later. */
export function syncedNode(node: Node, claim: NodeClaim): Node {
  const { metadata, spec } = node
  const finalizers = metadata.finalizers ?? []
  const synced: Node = {
    ...node,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(finalizerTermination) ? finalizers : [...finalizers, finalizerTermination],
      ownerReferences: withOwner(node, claim),
      annotations: { ...metadata.annotations, ...withoutRecords(claim.metadata.annotations ?? {}) },
      labels: { ...metadata.labels, ...claim.metadata.labels },
    },
  }
  // Bootstrap already gave such nodes their taints; adding them again could bring back a startup taint its owner has removed.
  if (metadata.labels?.[labelDoNotSyncTaints] === 'true') return synced
  // One write brings owner and taints. Where the owner stands already, in a pass that comes again after a refused write of the claim,
  // a lagging watch or a hook that waits, a taint that is missing was taken off by whoever it waited for.
  if (isOwnedBy(node, claim)) return synced
  const wanted = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])]
  const taints = wanted.reduce<readonly Taint[]>(
    (known, taint) => (known.some((other) => matchesTaint(other, taint)) ? known : [...known, taint]),
    spec.taints ?? [],
  )
  return taints.length === 0 ? synced : { ...synced, spec: { ...spec, taints: [...taints] } }
}

/** What only controllers of ours read stays on the claim: nodes are read by every kubelet and scheduler, and have no use for it. */
function withoutRecords(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const {
    [annotationNodePoolHashInput]: _pool,
    [annotationNodeClassHashInput]: _class,
    [annotationReplaces]: _replaces,
    ...others
  } = annotations
  return others
}

/** Opens the node for pods. */
export function markRegistered(node: Node): Node {
  const taints = (node.spec.taints ?? []).filter((taint) => !matchesTaint(taint, taintUnregistered))
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, [labelRegistered]: 'true' } },
    spec: node.spec.taints === undefined ? node.spec : { ...node.spec, taints },
  }
}

function withOwner(node: Node, claim: NodeClaim): OwnerReference[] {
  const owners = node.metadata.ownerReferences ?? []
  if (isOwnedBy(node, claim)) return owners
  const { name, uid } = claim.metadata
  return [...owners, { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid, blockOwnerDeletion: true }]
}

export function isOwnedBy(node: Node, claim: NodeClaim): boolean {
  return (node.metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, uid }) =>
      apiVersion === 'karpenter.sh/v1' && kind === 'NodeClaim' && uid === claim.metadata.uid,
  )
}
