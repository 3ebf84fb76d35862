import { conditionIn, conditionOf } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { textAt } from '../apiserver/json.ts'
import type { Teller, Told } from './event-log.ts'

const binding: Teller = { component: 'default-scheduler', action: 'Binding' }
const scheduling: Teller = { component: 'default-scheduler', action: 'Scheduling' }

/** Reasons why the scheduler has not placed a pod. */
const refusals: ReadonlySet<string> = new Set(['Unschedulable', 'SchedulerError'])

/** What scheduler and kubelet tell when a pod changes from `before` to `after`. */
export function podEvents(before: Pod | undefined, after: Pod): readonly Told[] {
  return [...scheduled(before, after), ...onNode(before, after)]
}

function scheduled(before: Pod | undefined, pod: Pod): readonly Told[] {
  const { name, namespace = '' } = pod.metadata
  const { nodeName } = pod.spec
  if (nodeName !== undefined) {
    // Pods that come with a node were placed by nobody.
    if (before === undefined || before.spec.nodeName !== undefined) return []
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`
    return [{ about: pod, type: 'Normal', reason: 'Scheduled', message, by: binding }]
  }
  const refusal = conditionOf(pod, 'PodScheduled')
  const known = conditionIn(before?.status?.conditions, 'PodScheduled')
  const { message = '' } = refusal ?? {}
  if (refusal?.status !== 'False' || !refusals.has(refusal.reason ?? '')) return []
  if (known?.status === 'False' && known.message === message) return []
  return [{ about: pod, type: 'Warning', reason: 'FailedScheduling', message, by: scheduling }]
}

function onNode(before: Pod | undefined, pod: Pod): readonly Told[] {
  const host = pod.spec.nodeName
  if (host === undefined || before === undefined) return []
  const by: Teller = { component: 'kubelet', host }
  const isRunning = pod.status?.phase === 'Running'
  const told: Told[] = []
  if (isRunning && before.status?.phase === 'Pending') {
    for (const { path, name, image } of containersOf(pod)) {
      const common = { about: pod, fieldPath: path, type: 'Normal', by } as const
      told.push({ ...common, reason: 'Pulled', message: `Container image "${image}" already present on machine` })
      told.push({ ...common, reason: 'Created', message: `Created container: ${name}` })
      told.push({ ...common, reason: 'Started', message: `Started container ${name}` })
    }
  }
  const crashing = crashingContainers(pod)
  const crashed = new Set(crashingContainers(before))
  for (const name of crashing.filter((each) => !crashed.has(each))) {
    const { name: podName, namespace = '', uid } = pod.metadata
    const message = `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`
    told.push({ about: pod, fieldPath: `spec.containers{${name}}`, type: 'Warning', reason: 'BackOff', message, by })
  }
  if (isRunning && pod.metadata.deletionTimestamp !== undefined && before.metadata.deletionTimestamp === undefined) {
    for (const { name } of pod.spec.containers) {
      const fieldPath = `spec.containers{${name}}`
      told.push({ about: pod, fieldPath, type: 'Normal', reason: 'Killing', message: `Stopping container ${name}`, by })
    }
  }
  return told
}

/** In the order in which they start. */
function containersOf({
  spec,
}: Pod): readonly { readonly path: string; readonly name: string; readonly image: string }[] {
  const of = (list: Pod['spec']['containers'] | undefined, field: string) =>
    (list ?? []).map(({ name, image = '' }) => ({ path: `spec.${field}{${name}}`, name, image }))
  return [...of(spec.initContainers, 'initContainers'), ...of(spec.containers, 'containers')]
}

function crashingContainers(pod: Pod): readonly string[] {
  return (pod.status?.containerStatuses ?? [])
    .filter(({ state }) => textAt(state, 'waiting', 'reason') === 'CrashLoopBackOff')
    .map(({ name }) => name)
}
