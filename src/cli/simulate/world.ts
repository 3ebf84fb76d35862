import { conditionOf } from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { KubeObject, Node, Pod } from '../../api/kubernetes.ts'
import { labelNodePool } from '../../api/labels.ts'
import { toStateNode } from '../../cluster/state-node.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { comparePods, isTerminal, type PodInfo } from '../../model/pod.ts'
import { withDefaultRequests } from '../../model/pod-requests.ts'
import type { InstanceTypeList, Snapshot, StateNode } from '../../model/snapshot.ts'
import { selects } from '../../model/label-selector.ts'
import { toPodInfo } from '../../model/to-pod-info.ts'
import { isManaged } from './managed.ts'
import { type SimulationObjects, unstoredVersion } from './objects.ts'

export interface WorldOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly instanceTypes: (pool: NodePool) => InstanceTypeList
}

/** The snapshot that a live cluster of just these objects would give. */
export function buildWorld(given: SimulationObjects, options: WorldOptions): Snapshot {
  const objects = managedOnly(given)
  const pods = objects.pods.map((pod) => toPodInfo(asScheduled(withRequests(withPriority(pod, objects)))))
  const nodePools = objects.nodePools.map((pool) => withReadiness(pool, objects)).toSorted(byName)
  return {
    now: options.now,
    nodes: stateNodes(objects, pods),
    unboundPods: pods.filter((pod) => pod.nodeName === '' && !isTerminal(pod)).toSorted(comparePods),
    nodePools,
    instanceTypes: new Map(nodePools.map((pool) => [pool.metadata.name, options.instanceTypes(pool)])),
    daemonSets: objects.daemonSets.map((daemonSet) => ({ daemonSet, newestPod: newestPodOf(daemonSet, pods) })),
    namespaces: new Map(objects.namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
    podDisruptionBudgets: objects.podDisruptionBudgets.map((budget) => withAllowance(budget, pods)),
    volumes: {
      claims: byKey(objects.persistentVolumeClaims),
      volumes: byKey(objects.persistentVolumes),
      storageClasses: byKey(objects.storageClasses),
      csiNodes: byKey(objects.csiNodes),
    },
    devices: {
      claims: byKey(objects.resourceClaims),
      classes: byKey(objects.deviceClasses),
      slices: objects.resourceSlices.toSorted(byName),
    },
    spreadOwners: {
      services: objects.services,
      replicaSets: byKey(objects.replicaSets),
      replicationControllers: byKey(objects.replicationControllers),
      statefulSets: byKey(objects.statefulSets),
    },
  }
}

function managedOnly(objects: SimulationObjects): SimulationObjects {
  return {
    ...objects,
    nodePools: objects.nodePools.filter(isManaged),
    nodeClaims: objects.nodeClaims.filter(isManaged),
  }
}

/**
 * When the cluster was recorded, which is the time to decide for: the newest moment at which something has happened, as far as any object tells.
 * Moments to come (the end of a soak, of a reservation) do not count, nor do annotations, which tell of both.
 */
export function newestTimestamp(objects: SimulationObjects): number {
  let newest = 0
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value)) newest = Math.max(newest, parseTimestamp(value) ?? 0)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) if (!timesToCome.has(key)) visit(inner)
    }
  }
  for (const list of Object.values(objects)) {
    for (const object of list as readonly (KubeObject & { status?: unknown })[]) {
      newest = Math.max(newest, deletionAskedAt(object) ?? 0)
      visit([object.metadata.creationTimestamp, object.status])
    }
  }
  return newest
}

/** Fields of statuses that name a moment that may lie ahead. */
const timesToCome: ReadonlySet<string> = new Set(['soakedUntil', 'nextWindowTime', 'deadlineTime', 'endTime'])

/** The API server writes down when the grace period of a deleted object ends. */
function deletionAskedAt({ metadata }: KubeObject): number | undefined {
  const endsAt = parseTimestamp(metadata.deletionTimestamp)
  return endsAt === undefined ? undefined : endsAt - (metadata.deletionGracePeriodSeconds ?? 0) * 1_000
}

/**
 * A pod written by hand says nothing of its status: unbound it waits for a node, bound it runs. Of one that a cluster has, no scheduler has
 * said anything yet.
 */
function asScheduled(pod: Pod): Pod {
  const isBound = (pod.spec.nodeName ?? '') !== ''
  if (isBound) return pod.status?.phase === undefined ? { ...pod, status: { ...pod.status, phase: 'Running' } } : pod
  if (pod.status?.conditions !== undefined || (pod.status?.phase ?? 'Pending') !== 'Pending') return pod
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) return pod
  if (pod.status?.phase !== undefined && pod.metadata.resourceVersion !== unstoredVersion) return pod
  const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }]
  return { ...pod, status: { ...pod.status, phase: 'Pending', conditions } }
}

/** Manifests have not been through the API server. */
function withRequests(pod: Pod): Pod {
  return { ...pod, spec: withDefaultRequests(pod.spec) }
}

function withPriority(pod: Pod, { priorityClasses }: SimulationObjects): Pod {
  if (pod.spec.priority !== undefined) return pod
  const named = pod.spec.priorityClassName
  const found = priorityClasses.find(({ metadata, globalDefault }) =>
    named === undefined ? globalDefault === true : metadata.name === named,
  )
  return found === undefined ? pod : { ...pod, spec: { ...pod.spec, priority: found.value } }
}

