import type { NodePool } from '../../src/api/karpenter.ts'
import type { Node, Pod } from '../../src/api/kubernetes.ts'
import { annotationDoNotDisrupt, labelNodePool } from '../../src/api/labels.ts'
import { podRequests, toAmounts } from '../../src/embedded/scheduler/pod-requests.ts'
import { isActivePod, isDaemonPod } from './invariants/look.ts'
import { less, nodesAllowed } from './invariants/node-bound.ts'
import type { World } from './world.ts'

const resources = ['cpu', 'memory', 'pods']
/** Verdicts of the operator on nodes that it may not touch, whatever they cost, and on those whose room a buffer holds. */
const holding = new Set([
  'PodDoNotDisrupt',
  'NodeDoNotDisrupt',
  'PDBBlocked',
  'MultiplePDBs',
  'ConsolidationUndone',
  'BufferPods',
])

/** I16, at the end: an hour after the last change consolidation has had its time, so what is left is needed, or the operator says what holds it. */
export function fleetComplaints({ stack }: World): readonly string[] {
  const { store } = stack.cluster.apiServer.context
  const nodes = (store.list('/nodes') as unknown as readonly Node[]).filter(
    ({ metadata }) => metadata.labels?.[labelNodePool] !== undefined,
  )
  const podsOf = Map.groupBy(
    (store.list('/pods') as unknown as readonly Pod[]).filter(isActivePod),
    ({ spec }) => spec.nodeName ?? '',
  )
  const verdicts = (node: Node) => stack.operator.verdicts.of(node.metadata.name)
  // One that goes, as after its pool was pruned, stays while such a pod runs; budgets count it, so that others may have to stay as well.
  const isAwaited = ({ metadata }: Node): boolean =>
    metadata.deletionTimestamp !== undefined &&
    (podsOf.get(metadata.name) ?? []).some((pod) => pod.metadata.annotations?.[annotationDoNotDisrupt] === 'true')
  const pools = store.list('karpenter.sh/nodepools') as unknown as readonly NodePool[]
  // Static pools, and those that people told never to consolidate, keep what they have.
  const keeping = pools.filter(
    ({ spec }) => spec.replicas !== undefined || spec.disruption?.consolidateAfter === 'Never',
  )
  const keepers = new Set(keeping.map(({ metadata }) => metadata.name))
  const isKept = ({ metadata }: Node): boolean => keepers.has(metadata.labels?.[labelNodePool] ?? '')
  const isEmpty = ({ metadata }: Node): boolean => (podsOf.get(metadata.name) ?? []).every(isDaemonPod)
  // Its room is for the pods of a node that cannot end, for as long as they stay there.
  const hasWaitingPods = nodes.some((node) => node.metadata.deletionTimestamp !== undefined && !isEmpty(node))
  const isReserved = (node: Node): boolean => hasWaitingPods && verdicts(node).some(({ code }) => code === 'Nominated')
  const isHeld = (node: Node): boolean =>
    isAwaited(node) || isKept(node) || isReserved(node) || verdicts(node).some(({ code }) => holding.has(code))
  const idle = nodes
    .filter((node) => isEmpty(node) && !isHeld(node))
    .map(({ metadata }) => `${metadata.name} is left empty`)
  const [daemons, pods] = [true, false].map(
    (wanted) => (node: Node) =>
      (podsOf.get(node.metadata.name) ?? []).filter((pod) => isDaemonPod(pod) === wanted).map(podRequests),
  )
  const asked = nodes.flatMap((node) => pods?.(node) ?? [])
  const rooms = nodes.map((node) => less(toAmounts(node.status?.allocatable), daemons?.(node) ?? []))
  const allowed = nodesAllowed(asked, rooms, { parts: 1, resources }) + nodes.filter(isHeld).length
  return nodes.length > allowed ? [...idle, `${nodes.length} nodes are left, ${allowed} would do`] : idle
}
