import type { NodeClaim, NodePool } from './karpenter.ts'
import { awsGroup } from './labels.ts'

/** What refers to a node class: of its kind in a cluster there may be those of several controllers. */
export type RefersToClass = Pick<NodePool, 'spec'> | Pick<NodeClaim, 'spec'>

/** As it is written. */
export function nodeClassRefOf({ spec }: RefersToClass): NodeClaim['spec']['nodeClassRef'] {
  return 'template' in spec ? spec.template.spec.nodeClassRef : spec.nodeClassRef
}

/** The EC2NodeClass that a pool's or claim's node is made from; undefined where it is another controller's class, such as EKS Auto Mode's. */
export function nodeClassNameOf(object: RefersToClass): string | undefined {
  const { group, kind, name } = nodeClassRefOf(object)
  return group === awsGroup && kind === 'EC2NodeClass' ? name : undefined
}
