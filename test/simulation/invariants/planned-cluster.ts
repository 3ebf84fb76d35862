import type { KubeObject, Node, Pod, ResourceListText } from '../../../src/api/kubernetes.ts'
import { labelCapacityType, labelHostname, labelInstanceType, labelZone } from '../../../src/api/labels.ts'
import { type NodeState, toNodeState } from '../../../src/embedded/scheduler/node-state.ts'
import type { PlacementWorld } from '../../../src/embedded/scheduler/filters.ts'
import type { Caches } from '../../../src/kube/controller.ts'
import { type ObjectKey, type Resource } from '../../../src/kube/resource.ts'
import { allocatableOf } from '../../../src/model/instance-type.ts'
import { isTerminal, type PodInfo, podKey } from '../../../src/model/pod.ts'
import type { Requirements } from '../../../src/model/requirements.ts'
import { type Resources, toResourceList } from '../../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../../src/model/snapshot.ts'
import type { NodePlan } from '../../../src/scheduling/index.ts'

/** A pod of the core as kube-scheduler reads it. */
export function toPod(info: PodInfo): Pod {
  const known = podsByInfo.get(info)
  if (known !== undefined) return known
  const { pods: _one, ...requests } = toResourceList(info.requests)
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: info.name,
      namespace: info.namespace,
      uid: info.uid,
      labels: info.labels,
      ...(info.deletedAt === undefined ? {} : { deletionTimestamp: new Date(info.deletedAt).toISOString() }),
    },
    spec: {
      nodeSelector: info.nodeSelector,
      affinity: info.affinity,
      tolerations: info.tolerations,
      topologySpreadConstraints: info.topologySpreadConstraints,
      containers: [
        {
          name: 'all',
          resources: { requests },
          ports: info.hostPorts.map(({ ip, port, protocol }) => ({ hostIP: ip, hostPort: port, protocol })),
        },
      ],
      volumes: info.volumes.map(({ name, claimName }) => ({ name, persistentVolumeClaim: { claimName } })),
    },
    status: {},
  } as unknown as Pod
  podsByInfo.set(info, pod)
  return pod
}

const podsByInfo = new WeakMap<PodInfo, Pod>()

/** Nodes as they are, without the pods that the plan moves. */
export function standingStates({ nodes }: Snapshot, moved: ReadonlySet<string>): readonly NodeState[] {
  return nodes.map((state) =>
    toNodeState(
      aNode(state.key, {
        labels: { ...state.labels, [labelHostname]: state.hostname },
        taints: state.taints,
        allocatable: state.allocatable,
        unschedulable: state.node?.spec.unschedulable === true,
      }),
      state.pods.filter((pod) => !moved.has(pod.uid) && !isTerminal(pod)).map(toPod),
    ),
  )
}

/**
 * A planned node as the least of what it may become: of each resource as much as every type has, in the first zone that it may start in.
 * Undefined when nothing fits the plan.
 */
export function plannedState(plan: NodePlan, name: string): NodeState | undefined {
  const [type] = plan.instanceTypes
  const offering = type?.offerings.find(({ available, requirements }) => available && fits(plan, requirements))
  if (type === undefined || offering === undefined) return undefined
  const labels = {
    ...single(type.requirements),
    ...single(offering.requirements),
    ...plan.labels,
    ...single(plan.requirements),
    [labelInstanceType]: type.name,
    [labelHostname]: name,
  }
  const allocatable = new Map<string, Resources extends ReadonlyMap<string, infer Q> ? Q : never>()
  const each = plan.instanceTypes.map(({ capacity, overhead }) => allocatableOf(capacity, overhead))
  for (const [resource, amount] of each[0] ?? []) {
    const least = each.reduce((found, other) => {
      const mine = other.get(resource)
      return mine === undefined || mine.compare(found) < 0 ? (mine ?? found.sub(found)) : found
    }, amount)
    allocatable.set(resource, least)
  }
  const taints = plan.pool.spec.template.spec.taints ?? []
  return toNodeState(aNode(name, { labels, taints, allocatable, unschedulable: false }), [])
}

/** Zones in which the plan may be launched. */
export function zonesOf(plan: NodePlan): ReadonlySet<string> {
  return new Set(
    plan.instanceTypes
      .flatMap(({ offerings }) => offerings)
      .filter(({ available, requirements }) => available && fits(plan, requirements))
      .flatMap(({ requirements }) => [...(requirements.get(labelZone)?.values ?? [])]),
  )
}

export function worldOf(states: readonly NodeState[], snapshot: Snapshot): PlacementWorld {
  return { states, caches: volumesOf(snapshot), namespaces: (name) => snapshot.namespaces.get(name) }
}

/** Of the caches, what volumes are looked up in. Free ones are left out: the solver has a new one made for each claim that waits. */
function volumesOf({ volumes: { claims, volumes, storageClasses, csiNodes } }: Snapshot): Caches {
  const byPlural: Record<string, ReadonlyMap<string, KubeObject>> = {
    persistentvolumeclaims: claims,
    persistentvolumes: volumes,
    storageclasses: storageClasses,
    csinodes: csiNodes,
  }
  const of = ({ plural }: Resource) => ({
    get: ({ namespace, name }: ObjectKey) =>
      byPlural[plural]?.get(namespace === undefined ? name : podKey({ namespace, name })),
    addIndex: () => undefined,
    by: () => [],
  })
  return { of } as unknown as Caches
}

function aNode(
  name: string,
  node: {
    readonly labels: Readonly<Record<string, string>>
    readonly taints: StateNode['taints']
    readonly allocatable: Resources
    readonly unschedulable: boolean
  },
): Node {
  const allocatable: ResourceListText = toResourceList(node.allocatable)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: node.labels },
    spec: { taints: node.taints, unschedulable: node.unschedulable },
    status: { allocatable },
  } as unknown as Node
}

/** Of offerings only zone and capacity type are asked: what else tells them apart is nothing that pods see. */
function fits({ requirements }: NodePlan, offered: Requirements): boolean {
  return [labelZone, labelCapacityType].every((key) => {
    const [value] = offered.get(key)?.values ?? []
    const wanted = requirements.get(key)
    return value === undefined || wanted === undefined || wanted.values.has(value) !== wanted.complement
  })
}

function single(requirements: Requirements): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const [key, { complement, values }] of requirements) {
    const [value] = values
    if (!complement && values.size === 1 && value !== undefined) labels[key] = value
  }
  return labels
}
