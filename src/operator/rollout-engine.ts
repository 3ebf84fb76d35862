import { awsVocabulary } from '../api/label-rules.ts'
import {
  type MetricQuery,
  metricGate,
  expirySource,
  ownDriftSource,
  RolloutBook,
  rolloutController,
  steeringControllers,
  Fleet,
} from '../controllers/rollout/index.ts'
import { rolloutPolicies } from '../kube/karpenter-kinds.ts'
import type { AnyController, Parts } from './parts.ts'
import { presentHashes } from './rollout-wiring.ts'

/** What carries out RolloutPolicies and the annotations that steer rollouts. */
export interface RolloutEngine {
  readonly book: RolloutBook
  readonly ownDrift: ReturnType<typeof ownDriftSource>
  readonly expiryTime: ReturnType<typeof expirySource>
  readonly controllers: readonly AnyController[]
}

export function rolloutEngine(parts: Parts, query: MetricQuery): RolloutEngine {
  const { caches, clock, state, kube, recorder, families } = parts
  const hashes = presentHashes(parts.classHash)
  const cluster = {
    byClaimName: (name: string) => state.byClaimName(name),
    unboundPods: () => state.pods.unbound(),
  }
  const fleet = new Fleet({ caches, cluster, hashes, labelAliases: awsVocabulary.aliases, verdicts: parts.verdicts })
  const book = new RolloutBook({ policies: caches.of(rolloutPolicies), fleet, clock })
  const metric = metricGate(query, clock)
  const deps = { kube, caches, clock, fleet, book, recorder, metrics: families, metric }
  return {
    book,
    ownDrift: ownDriftSource({ fleet, book }),
    expiryTime: expirySource(book),
    controllers: [
      rolloutController(deps),
      ...steeringControllers({
        caches,
        clock,
        recorder,
        metrics: families,
        pauseOf: (pool) => book.pauseOf(pool),
      }),
    ],
  }
}
