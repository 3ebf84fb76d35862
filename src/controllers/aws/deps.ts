import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { awsGroup } from '../../api/labels.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import type { NodeClassDeps } from '../nodeclass/deps.ts'

export interface AWSControllerDeps extends NodeClassDeps {
  /** That the process runs in. */
  readonly namespace: string
}

export function isOurClaim(claim: Pick<NodeClaim, 'spec'>): boolean {
  const { group, kind } = claim.spec.nodeClassRef
  return group === awsGroup && kind === nodeClassKind
}

export function isOurPool(pool: Pick<NodePool, 'spec'>): boolean {
  const { group, kind } = pool.spec.template.spec.nodeClassRef
  return group === awsGroup && kind === nodeClassKind
}
