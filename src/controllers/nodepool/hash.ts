import { type AnnotationPatch, type HashRecord, nodePoolHashAnnotations, planHashStamps } from '../../api/hash/index.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { claimsByPool } from '../claim-indexes.ts'
import { type NodePoolDeps, poolController, poolSource } from './deps.ts'

export interface NodePoolHashing {
  readonly version: string
  /** Of `spec.template`, as decimal text. */
  hashOf(pool: NodePool): string
  /** What the hash is made of. */
  inputOf(pool: NodePool): HashRecord['input']
}

/** A fleet that another controller launched lacks all its records; nothing waits for them. */
const recordsAtOnce = 100
const recordsEveryMs = 2_000

/** Stamps pools with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodePoolHashController(deps: NodePoolDeps, hashing: NodePoolHashing): Controller {
  const claimsOf = claimsByPool(deps.caches.of(nodeClaims))

  const annotate = async <T extends KubeObject>(
    resource: Resource<T>,
    object: KubeObject | undefined,
    annotations: AnnotationPatch,
  ): Promise<void> => {
    if (object === undefined) return
    try {
      await deps.kube.patch(resource, keyOf(object), { kind: 'merge', body: { metadata: { annotations } } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  return poolController(deps, 'nodepool.hash', [poolSource], async (pool) => {
    const own = claimsOf(pool.metadata.name)
    const present = { hash: hashing.hashOf(pool), version: hashing.version, input: hashing.inputOf(pool) }
    const plan = planHashStamps(pool, own, present, nodePoolHashAnnotations)
    await Promise.all(plan.claims.map(({ index, annotations }) => annotate(nodeClaims, own[index], annotations)))
    if (plan.parent !== undefined) await annotate(nodePools, pool, plan.parent)
    const records = plan.records.slice(0, recordsAtOnce)
    await Promise.all(records.map(({ index, annotations }) => annotate(nodeClaims, own[index], annotations)))
    return plan.records.length > records.length ? requeueAfter(recordsEveryMs) : done
  })
}
