import { awsVocabulary } from '../api/label-rules.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import type { DisruptionBrake } from '../controllers/disruption-brake.ts'
import { circuitBreakerController, type LaunchGuard, type VainLaunches } from '../controllers/launches/index.ts'
import { evictionQueue, nodeHydration, nodeTermination } from '../controllers/node/index.ts'
import {
  disruptionConditions,
  machineLookup,
  nodeClaimConsistency,
  nodeClaimExpiration,
  nodeClaimGarbageCollection,
  nodeClaimHydration,
  nodeClaimLifecycle,
  podEvents,
} from '../controllers/nodeclaim/index.ts'
import type { NodePoolDeps, RegistrationHealthTracker } from '../controllers/nodepool/index.ts'
import { isCountedOnly } from '../controllers/rollout/counted-only.ts'
import { source } from '../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../kube/karpenter-kinds.ts'
import { keyOf } from '../kube/resource.ts'
import type { AnyController, CommonParts } from './parts.ts'
import type { RolloutEngine } from './rollout-engine.ts'

/** What claims share with pools, launches and rollouts. */
export interface ClaimInputs {
  readonly pools: NodePoolDeps
  readonly health: RegistrationHealthTracker
  readonly brake: DisruptionBrake
  readonly launches: LaunchGuard
  readonly vain: VainLaunches
  readonly rollouts: RolloutEngine
  readonly announce: ((claim: string) => Promise<void>) | undefined
}

/** What follows a NodeClaim from its launch to the end of its machine. */
export function claimControllers(parts: CommonParts, shared: ClaimInputs): readonly AnyController[] {
  const { caches } = parts
  const { pools, health, brake, launches, vain, rollouts, announce } = shared
  const deps = { ...parts, metrics: parts.families, cpuMilli: parts.options.cpuRequests }
  const lookup = machineLookup(caches)
  const evictions = evictionQueue({ ...deps, lookup })
  return [
    nodeClaimLifecycle({
      ...deps,
      health,
      launches,
      cluster: parts.state,
      ignoreDRARequests: parts.options.ignoreDRARequests,
      ...(announce === undefined ? {} : { announce }),
    }),
    circuitBreakerController({ ...pools, ...deps, guard: launches, vain, lookup }),
    nodeClaimGarbageCollection(deps),
    nodeClaimExpiration({ ...deps, brake, expiryTime: rollouts.expiryTime }),
    nodeClaimConsistency(deps),
    nodeClaimHydration(deps),
    podEvents(deps),
    disruptionConditions({
      ...deps,
      labelAliases: awsVocabulary.aliases,
      wellKnownLabels: awsVocabulary.wellKnown,
      nodeClassSources: [claimsOfNodeClass(parts)],
      ownDrift: rollouts.ownDrift,
    }),
    nodeHydration(deps),
    nodeTermination({ ...deps, evictions }),
    evictions.controller,
  ]
}

function classNames({ spec }: NodeClaim): readonly string[] {
  return [spec.nodeClassRef.name]
}

/** A change of a NodeClass concerns every claim that refers to it. */
function claimsOfNodeClass({ caches }: CommonParts) {
  const claims = caches.of(nodeClaims)
  const index = 'nodeClassRef.name'
  claims.addIndex(index, classNames)
  return source(ec2NodeClasses, ({ after, before }) =>
    isCountedOnly(before, after) ? [] : claims.by(index, (after ?? before).metadata.name).map(keyOf),
  )
}
