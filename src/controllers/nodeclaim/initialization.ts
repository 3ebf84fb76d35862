import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { compareText } from '../../model/order.ts'
import { toResources } from '../../model/resources.ts'
import { matchesTaint, taintText } from '../../model/taints.ts'
import { isKnownEphemeralTaint, labelInitialized } from '../../api/labels.ts'
import type { MachineLookup } from './lookup.ts'
import type { ClaimStep } from './step.ts'

export interface InitializationDeps {
  readonly kube: KubeClient
  readonly lookup: MachineLookup
  /** The first DRA driver that the claim asked for and that has no complete pool on the node yet. */
  readonly missingDRADriver: (claim: NodeClaim, node: Node) => string | undefined
}

/** Why a registered node is not yet counted as ready for use. */
interface NotInitialized {
  readonly reason: string
  readonly message: string
}

/** Marks the node once it is what was asked for; it is never taken back. */
export function initializationStep(deps: InitializationDeps): ClaimStep {
  return async ({ claim, conditions }, { log }) => {
    if (!conditions.isUnknown('Initialized')) {
      conditions.refresh('Initialized')
      return {}
    }
    if (!conditions.isTrue('Registered')) return {}
    const node = deps.lookup.onlyNodeOf(claim)
    const missing = whyNotInitialized(claim, node, deps.missingDRADriver)
    if (missing !== undefined || node === undefined) {
      conditions.set('Initialized', 'Unknown', missing?.reason ?? '', missing?.message ?? '')
      return {}
    }
    if (node.metadata.labels?.[labelInitialized] !== 'true') {
      try {
        await deps.kube.patch(
          nodes,
          { name: node.metadata.name },
          { kind: 'merge', body: { metadata: { labels: { [labelInitialized]: 'true' } } } },
        )
      } catch (error) {
        return { error }
      }
    }
    log.info({ allocatable: node.status?.allocatable ?? {} }, 'initialized nodeclaim')
    conditions.setTrue('Initialized')
    return {}
  }
}

function whyNotInitialized(
  claim: NodeClaim,
  node: Node | undefined,
  missingDRADriver: InitializationDeps['missingDRADriver'],
): NotInitialized | undefined {
  if (node === undefined) return { reason: 'NodeNotFound', message: 'Node not registered with cluster' }
  if (!isConditionTrue(node, 'Ready')) return { reason: 'NodeNotReady', message: 'Node status is NotReady' }
  const taints = node.spec.taints ?? []
  const startup = (claim.spec.startupTaints ?? []).find((wanted) => taints.some((taint) => matchesTaint(taint, wanted)))
  if (startup !== undefined) {
    return { reason: 'StartupTaintsExist', message: `StartupTaint "${taintText(startup)}" still exists` }
  }
  const ephemeral = taints.find(isKnownEphemeralTaint)
  if (ephemeral !== undefined) {
    return {
      reason: 'KnownEphemeralTaintsExist',
      message: `KnownEphemeralTaint "${taintText(ephemeral)}" still exists`,
    }
  }
  const resource = unregisteredResource(claim, node)
  if (resource !== undefined) {
    return { reason: 'ResourceNotRegistered', message: `Resource "${resource}" was requested but not registered` }
  }
  const driver = missingDRADriver(claim, node)
  if (driver !== undefined) {
    return {
      reason: 'DRADriverPoolsNotPublished',
      message: `DRA driver "${driver}" has not published a complete resource pool`,
    }
  }
  return undefined
}

/** Device plugins announce themselves late: only what was asked for is waited for. */
function unregisteredResource(claim: NodeClaim, node: Node): string | undefined {
  const allocatable = toResources(node.status?.allocatable)
  return [...toResources(claim.spec.resources?.requests)]
    .toSorted(([a], [b]) => compareText(a, b))
    .find(([name, amount]) => !amount.isZero && (allocatable.get(name)?.isZero ?? true))?.[0]
}
