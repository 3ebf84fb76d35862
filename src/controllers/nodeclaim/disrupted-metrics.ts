import type { NodeClaim } from '../../api/karpenter.ts'
import { labelCapacityType, labelNodePool } from '../../api/labels.ts'
import { nillableDurationMs } from '../../api/duration.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { MachineLookup } from './lookup.ts'

export interface DisruptionCounters {
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsDisrupted' | 'podDisruptionsInitiated'>
  readonly lookup: MachineLookup
}

/** Counts a claim taken away against its will, and the pods that have to move for it. */
export function countDisruption({ metrics, lookup }: DisruptionCounters, claim: NodeClaim, reason: string): void {
  const labels = {
    reason,
    nodepool: claim.metadata.labels?.[labelNodePool] ?? '',
    capacity_type: claim.metadata.labels?.[labelCapacityType] ?? '',
    termination_mode: terminationMode(claim),
  }
  metrics.nodeClaimsDisrupted.increment(labels)
  const node = lookup.onlyNodeOf(claim)
  const moved = node === undefined ? [] : lookup.podsOn(node.metadata.name).map(podInfoOf).filter(isReschedulable)
  metrics.podDisruptionsInitiated.increment(labels, moved.length)
}

/** As metrics label what becomes of the pods. */
export function terminationMode(claim: NodeClaim): 'graceful' | 'forceful' | 'eventual' {
  const graceMs = nillableDurationMs(claim.spec.terminationGracePeriod)
  return graceMs === undefined ? 'graceful' : graceMs > 0 ? 'eventual' : 'forceful'
}
