import type { Node, Pod } from '../../api/kubernetes.ts'
import { type Amounts, podRequests, toAmounts } from './pod-requests.ts'

/** A node as the scheduler sees it: with the pods on it, those included that it has just placed itself. */
export interface NodeState {
  readonly node: Node
  readonly name: string
  readonly allocatable: Amounts
  readonly used: Map<string, number>
  readonly pods: Pod[]
  /** Pods that wait and whose `status.nominatedNodeName` is this node: their room is kept from pods that matter no more than they do. */
  readonly nominees: Set<Pod>
  /** Whether any of them keeps others away. */
  repels: boolean
}

export function toNodeState(node: Node, pods: readonly Pod[]): NodeState {
  const state: NodeState = {
    node,
    name: node.metadata.name,
    allocatable: toAmounts(node.status?.allocatable),
    used: new Map(),
    pods: [],
    nominees: new Set(),
    repels: false,
  }
  for (const pod of pods) addPod(state, pod)
  return state
}

export function addPod(state: NodeState, pod: Pod): void {
  state.pods.push(pod)
  if (keepsOthersAway(pod)) state.repels = true
  for (const [name, amount] of podRequests(pod)) state.used.set(name, (state.used.get(name) ?? 0) + amount)
}

function keepsOthersAway({ spec }: Pod): boolean {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
}

/** Takes back what `addPod` did. */
export function removePod(state: NodeState, pod: Pod): void {
  state.pods.splice(state.pods.indexOf(pod), 1)
  for (const [name, amount] of podRequests(pod)) state.used.set(name, (state.used.get(name) ?? 0) - amount)
  state.repels = state.pods.some(keepsOthersAway)
}

/** The node as it were with those of its nominees on it that `pod` may not push aside; the node itself when there are none. */
export function withNominees(state: NodeState, pod: Pod): NodeState {
  const others = [...state.nominees].filter(
    (nominee) => nominee.metadata.uid !== pod.metadata.uid && priorityOf(nominee) >= priorityOf(pod),
  )
  if (others.length === 0) return state
  const filled: NodeState = { ...state, used: new Map(state.used), pods: [...state.pods] }
  for (const other of others) addPod(filled, other)
  return filled
}

export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}

/** Pods that no longer run take nothing. */
export function holdsResources(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed'
}

/** Names of the resources that are short. */
export function shortages(state: NodeState, pod: Pod): readonly string[] {
  const short: string[] = []
  for (const [name, amount] of podRequests(pod)) {
    if (amount === 0) continue
    if ((state.used.get(name) ?? 0) + amount > (state.allocatable.get(name) ?? 0)) short.push(name)
  }
  return short
}

/** Whether the pod asks for more than the node would have if nothing else were on it. */
export function exceedsNode({ allocatable }: NodeState, pod: Pod): boolean {
  return [...podRequests(pod)].some(([name, amount]) => amount > 0 && amount > (allocatable.get(name) ?? 0))
}

interface HostPort {
  readonly port: number
  readonly ip: string
  readonly protocol: string
}

export function hasPortConflict(state: NodeState, pod: Pod): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  const any = '0.0.0.0'
  return state.pods.some((other) =>
    hostPorts(other).some((taken) =>
      wanted.some(
        (port) =>
          port.port === taken.port &&
          port.protocol === taken.protocol &&
          (port.ip === taken.ip || port.ip === any || taken.ip === any),
      ),
    ),
  )
}

function hostPorts(pod: Pod): readonly HostPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...pod.spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, containerPort, hostIP, protocol }) => {
      const port = hostPort ?? (pod.spec.hostNetwork === true ? containerPort : 0)
      return port > 0
        ? [{ port, ip: hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP, protocol: protocol ?? 'TCP' }]
        : []
    }),
  )
}
