import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { labelCapacityType, labelInstanceType, labelZone, taintDisrupted } from '../../api/labels.ts'
import { catalogue, onDemandPrice, regionFacts } from '../../embedded/aws/catalogue.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import { sumPrices } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import { matchesTaint } from '../../model/taints.ts'
import type { Stack } from './stack.ts'

/** What a person would ask about the fleet at one moment, read from the operator's own caches. */
export interface FleetSummary {
  readonly nodes: readonly FleetNode[]
  readonly runningPods: number
  readonly waitingPods: number
  /** US dollars per hour of the nodes of NodePools. */
  readonly costPerHour: number
  /** Nodes being drained or about to be, as budgets count them. */
  readonly disrupted: number
}

interface FleetNode {
  readonly name: string
  readonly instanceType: string
  readonly zone: string
  readonly capacityType: string
  readonly image: string
  readonly isReady: boolean
  readonly pods: number
}

export function readFleet({ operator, cluster }: Pick<Stack, 'operator' | 'cluster'>): FleetSummary {
  const claims = operator.caches.of(nodeClaims).list()
  const all = operator.caches.of(pods).list().filter(isWorkload)
  const nodeCache = operator.caches.of(nodes)
  const podsOn = new Map<string, number>()
  for (const { spec } of all) podsOn.set(spec.nodeName ?? '', (podsOn.get(spec.nodeName ?? '') ?? 0) + 1)
  const rows = claims.map((claim): FleetNode => {
    const labels = claim.metadata.labels ?? {}
    const node = claim.status?.nodeName ?? ''
    return {
      name: node === '' ? claim.metadata.name : node,
      instanceType: labels[labelInstanceType] ?? '',
      zone: labels[labelZone] ?? '',
      capacityType: labels[labelCapacityType] ?? '',
      image: claim.status?.imageID ?? '',
      isReady: isConditionTrue(claim, 'Initialized'),
      pods: node === '' ? 0 : (podsOn.get(node) ?? 0),
    }
  })
  return {
    nodes: rows.toSorted((a, b) => compareText(a.name, b.name)),
    runningPods: all.filter(isReady).length,
    waitingPods: all.filter((pod) => (pod.spec.nodeName ?? '') === '').length,
    costPerHour: sumPrices(claims.map((claim) => priceOf(claim, cluster.aws.account.region.name))),
    disrupted: claims.filter((claim) => {
      // Once drained, an instance that is on its way out holds nobody up any more: budgets do not count it either.
      if (isConditionTrue(claim, 'InstanceTerminating')) return false
      const taints = nodeCache.get({ name: claim.status?.nodeName ?? '' })?.spec.taints ?? []
      return (
        claim.metadata.deletionTimestamp !== undefined || taints.some((taint) => matchesTaint(taint, taintDisrupted))
      )
    }).length,
  }
}

export function isReady(pod: Pod): boolean {
  return isConditionTrue(pod, 'Ready')
}

/** Pods of the user's own namespaces; the cluster's own agents are not what a fleet is for. */
function isWorkload(pod: Pod): boolean {
  return pod.metadata.namespace === 'default' && pod.metadata.deletionTimestamp === undefined
}

function priceOf(claim: NodeClaim, region: string): number {
  const type = catalogue().get(claim.metadata.labels?.[labelInstanceType] ?? '')
  return type === undefined ? 0 : (onDemandPrice(type, regionFacts(region)) ?? 0)
}
