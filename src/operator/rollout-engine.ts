import {
  type MetricQuery,
  metricGate,
  noPolicies,
  expirySource,
  ownDriftSource,
  RolloutBook,
  rolloutController,
  steeringControllers,
  Fleet,
} from '../controllers/rollout/index.ts'
import { rolloutPolicies } from '../kube/karpenter-kinds.ts'
import type { AnyController, Parts } from './controllers.ts'
import { presentHashes } from './rollout-wiring.ts'

/** What carries out RolloutPolicies and the annotations that steer rollouts. */
export interface RolloutEngine {
  readonly book: RolloutBook
  readonly ownDrift: ReturnType<typeof ownDriftSource>
  readonly expiryTime: ReturnType<typeof expirySource>
  readonly controllers: readonly AnyController[]
}

export interface RolloutEngineOptions {
  /** Whether the cluster has the kind. Without it annotations still work. */
  readonly policiesServed: boolean
  readonly query: MetricQuery
}

export function rolloutEngine(parts: Parts, { policiesServed, query }: RolloutEngineOptions): RolloutEngine {
  const { caches, clock, state, kube, recorder, families } = parts
  const hashes = presentHashes(parts.classHash)
  const cluster = {
    byClaimName: (name: string) => state.byClaimName(name),
    unboundPods: () => state.pods.unbound(),
  }
  const fleet = new Fleet({ caches, cluster, hashes })
  const policies = policiesServed ? caches.of(rolloutPolicies) : noPolicies
  const book = new RolloutBook({ policies, fleet, clock })
  const metric = metricGate(query, clock)
  const deps = { kube, caches, clock, fleet, book, recorder, metrics: families, metric }
  return {
    book,
    ownDrift: ownDriftSource({ fleet, book }),
    expiryTime: expirySource(book),
    controllers: [
      ...(policiesServed ? [rolloutController(deps)] : []),
      ...steeringControllers({
        caches,
        clock,
        recorder,
        metrics: families,
        policiesServed,
        pauseOf: (pool) => book.pauseOf(pool),
      }),
    ],
  }
}
