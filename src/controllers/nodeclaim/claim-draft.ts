import { cloneJSON } from '../../api/clone-json.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Clock } from '../../model/clock.ts'
import { ClaimConditions } from './claim-conditions.ts'
import type { KubeClient } from '../../kube/port.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'

/** A claim being worked on: what was read, and the copy that the steps of one reconcile change. */
export interface ClaimDraft {
  readonly before: NodeClaim
  readonly claim: NodeClaim
  readonly conditions: ClaimConditions
}

export function draftOf(claim: NodeClaim, clock: Clock): ClaimDraft {
  return {
    before: claim,
    claim: cloneJSON(claim),
    conditions: new ClaimConditions(claim, clock.now()),
  }
}

/** With `optimistic` a write fails with a conflict when the claim has changed since it was read: lists are replaced whole. */
export type Locking = 'optimistic' | 'none'

/** One merge patch for metadata and spec, then one for status; nothing is sent for what did not change. */
export async function saveDraft(kube: KubeClient, draft: ClaimDraft, locking: Locking): Promise<boolean> {
  const metadataSaved = await saveMetadata(kube, draft, locking)
  const statusSaved = await saveStatus(kube, draft, metadataSaved ? 'none' : locking)
  return metadataSaved || statusSaved
}

async function saveMetadata(kube: KubeClient, { before, claim }: ClaimDraft, locking: Locking): Promise<boolean> {
  const patch = mergePatchBetween(
    { metadata: before.metadata, spec: before.spec },
    { metadata: claim.metadata, spec: claim.spec },
  )
  if (patch === undefined) return false
  await kube.patch(nodeClaims, { name: before.metadata.name }, { kind: 'merge', body: lock(patch, before, locking) })
  return true
}

export async function saveStatus(
  kube: KubeClient,
  { before, claim, conditions }: ClaimDraft,
  locking: Locking,
): Promise<boolean> {
  const patch = mergePatchBetween(
    { status: before.status ?? {} },
    { status: { ...claim.status, conditions: conditions.list } },
  )
  if (patch === undefined) return false
  await kube.patch(
    nodeClaims,
    { name: before.metadata.name },
    { kind: 'merge', body: lock(patch, before, locking) },
    { subresource: 'status' },
  )
  return true
}

function lock(patch: Record<string, unknown>, before: NodeClaim, locking: Locking): Record<string, unknown> {
  if (locking === 'none') return patch
  const metadata = typeof patch['metadata'] === 'object' ? patch['metadata'] : {}
  return { ...patch, metadata: { ...metadata, resourceVersion: before.metadata.resourceVersion } }
}
