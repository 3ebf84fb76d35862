import type { NodeClaim } from '../../api/karpenter.ts'
import type { Stage } from '../../disruption/circuit-breaker.ts'

/** Learns of claims that are given up before their node was there. */
export interface LaunchFailures {
  failed(claim: NodeClaim, stage: Stage, message: string): void
}
