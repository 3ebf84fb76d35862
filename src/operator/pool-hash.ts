import { nodePoolHash } from '../api/hash/index.ts'
import type { NodePool, NodePoolTemplate } from '../api/karpenter.ts'
import { byIdentity } from '../model/by-identity.ts'

const hashOfTemplate = byIdentity((template: NodePoolTemplate) => nodePoolHash({ spec: { template } }))

/** `nodePoolHash` of a pool from the caches, which every look at a node needs. */
export function poolHash(pool: NodePool): string {
  return hashOfTemplate(pool.spec.template)
}
