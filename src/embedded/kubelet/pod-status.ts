import type { Container, ContainerStatus, Pod } from '../../api/kubernetes.ts'
import { toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'

export type PodStage = 'starting' | 'ready' | 'succeeded'

export interface PodMoment {
  readonly stage: PodStage
  /** The node's address; pods in the host's network have it, too. */
  readonly hostIP: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether containers that do not become ready crash instead of running on. */
  readonly crashes: boolean
}

/** The status that a kubelet reports for a pod that has come so far; conditions keep the times of what has not changed. */
export function podStatus(pod: Pod, { stage, hostIP, now: at, crashes }: PodMoment): object {
  const now = toTimestamp(at)
  const startTime = pod.status?.startTime ?? now
  const isUp = stage === 'ready' ? 'True' : 'False'
  const reason =
    stage === 'succeeded' ? { reason: 'PodCompleted' } : stage === 'ready' ? {} : { reason: 'ContainersNotReady' }
  let conditions = [...(pod.status?.conditions ?? [])]
  for (const type of ['PodReadyToStartContainers', 'Initialized']) {
    conditions = withCondition(conditions, { type, status: 'True' }, now)
  }
  for (const type of ['ContainersReady', 'Ready']) {
    conditions = withCondition(conditions, { type, status: isUp, ...reason }, now)
  }
  const podIP = pod.status?.podIP ?? (pod.spec.hostNetwork === true ? hostIP : podAddress(pod))
  const toStatus = (container: Container, index: number) =>
    containerStatus(container, { id: `${pod.metadata.uid}-${index}`, stage, startedAt: startTime, now, crashes })
  return {
    phase: stage === 'succeeded' ? 'Succeeded' : 'Running',
    conditions,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime,
    containerStatuses: pod.spec.containers.map(toStatus),
    ...(pod.spec.initContainers === undefined
      ? {}
      : {
          initContainerStatuses: pod.spec.initContainers.map((container, index) => {
            const sidecar = container.restartPolicy === 'Always'
            const state = sidecar && stage !== 'succeeded' ? 'ready' : 'succeeded'
            const id = `${pod.metadata.uid}-i${index}`
            return containerStatus(container, { id, stage: state, startedAt: startTime, now, crashes })
          }),
        }),
  }
}

interface ContainerMoment extends Pick<PodMoment, 'stage' | 'crashes'> {
  readonly id: string
  readonly startedAt: string
  readonly now: string
}

function containerStatus(
  container: Container,
  { id, stage, startedAt, now, crashes }: ContainerMoment,
): ContainerStatus & Record<string, unknown> {
  const crashing = stage === 'starting' && crashes
  const state: Record<string, unknown> = crashing
    ? { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } }
    : stage === 'succeeded'
      ? {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt,
            finishedAt: now,
            containerID: `containerd://${id}`,
          },
        }
      : { running: { startedAt } }
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    containerID: `containerd://${id}`,
    ready: stage === 'ready',
    started: stage !== 'succeeded' && !crashing,
    restartCount: crashing ? 5 : 0,
    state,
    lastState: {},
  }
}

/** An address of the pod network that depends on the pod alone. */
function podAddress(pod: Pod): string {
  let hash = 0
  for (const char of pod.metadata.uid) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0
  return `10.${64 + ((hash >>> 16) & 63)}.${(hash >>> 8) & 255}.${hash & 255}`
}
