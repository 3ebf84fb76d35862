import type { CloudProvider } from '../../cloud/provider.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { isManagedClaim } from '../nodeclaim/lookup.ts'
import { isOwnedBy } from '../nodeclaim/node-sync.ts'
import type { Termination, Waiting } from './termination-state.ts'

/** Of a claim that only the API server has; the watch should tell of it before long. */
const unseenPollMs = 5_000

/**
 * Waits until a claim that owns the node is seen. While a watch of claims lags, or has died without a word, a node seems to have none: nobody
 * has asked its claim to go, and once the node has gone nobody would, so the instance would run on.
 */
export async function awaitUnseenClaim(
  deps: { readonly kube: Pick<KubeClient, 'get'>; readonly cloud: Pick<CloudProvider, 'nodeClassKinds'> },
  { node, lookup }: Termination,
): Promise<Waiting> {
  if (lookup.claimsOf(node).length > 0) return undefined
  const owner = node.metadata.ownerReferences?.find(({ kind }) => kind === nodeClaims.kind)
  const present = owner === undefined ? undefined : await getIfPresent(deps.kube, nodeClaims, { name: owner.name })
  if (present === undefined || !isOwnedBy(node, present) || !isManagedClaim(present, deps.cloud)) return undefined
  return present.status?.providerID === node.spec.providerID ? { afterMs: unseenPollMs } : undefined
}
