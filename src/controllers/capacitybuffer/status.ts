import { conditionMessage, replaceCondition } from '../../api/conditions.ts'
import type { CapacityBuffer } from '../../api/karpenter.ts'
import type { Condition } from '../../api/kubernetes.ts'
import { capacityBuffers } from '../../kube/karpenter-kinds.ts'
import { mergePatchBetween } from '../../kube/merge-patch.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { toTimestamp } from '../../model/clock.ts'

/** Buffers have no Ready: each condition stands for itself. */
export function withBufferCondition(
  buffer: CapacityBuffer,
  change: Pick<Condition, 'type' | 'status'> & { readonly reason: string; readonly message: string },
  now: number,
): CapacityBuffer {
  const next: Condition = {
    ...change,
    message: conditionMessage(change.message),
    lastTransitionTime: toTimestamp(now),
    ...(buffer.metadata.generation === undefined ? {} : { observedGeneration: buffer.metadata.generation }),
  }
  const conditions = replaceCondition(buffer.status?.conditions ?? [], next)
  return { ...buffer, status: { ...buffer.status, conditions } }
}

/** Rejects with `Conflict` when the buffer has changed since it was read. */
export async function patchBufferStatus(
  kube: KubeClient,
  before: CapacityBuffer,
  after: CapacityBuffer,
): Promise<void> {
  const status = mergePatchBetween(before.status ?? {}, after.status ?? {})
  if (status === undefined) return
  const body = { metadata: { resourceVersion: before.metadata.resourceVersion }, status }
  await kube.patch(capacityBuffers, keyOf(before), { kind: 'merge', body }, { subresource: 'status' })
}
