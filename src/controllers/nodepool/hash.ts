import { type HashRecord, nodePoolHashAnnotations, planHashStamps } from '../../api/hash/index.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { Controller } from '../../kube/controller.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { claimsByPool } from '../claim-indexes.ts'
import { writeHashStamps } from '../hash-stamps.ts'
import { isManagedClaim } from '../nodeclaim/lookup.ts'
import { type NodePoolDeps, poolController, poolSource } from './deps.ts'

export interface NodePoolHashing {
  readonly version: string
  /** Of `spec.template`, as decimal text. */
  hashOf(pool: NodePool): string
  /** What the hash is made of. */
  inputOf(pool: NodePool): HashRecord['input']
}

/** Stamps pools with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodePoolHashController(deps: NodePoolDeps, hashing: NodePoolHashing): Controller {
  const claimsOf = claimsByPool(deps.caches.of(nodeClaims))

  return poolController(deps, 'nodepool.hash', [poolSource], async (pool) => {
    const own = claimsOf(pool.metadata.name).filter((claim) => isManagedClaim(claim, deps.cloud))
    const present = { hash: hashing.hashOf(pool), version: hashing.version, input: hashing.inputOf(pool) }
    const plan = planHashStamps(pool, own, present, nodePoolHashAnnotations)
    return await writeHashStamps(deps.kube, nodePools, pool, own, plan)
  })
}
