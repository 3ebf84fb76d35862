import type {
  Affinity,
  ObjectMeta,
  OwnerReference,
  Pod,
  Toleration,
  TopologySpreadConstraint,
} from '../api/kubernetes.ts'
import { compareText } from './order.ts'
import type { Resources } from './resources.ts'

/** A pod as the core thinks of it: quantities parsed, times in milliseconds, only what some decision reads. */
export interface PodInfo {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly ownerReferences: readonly OwnerReference[]
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly deletedAt: number | undefined
  /** `status.startTime`. */
  readonly startedAt: number | undefined
  /** Empty when unbound. */
  readonly nodeName: string
  readonly nominatedNodeName: string
  /** Set when it was the operator that nominated the pod, for a node that it planned; left out otherwise. */
  readonly ownNomination?: true
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  /** Reason of the PodScheduled condition, whatever its status; empty when there is none. */
  readonly scheduledReason: string
  /** Status of the Ready condition; undefined when there is none. */
  readonly ready: 'True' | 'False' | 'Unknown' | undefined
  readonly priority: number | undefined
  readonly priorityClassName: string
  readonly terminationGracePeriodSeconds: number | undefined
  /** Effective requests by the scheduler's rules, `pods: 1` included. */
  readonly requests: Resources
  /** Effective limits by the same rules, for metrics. */
  readonly limits: Resources
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly affinity: Affinity | undefined
  readonly tolerations: readonly Toleration[]
  readonly topologySpreadConstraints: readonly TopologySpreadConstraint[]
  readonly hostPorts: readonly HostPort[]
  readonly volumes: readonly PodVolume[]
  /** Whether the pod or any container names a DRA resource claim. */
  readonly hasResourceClaims: boolean
  /** The pod's resource claims in its own order; left out when it has none. */
  readonly resourceClaims?: readonly PodResourceClaim[]
  /** A capacity buffer's stand-in: takes part in the solve, is never nominated, bound or reported as a pod. */
  readonly virtualBuffer: { readonly namespace: string; readonly name: string } | undefined
}

export interface HostPort {
  readonly ip: string
  readonly port: number
  readonly protocol: string
}

/** The claim behind a volume: named by the pod, or made for it from an ephemeral template. */
export interface PodVolume {
  readonly name: string
  readonly claimName: string
}

/** `none`: the driver found that nothing has to be allocated; `awaited`: nobody has made the object from its template yet. */
export type PodResourceClaim =
  | { readonly kind: 'named'; readonly name: string; readonly claimName: string }
  | { readonly kind: 'none'; readonly name: string }
  | { readonly kind: 'awaited'; readonly name: string }

/** By namespace, then by name. */
export function comparePods(a: Pick<PodInfo, 'namespace' | 'name'>, b: Pick<PodInfo, 'namespace' | 'name'>): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}

export function podKey(pod: Pick<PodInfo, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`
}

export function isOwnedByDaemonSet(pod: Pick<PodInfo, 'ownerReferences'>): boolean {
  return pod.ownerReferences.some((owner) => owner.kind === 'DaemonSet' && owner.apiVersion === 'apps/v1')
}

/** Static and mirror pods belong to their node. */
export function isOwnedByNode(pod: Pick<PodInfo, 'ownerReferences'>): boolean {
  return pod.ownerReferences.some((owner) => owner.kind === 'Node' && owner.apiVersion === 'v1')
}

export function isOwnedByStatefulSet(pod: Pick<PodInfo, 'ownerReferences'>): boolean {
  return pod.ownerReferences.some((owner) => owner.kind === 'StatefulSet' && owner.apiVersion === 'apps/v1')
}

export function isTerminal(pod: Pick<PodInfo, 'phase'>): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed'
}

/** Neither finished nor being deleted. */
export function isActive(pod: Pick<PodInfo, 'phase' | 'deletedAt'>): boolean {
  return !isTerminal(pod) && pod.deletedAt === undefined
}

/** Pods that the scheduler found no node for and that are ours to help. Those that have ended it does not look at again. */
export function isProvisionable(pod: PodInfo): boolean {
  return (
    pod.nodeName === '' &&
    !isTerminal(pod) &&
    pod.scheduledReason === 'Unschedulable' &&
    (pod.nominatedNodeName === '' || pod.ownNomination === true) &&
    !isOwnedByDaemonSet(pod) &&
    !isOwnedByNode(pod)
  )
}

/** What `toPodInfo` reads of a pod. */
export type PodWire = Pick<Pod, 'spec' | 'status'> & { metadata: Pick<ObjectMeta, 'name'> & Partial<ObjectMeta> }
