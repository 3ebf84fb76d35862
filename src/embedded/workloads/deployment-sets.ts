import type { ReplicaSet } from '../../api/kubernetes.ts'

/** Counts the templates that a Deployment has had, on it and on the ReplicaSet of each. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision'

export function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[revisionAnnotation] ?? 0)
}

/** A number of the set's status. */
export function count(set: ReplicaSet, field: string): number {
  const value = set.status?.[field]
  return typeof value === 'number' ? value : 0
}
