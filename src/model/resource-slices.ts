import type { ResourceSlice } from '../api/kubernetes.ts'

/** The node that a slice's devices belong to; undefined for those that several nodes reach. */
export function nodeNameOf({ metadata, spec }: ResourceSlice): string | undefined {
  if (spec.allNodes === true) return undefined
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  return metadata.ownerReferences?.find(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')?.name
}

/** Of one pool: the slices that count. Older generations are about to be removed by the driver. */
export function newestSlices(pool: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const generation = Math.max(...pool.map(({ spec }) => spec.pool.generation))
  return pool.filter(({ spec }) => spec.pool.generation === generation)
}

/** Whether all slices that the pool declares are there. */
export function isCompletePool(pool: readonly ResourceSlice[]): boolean {
  const newest = newestSlices(pool)
  const declared = newest[0]?.spec.pool.resourceSliceCount ?? 0
  return declared > 0 && newest.length === declared
}
