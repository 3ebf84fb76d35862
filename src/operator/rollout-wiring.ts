import { nodePoolHashVersion } from '../api/hash/index.ts'
import type { NodePoolRolloutStatus } from '../api/karpenter.ts'
import { awsVocabulary } from '../api/label-rules.ts'
import type { NodeClassHash } from '../cloud/aws/index.ts'
import { scaledConcurrency } from '../controllers/concurrency.ts'
import { type PresentHashes, rolloutStatusControllers } from '../controllers/rollout/status-controllers.ts'
import type { PoolPause } from '../rollout/pause.ts'
import type { StalledSource } from '../rollout/stalled.ts'
import type { AnyController, Parts } from './parts.ts'
import { poolHash } from './pool-hash.ts'

export interface RolloutInputs {
  /** Who knows what keeps rollouts from going on. */
  readonly stalled: readonly StalledSource[]
  /** What the policy that governs a pool says of it. */
  poolRollout(pool: string): NodePoolRolloutStatus | undefined
  /** What keeps every voluntary disruption of a pool off for a while. */
  pauseOf(pool: string): PoolPause | undefined
}

/** What tells how far a change of a NodePool or EC2NodeClass has reached the nodes. */
export function rolloutStatus(parts: Parts, inputs: RolloutInputs): readonly AnyController[] {
  return rolloutStatusControllers({
    kube: parts.kube,
    caches: parts.caches,
    clock: parts.clock,
    verdicts: parts.verdicts,
    metrics: parts.families,
    hashes: presentHashes(parts.classHash),
    labelAliases: awsVocabulary.aliases,
    concurrency: scaledConcurrency(10, 1_000, parts.options.cpuRequests),
    ...inputs,
  })
}

export function presentHashes(classHash: NodeClassHash): PresentHashes {
  return {
    poolVersion: nodePoolHashVersion,
    classVersion: classHash.version,
    ofPool: poolHash,
    ofClass: (nodeClass) => classHash.of(nodeClass),
  }
}
