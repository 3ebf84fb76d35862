import {
  conditionReady,
  ec2NodeClassConditions,
  nodeOverlayConditions,
  nodePoolConditions,
} from '../../api/conditions.ts'
import type { EC2NodeClass, NodeOverlay, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { isSpecChange } from '../../kube/changes.ts'
import { type Caches, type Change, type Controller, type Source, source } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeOverlays, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { isCountedOnly } from '../rollout/counted-only.ts'
import { factsOfClass, factsOfPool, type WarningFactsDeps } from './facts.ts'
import { type MirrorDeps, warningsController } from './mirror.ts'

/**
 * A controller per kind that mirrors the webhook's warnings. NodeClaims are the operator's own, and no rule of ours speaks of
 * CapacityBuffers.
 */
export function warningControllers(
  deps: MirrorDeps &
    WarningFactsDeps & {
      readonly reservedCapacity: boolean
      /** Whether overlays are watched at all. */
      readonly withOverlays: boolean
    },
): readonly Controller[] {
  const { caches, fixed, reservedCapacity } = deps
  return [
    warningsController<NodePool>(deps, {
      resource: nodePools,
      conditions: nodePoolConditions,
      // Pools are held against each other and against the classes that exist.
      sources: [
        everyOne(caches, nodePools, nodePools, isSpecChange),
        everyOne(caches, ec2NodeClasses, nodePools, isMoreThanCounts),
      ],
      factsOf: (pool) => factsOfPool(deps, pool),
      isOurs: (pool) => nodeClassNameOf(pool) !== undefined,
    }),
    warningsController<EC2NodeClass>(deps, {
      resource: ec2NodeClasses,
      conditions: ec2NodeClassConditions({ reservedCapacity }),
      sources: [
        source(ec2NodeClasses, (change) =>
          isMoreThanCounts(change) && change.after !== undefined ? [keyOf(change.after)] : [],
        ),
      ],
      factsOf: (nodeClass) => factsOfClass(deps, nodeClass),
    }),
    warningsController<RolloutPolicy>(deps, {
      resource: rolloutPolicies,
      conditions: { root: conditionReady, dependents: [] },
      sources: [
        source(rolloutPolicies, (change) =>
          isSpecChange(change) && change.after !== undefined ? [keyOf(change.after)] : [],
        ),
      ],
      factsOf: () => fixed,
    }),
    ...(deps.withOverlays
      ? [
          warningsController<NodeOverlay>(deps, {
            resource: nodeOverlays,
            conditions: nodeOverlayConditions,
            sources: [everyOne(caches, nodeOverlays, nodeOverlays, isSpecChange)],
            factsOf: () => fixed,
          }),
        ]
      : []),
  ]
}

/** A change of one object of a kind concerns all of another. */
function everyOne<A extends KubeObject, B extends KubeObject>(
  caches: Caches,
  changed: Resource<A>,
  concerned: Resource<B>,
  counts: (change: Change<A>) => boolean = () => true,
): Source {
  const objects = caches.of(concerned)
  return source(changed, (change) => (counts(change) ? objects.list().map(keyOf) : []))
}

/** What a class resolves to is in its status and changes verdicts; how many of its nodes are up to date does not. */
function isMoreThanCounts({ before, after }: Change<EC2NodeClass>): boolean {
  return !isCountedOnly(before, after)
}
