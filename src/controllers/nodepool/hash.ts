import { conditionOf } from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { annotationNodePoolHash, annotationNodePoolHashVersion, labelNodePool } from '../../api/labels.ts'
import { type Controller, done } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import { type NodePoolDeps, poolController, poolSource } from './deps.ts'

export interface NodePoolHashing {
  readonly version: string
  /** Of `spec.template`, as decimal text. */
  hashOf(pool: NodePool): string
}

/** Stamps pools with the hash that drift compares, and carries claims over when the way of hashing changes. */
export function nodePoolHashController(deps: NodePoolDeps, hashing: NodePoolHashing): Controller {
  const claims = deps.caches.of(nodeClaims)
  claims.addIndex(byPool, (claim) => {
    const pool = claim.metadata.labels?.[labelNodePool]
    return pool === undefined ? [] : [pool]
  })

  const annotate = async (claim: NodeClaim, hash: string): Promise<void> => {
    // A claim that has drifted keeps its old hash, or it would look as if it had not.
    const drifted = conditionOf(claim, 'Drifted') !== undefined
    const annotations = {
      [annotationNodePoolHashVersion]: hashing.version,
      ...(drifted ? {} : { [annotationNodePoolHash]: hash }),
    }
    try {
      await deps.kube.patch(
        nodeClaims,
        { name: claim.metadata.name },
        { kind: 'merge', body: { metadata: { annotations } } },
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  return poolController(deps, 'nodepool.hash', [poolSource], async (pool) => {
    const { name, annotations = {} } = pool.metadata
    const hash = hashing.hashOf(pool)
    if (annotations[annotationNodePoolHashVersion] !== hashing.version) {
      const outdated = claims
        .by(byPool, name)
        .filter((claim) => claim.metadata.annotations?.[annotationNodePoolHashVersion] !== hashing.version)
      await Promise.all(outdated.map((claim) => annotate(claim, hash)))
    }
    const wanted = {
      ...annotations,
      [annotationNodePoolHash]: hash,
      [annotationNodePoolHashVersion]: hashing.version,
    }
    const changed = mergePatchBetween(annotations, wanted)
    if (changed === undefined) return done
    try {
      await deps.kube.patch(nodePools, { name }, { kind: 'merge', body: { metadata: { annotations: changed } } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return done
  })
}

const byPool = 'nodepool'
