import type { Tag } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import { compareText } from '../../model/order.ts'
import { clusterOwnedTagKey, tagClusterOwnedValue } from '../../api/labels.ts'
import { tagsErrorMessage } from '../../api/runtime-validation/index.ts'
import { clusterNameTag, nodeClassKey, nodePoolKey } from './keys.ts'
import { specOf } from './wire.ts'

export type Tags = Readonly<Record<string, string>>

/** A user's tag that would overwrite one that ownership rests on. */
export class TagValidationError extends Error {
  readonly code = 'TagValidation'
  override readonly name = 'TagValidationError'
}

/**
 * Tags of everything that a launch makes: the user's, overlaid by those that say who owns it.
 * @throws TagValidationError
 */
export function launchTags(
  nodeClass: EC2NodeClass,
  nodeClaim: Pick<NodeClaim, 'metadata'> | undefined,
  clusterName: string,
): Tags {
  const user = specOf(nodeClass).tags ?? {}
  const problem = tagsErrorMessage(user)
  if (problem !== undefined) throw new TagValidationError(problem)
  return {
    ...user,
    [clusterOwnedTagKey(clusterName)]: tagClusterOwnedValue,
    [nodePoolKey]: nodeClaim?.metadata.labels?.[nodePoolKey] ?? '',
    [clusterNameTag]: clusterName,
    [nodeClassKey]: nodeClass.metadata.name,
  }
}

/**
 * What an instance lacks to be one that a claim of the cluster was launched as; empty when it is one. Launches of older releases carry only
 * one of the two tags that name the cluster; the NodePool's is empty for claims of no pool.
 */
export function missingOwnership(tags: Tags, clusterName: string): readonly string[] {
  const ownedTag = clusterOwnedTagKey(clusterName)
  const isOfCluster = tags[clusterNameTag] === clusterName || tags[ownedTag] === tagClusterOwnedValue
  return [
    ...(Object.hasOwn(tags, nodePoolKey) ? [] : [nodePoolKey]),
    ...(isOfCluster ? [] : [`${ownedTag}=${tagClusterOwnedValue} or ${clusterNameTag}=${clusterName}`]),
  ]
}

/** Sorted by key, so that equal launches give equal requests. */
export function toTagList(tags: Tags): Tag[] {
  return Object.entries(tags)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([Key, Value]) => ({ Key, Value }))
}

export function fromTagList(tags: readonly Tag[] | undefined): Tags {
  return Object.fromEntries((tags ?? []).map((tag) => [tag.Key ?? '', tag.Value ?? '']))
}
