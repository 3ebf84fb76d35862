import type { Tag } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import { compareText } from '../../model/order.ts'
import { clusterOwnedTagKey, tagClusterOwnedValue } from '../../api/labels.ts'
import { clusterNameTag, nodeClaimKey, nodeClassKey, nodePoolKey } from './keys.ts'
import { specOf } from './wire.ts'

export type Tags = Readonly<Record<string, string>>

const clusterTagPattern = /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/
const restricted: ReadonlySet<string> = new Set([nodePoolKey, clusterNameTag, nodeClassKey, nodeClaimKey])

/** A user's tag that would overwrite one that ownership rests on. */
export class TagValidationError extends Error {
  readonly code = 'TagValidation'
  readonly keys: readonly string[]

  constructor(keys: readonly string[]) {
    super(`tags failed validation requirements, ${keys.map((key) => JSON.stringify(key)).join(', ')}`)
    this.name = 'TagValidationError'
    this.keys = keys
  }
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
  const refused = Object.keys(user)
    .filter((key) => clusterTagPattern.test(key) || restricted.has(key))
    .toSorted(compareText)
  if (refused.length > 0) throw new TagValidationError(refused)
  return {
    ...user,
    [clusterOwnedTagKey(clusterName)]: tagClusterOwnedValue,
    [nodePoolKey]: nodeClaim?.metadata.labels?.[nodePoolKey] ?? '',
    [clusterNameTag]: clusterName,
    [nodeClassKey]: nodeClass.metadata.name,
  }
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