/**
 * A pool whose status says nothing is taken as ready when its class is in the input (and does not say otherwise) or an own
 * catalogue stands in for all classes.
 */
export function withReadiness(pool: NodePool, objects: SimulationObjects): NodePool {
  if (conditionOf(pool, 'Ready') !== undefined) return pool
  const { name } = pool.spec.template.spec.nodeClassRef
  const nodeClass = objects.nodeClasses.find(({ metadata }) => metadata.name === name)
  const stated = nodeClass === undefined ? undefined : conditionOf(nodeClass, 'Ready')
  const isReady =
    stated === undefined ? nodeClass !== undefined || objects.catalogues.length > 0 : stated.status === 'True'
  const condition = isReady
    ? { status: 'True' as const, reason: 'Ready', message: '' }
    : { status: 'False' as const, reason: 'UnhealthyDependents', message: 'NodeClassReady=False' }
  const lastTransitionTime = pool.metadata.creationTimestamp
  const absent = {
    type: 'NodeClassReady',
    status: 'False' as const,
    reason: 'NodeClassNotFound',
    message: 'NodeClass not found on cluster',
  }
  const conditions = [
    ...(pool.status?.conditions ?? []),
    ...(nodeClass === undefined && !isReady ? [{ lastTransitionTime, ...absent }] : []),
    { type: 'Ready', lastTransitionTime, ...condition },
  ]
  return { ...pool, status: { ...pool.status, conditions } }
}

function stateNodes(objects: SimulationObjects, pods: readonly PodInfo[]): readonly StateNode[] {
  const machines = new Map<string, { node?: Node; nodeClaim?: NodeClaim }>()
  for (const nodeClaim of objects.nodeClaims) {
    const key = nodeClaim.status?.providerID ?? ''
    // A claim that has not been launched is no capacity yet.
    if (key !== '') machines.set(key, { ...machines.get(key), nodeClaim })
  }
  for (const node of objects.nodes) {
    const key = keyOfNode(node, objects)
    machines.set(key, { ...machines.get(key), node })
  }
  const podsByNode = Map.groupBy(
    pods.filter((pod) => pod.nodeName !== '' && !isTerminal(pod)),
    (pod) => pod.nodeName,
  )
  const csiNodes = new Map(objects.csiNodes.map((csiNode) => [csiNode.metadata.name, csiNode]))
  return [...machines]
    .map(([key, { node, nodeClaim }]) => {
      const name = node?.metadata.name ?? ''
      const bound = (podsByNode.get(name) ?? []).toSorted(comparePods)
      return toStateNode({
        key,
        node,
        nodeClaim,
        csiNode: csiNodes.get(name),
        pods: bound,
        nominatedUntil: 0,
        marked: false,
      })
    })
    .toSorted((a, b) => compareText(a.name, b.name) || compareText(a.key, b.key))
}

/** A node without provider ID still belongs to the claim that names it. */
function keyOfNode(node: Node, { nodeClaims }: SimulationObjects): string {
  const { providerID = '' } = node.spec
  if (providerID !== '') return providerID
  if (node.metadata.labels?.[labelNodePool] === undefined) return node.metadata.name
  const claim = nodeClaims.find(({ status }) => status?.nodeName === node.metadata.name)
  return claim?.status?.providerID ?? node.metadata.name
}

/** A budget that no controller has looked at: what its controller would allow for the pods of the input. */
function withAllowance(
  budget: SimulationObjects['podDisruptionBudgets'][number],
  pods: readonly PodInfo[],
): SimulationObjects['podDisruptionBudgets'][number] {
  if (budget.status?.disruptionsAllowed !== undefined) return budget
  const { namespace = '' } = budget.metadata
  const matching = pods.filter((pod) => pod.namespace === namespace && selects(budget.spec.selector, pod.labels))
  const healthy = matching.filter((pod) => pod.phase === 'Running' && pod.deletedAt === undefined).length
  const { minAvailable, maxUnavailable } = budget.spec
  const wanted =
    minAvailable === undefined
      ? matching.length - scaled(maxUnavailable ?? 0, matching.length)
      : scaled(minAvailable, matching.length)
  return { ...budget, status: { ...budget.status, disruptionsAllowed: Math.max(0, healthy - wanted) } }
}

/** Percentages round up, as the disruption controller rounds them. */
function scaled(amount: number | string, total: number): number {
  const percent = typeof amount === 'string' ? /^(\d+)%$/.exec(amount)?.[1] : undefined
  return percent === undefined ? Number(amount) : Math.ceil((Number(percent) * total) / 100)
}

function newestPodOf(
  daemonSet: SimulationObjects['daemonSets'][number],
  pods: readonly PodInfo[],
): PodInfo | undefined {
  const { namespace, name, uid } = daemonSet.metadata
  return pods
    .filter(
      (pod) =>
        pod.namespace === namespace &&
        pod.ownerReferences.some((owner) => owner.kind === 'DaemonSet' && (owner.uid === uid || owner.name === name)),
    )
    .toSorted((a, b) => b.createdAt - a.createdAt || compareText(a.name, b.name))[0]
}

function byKey<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [keyText(keyOf(object)), object]))
}

function byName(a: KubeObject, b: KubeObject): number {
  return compareText(a.metadata.name, b.metadata.name)
}
