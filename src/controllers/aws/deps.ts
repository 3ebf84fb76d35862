import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import type { NodeClassDeps } from '../nodeclass/deps.ts'

export interface AWSControllerDeps extends NodeClassDeps {
  /** That the process runs in. */
  readonly namespace: string
}

export function isOurClaim(claim: Pick<NodeClaim, 'spec'>): boolean {
  return nodeClassNameOf(claim) !== undefined
}

export function isOurPool(pool: Pick<NodePool, 'spec'>): boolean {
  return nodeClassNameOf(pool) !== undefined
}
