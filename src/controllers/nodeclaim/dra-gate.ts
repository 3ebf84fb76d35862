import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node, ResourceSlice } from '../../api/kubernetes.ts'
import { annotationRequestedDRADrivers } from '../../api/labels.ts'
import type { Caches } from '../../kube/controller.ts'
import { resourceSlices } from '../../kube/kinds.ts'

const byNodeName = 'nodeName'

export interface SliceLookup {
  of(node: Node): readonly ResourceSlice[]
}

/** Slices that drivers publish for one node; those for all nodes say nothing about a particular one. */
export function sliceLookup(caches: Caches): SliceLookup {
  const cache = caches.of(resourceSlices)
  cache.addIndex(byNodeName, (slice) => {
    const name = nodeNameOf(slice)
    return name === undefined ? [] : [name]
  })
  return { of: (node) => cache.by(byNodeName, node.metadata.name) }
}

export function nodeNameOf({ metadata, spec }: ResourceSlice): string | undefined {
  if (spec.allNodes === true) return undefined
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  return metadata.ownerReferences?.find(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')?.name
}

/** The first driver the claim was made for that has no complete pool yet; pods allocated to its devices could not start. */
export function firstMissingDriver(claim: NodeClaim, slices: readonly ResourceSlice[]): string | undefined {
  const wanted = (claim.metadata.annotations?.[annotationRequestedDRADrivers] ?? '').split(',').filter(Boolean)
  return wanted.find((driver) => {
    const pools = Map.groupBy(
      slices.filter(({ spec }) => spec.driver === driver),
      ({ spec }) => spec.pool.name,
    )
    return ![...pools.values()].some(isComplete)
  })
}

/** Older generations of a pool are about to be removed by the driver and do not count. */
function isComplete(pool: readonly ResourceSlice[]): boolean {
  const generation = Math.max(...pool.map(({ spec }) => spec.pool.generation))
  const newest = pool.filter(({ spec }) => spec.pool.generation === generation)
  const declared = newest[0]?.spec.pool.resourceSliceCount ?? 0
  return declared > 0 && newest.length === declared
}
