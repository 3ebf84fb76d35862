import { cloneJSON } from '../../api/clone-json.ts'
import { ConditionSet, nodeClaimConditions } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Clock } from '../../model/clock.ts'
import { isRefusal } from '../../kube/errors.ts'
import type { KubeClient } from '../../kube/port.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'

/** A claim being worked on: what was read, and the copy that the steps of one reconcile change. */
export class ClaimDraft {
  readonly before: NodeClaim
  readonly conditions: ConditionSet
  #copy: NodeClaim | undefined

  constructor(before: NodeClaim, now: number) {
    this.before = before
    this.conditions = new ConditionSet(before, nodeClaimConditions, now)
  }

  /** Made when a step first asks for it: many change conditions only. */
  get claim(): NodeClaim {
    this.#copy ??= cloneJSON(this.before)
    return this.#copy
  }

  /** The claim with what the steps changed, to be read only. */
  get current(): NodeClaim {
    return this.#copy ?? this.before
  }

  /** As `current`, with the conditions of this pass instead of those that were read. */
  get judged(): NodeClaim {
    const { current } = this
    return { ...current, status: { ...current.status, conditions: [...this.conditions.list] } }
  }
}

export function draftOf(claim: NodeClaim, clock: Clock): ClaimDraft {
  return new ClaimDraft(claim, clock.now())
}

/** With `optimistic` a write fails with a conflict when the claim has changed since it was read: lists are replaced whole. */
type Locking = 'optimistic' | 'none'

/**
 * One merge patch for metadata and spec, then one for status; nothing is sent for what did not change. Whether something was. The status,
 * which names the instance, is not held back by labels that may not be written.
 */
export async function saveDraft(kube: KubeClient, draft: ClaimDraft): Promise<boolean> {
  let refused: unknown
  const metadataSaved = await saveMetadata(kube, draft).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    refused = error
    return false
  })
  const statusSaved = await saveStatus(kube, draft, 'none')
  if (refused !== undefined) throw refused
  return metadataSaved || statusSaved
}

async function saveMetadata(kube: KubeClient, { before, current }: ClaimDraft): Promise<boolean> {
  if (current === before) return false
  const patch = mergePatchBetween(
    { metadata: before.metadata, spec: before.spec },
    { metadata: current.metadata, spec: current.spec },
  )
  if (patch === undefined) return false
  await kube.patch(nodeClaims, { name: before.metadata.name }, { kind: 'merge', body: patch })
  return true
}

export async function saveStatus(kube: KubeClient, draft: ClaimDraft, locking: Locking): Promise<boolean> {
  const { before, current, conditions } = draft
  if (current === before && conditions.list === before.status?.conditions) return false
  const patch = mergePatchBetween({ status: before.status ?? {} }, { status: draft.judged.status })
  if (patch === undefined) return false
  const { name, resourceVersion } = before.metadata
  const body = locking === 'optimistic' ? { ...patch, metadata: { resourceVersion } } : patch
  await kube.patch(nodeClaims, { name }, { kind: 'merge', body }, { subresource: 'status' })
  return true
}
