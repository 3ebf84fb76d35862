import { conditionIn } from '../../api/conditions.ts'
import type { Node, Pod } from '../../api/kubernetes.ts'
import type { Teller, Told } from './event-log.ts'

const controller: Teller = { component: 'node-controller' }

/** Conditions that a kubelet tells of: what it says where one does not hold, and where it does. */
const pressures = [
  ['MemoryPressure', 'NodeHasSufficientMemory', 'NodeHasInsufficientMemory'],
  ['DiskPressure', 'NodeHasNoDiskPressure', 'NodeHasDiskPressure'],
  ['PIDPressure', 'NodeHasSufficientPID', 'NodeHasInsufficientPID'],
] as const

/** What kubelet and node controller tell when a node comes, changes or goes. */
export function nodeEvents(before: Node | undefined, after: Node | undefined): readonly Told[] {
  const node = after ?? before
  if (node === undefined) return []
  const { name } = node.metadata
  const byController = (reason: string, what: string): Told => {
    return { about: node, type: 'Normal', reason, message: `Node ${name} event: ${what}`, by: controller }
  }
  if (after === undefined) return [byController('RemovingNode', `Removing Node ${name} from Controller`)]
  const isNew = before === undefined
  return [
    ...(isNew ? [byKubelet(after, 'Starting', 'Starting kubelet.')] : []),
    ...pressures.flatMap(([type, without, within]) => pressure(before, after, { type, without, within })),
    ...(isNew ? [byController('RegisteredNode', `Registered Node ${name} in Controller`)] : []),
    ...readiness(before, after),
    ...cordon(before, after),
  ]
}

/** What becomes of the pods of a node that nobody hears of any more. */
export function strandedEvents(pods: readonly Pod[]): readonly Told[] {
  const common = { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready', by: controller } as const
  return pods.map((pod) => ({ about: pod, ...common }))
}

/** Whether the node controller has just given the node up. */
export function becameUnreachable(before: Node | undefined, after: Node | undefined): boolean {
  return readyOf(after) === 'Unknown' && before !== undefined && readyOf(before) !== 'Unknown'
}

function readiness(before: Node | undefined, after: Node): readonly Told[] {
  const [was, is] = [readyOf(before), readyOf(after)]
  if (was === is) return []
  if (is === 'True') return [statusNow(after, 'NodeReady')]
  if (was !== 'True') return []
  if (is === 'False') return [statusNow(after, 'NodeNotReady')]
  const { name } = after.metadata
  const message = `Node ${name} status is now: NodeNotReady`
  return [{ about: after, type: 'Normal', reason: 'NodeNotReady', message, by: controller }]
}

function readyOf(node: Node | undefined): string | undefined {
  return conditionIn(node?.status?.conditions, 'Ready')?.status
}

function pressure(
  before: Node | undefined,
  after: Node,
  { type, without, within }: { readonly type: string; readonly without: string; readonly within: string },
): readonly Told[] {
  const [was, is] = [before, after].map((node) => conditionIn(node?.status?.conditions, type)?.status)
  if (is === was || is === undefined || is === 'Unknown') return []
  return [statusNow(after, is === 'True' ? within : without)]
}

function cordon(before: Node | undefined, after: Node): readonly Told[] {
  const [was, is] = [before?.spec.unschedulable === true, after.spec.unschedulable === true]
  if (was === is || before === undefined) return []
  return [statusNow(after, is ? 'NodeNotSchedulable' : 'NodeSchedulable')]
}

function statusNow(node: Node, reason: string): Told {
  return byKubelet(node, reason, `Node ${node.metadata.name} status is now: ${reason}`)
}

/** A kubelet refers to its node by the name alone, which stands for the UID as well. */
function byKubelet(node: Node, reason: string, message: string): Told {
  const { name } = node.metadata
  const about = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } }
  return { about, type: 'Normal', reason, message, by: { component: 'kubelet', host: name } }
}
