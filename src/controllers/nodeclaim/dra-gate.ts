import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node, ResourceSlice } from '../../api/kubernetes.ts'
import { annotationRequestedDRADrivers } from '../../api/labels.ts'
import type { Caches } from '../../kube/controller.ts'
import { resourceSlices } from '../../kube/kinds.ts'
import { isCompletePool, nodeNameOf } from '../../model/resource-slices.ts'

const byNodeName = 'nodeName'

export interface SliceLookup {
  of(node: Node): readonly ResourceSlice[]
}

/** Slices that drivers publish for one node; those for all nodes say nothing about a particular one. */
export function sliceLookup(caches: Caches): SliceLookup {
  const cache = caches.of(resourceSlices)
  cache.addIndex(byNodeName, nodeNames)
  return { of: (node) => cache.by(byNodeName, node.metadata.name) }
}

function nodeNames(slice: ResourceSlice): readonly string[] {
  const name = nodeNameOf(slice)
  return name === undefined ? [] : [name]
}

/** The first driver the claim was made for that has no complete pool yet; pods allocated to its devices could not start. */
export function firstMissingDriver(claim: NodeClaim, slices: readonly ResourceSlice[]): string | undefined {
  const wanted = (claim.metadata.annotations?.[annotationRequestedDRADrivers] ?? '').split(',').filter(Boolean)
  return wanted.find((driver) => {
    const pools = Map.groupBy(
      slices.filter(({ spec }) => spec.driver === driver),
      ({ spec }) => spec.pool.name,
    )
    return ![...pools.values()].some(isCompletePool)
  })
}
