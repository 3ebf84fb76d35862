import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'
import { isSameList } from '../../model/same-list.ts'
import { hasRolloutAnnotations } from '../../rollout/annotations.ts'
import type { CountedNode } from '../../rollout/status.ts'
import type { StatusParts } from './status-deps.ts'

/**
 * Tells, at next to no cost, that another look at a pool or class would find what this one found. Undefined where time alone may change
 * that: nodes on their way, annotations that name a time, a policy at work. (A pause is told where nodes wait for its end.)
 */
export type Stillness = (() => boolean) | undefined

/** Of the cached `pool`, for which `counted` was found. */
export function poolStillness(pool: NodePool, counted: readonly CountedNode[], parts: StatusParts): Stillness {
  const { view, caches } = parts
  const pools = caches.of(nodePools)
  const { name } = pool.metadata
  const nodeClass = view.classOf(pool)
  const claims = view.claimsOf(name)
  const asks = [pool, ...(nodeClass === undefined ? [] : [nodeClass])].some(hasRolloutAnnotations)
  if (asks || !view.areAtRest(claims, counted)) return undefined
  return () =>
    pools.get({ name }) === pool &&
    view.classOf(pool) === nodeClass &&
    isSameList(view.claimsOf(name), claims) &&
    view.areInService(claims) &&
    parts.poolRollout(name) === undefined &&
    parts.stalled.every((source) => source.ofPool(name).length === 0)
}

/** Of the cached `nodeClass`, for which `counted` was found. */
export function classStillness(
  nodeClass: EC2NodeClass,
  counted: readonly CountedNode[],
  parts: StatusParts,
): Stillness {
  const { view, caches } = parts
  const classes = caches.of(ec2NodeClasses)
  const { name } = nodeClass.metadata
  const claims = view.claimsOfClass(name)
  if (hasRolloutAnnotations(nodeClass) || !view.areAtRest(claims, counted)) return undefined
  return () =>
    classes.get({ name }) === nodeClass &&
    isSameList(view.claimsOfClass(name), claims) &&
    view.areInService(claims) &&
    parts.stalled.every((source) => source.ofClass(name).length === 0)
}
