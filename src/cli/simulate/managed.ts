import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { ec2NodeClasses } from '../../kube/karpenter-kinds.ts'

/**
 * A cluster may have pools of other controllers, such as EKS Auto Mode. Those refer to a node class of another kind, and the operator looks
 * neither at them nor at their claims.
 */
export function isManaged(object: NodePool | NodeClaim): boolean {
  const { group, kind } = nodeClassRefOf(object)
  return group === ec2NodeClasses.group && kind === ec2NodeClasses.kind
}

/** Whose an object is that is not managed: `NodeClass default of eks.amazonaws.com`. */
export function foreignClassText(object: NodePool | NodeClaim): string {
  const { group, kind, name } = nodeClassRefOf(object)
  return `${kind} ${name} of ${group}`
}

function nodeClassRefOf({ spec }: NodePool | NodeClaim): NodeClaim['spec']['nodeClassRef'] {
  return 'template' in spec ? spec.template.spec.nodeClassRef : spec.nodeClassRef
}
