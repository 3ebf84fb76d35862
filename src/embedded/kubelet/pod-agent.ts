import type { Container, ContainerStatus, Pod } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import type { InstanceRecord } from '../aws/state.ts'
import { findCondition, withCondition } from '../conditions.ts'
import { podsByNode } from '../pods-by-node.ts'
import { type NodeBehaviour, runDurationAnnotation, usualBehaviour } from './behaviour.ts'
import { instanceIDOf, type NodeAgentDeps } from './node-agent.ts'

/** The part of each machine's kubelet that runs pods: what is bound to its node starts, becomes ready, ends and stops. */
export function createPodAgent(deps: NodeAgentDeps): Controller {
  const { caches, aws, behaviours } = deps
  caches.of(nodes)
  const boundTo = podsByNode(caches)
  const podsOn = (nodeName: string) => boundTo(nodeName).map(keyOf)
  return {
    name: 'embedded.kubelet.pod',
    sources: [
      source(pods, (change) => (change.after?.spec.nodeName === undefined ? [] : [keyOf(change.after)])),
      source(nodes, (change) => (change.kind === 'added' ? podsOn(change.after.metadata.name) : [])),
    ],
    triggers: [
      (enqueue) =>
        behaviours.subscribe(() => {
          for (const pod of caches.of(pods).list()) if (pod.spec.nodeName !== undefined) enqueue(keyOf(pod))
        }),
    ],
    concurrency: 1,
    async reconcile(key) {
      const pod = caches.of(pods).get(key)
      if (pod?.spec.nodeName === undefined) return done
      const machine = machineOf(deps, pod.spec.nodeName)
      if (machine === undefined) return done
      try {
        if (pod.metadata.deletionTimestamp !== undefined) return await stop(deps, pod, machine.behaviour)
        return await run(deps, pod, machine)
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) return done
        throw error
      }
    },
  }

  function machineOf({ clock }: NodeAgentDeps, nodeName: string) {
    const node = caches.of(nodes).get({ name: nodeName })
    if (node === undefined) return undefined
    const id = instanceIDOf(node.spec.providerID)
    // A node that no instance stands behind, e.g. one made by hand, runs its pods all the same.
    if (id === undefined) return { behaviour: usualBehaviour, address: '10.255.0.1', bootedAt: clock.now() }
    const instance = aws.account.instance(id)
    if (instance === undefined || !canRun(instance)) return undefined
    const behaviour = behaviours.of(instance)
    return behaviour.responds ? { behaviour, address: instance.privateIP, bootedAt: instance.launchedAt } : undefined
  }
}

/** Containers still stop while a machine shuts down. */
function canRun(instance: InstanceRecord): boolean {
  return instance.state === 'running' || instance.state === 'shutting-down'
}

async function stop({ client, clock }: NodeAgentDeps, pod: Pod, behaviour: NodeBehaviour): Promise<ReconcileResult> {
  if (behaviour.podsHang) return done
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000
  const askedAt = (parseTimestamp(pod.metadata.deletionTimestamp) ?? clock.now()) - graceMs
  const started = pod.status?.phase === 'Running'
  const wait = started ? askedAt + Math.min(graceMs, behaviour.podStopMs) - clock.now() : 0
  if (wait > 0) return requeueAfter(wait)
  await client.delete(pods, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } })
  return done
}

async function run(
  deps: NodeAgentDeps,
  pod: Pod,
  { behaviour, address }: { behaviour: NodeBehaviour; address: string },
): Promise<ReconcileResult> {
  const { clock } = deps
  const phase = pod.status?.phase ?? 'Pending'
  if (phase === 'Succeeded' || phase === 'Failed') return done
  const scheduled = findCondition(pod.status?.conditions, 'PodScheduled')?.lastTransitionTime
  const boundAt = parseTimestamp(scheduled) ?? parseTimestamp(pod.metadata.creationTimestamp) ?? clock.now()
  if (phase === 'Pending') {
    const wait = boundAt + behaviour.podStartMs - clock.now()
    if (wait > 0) return requeueAfter(wait)
    const ready = behaviour.podReadyMs === 0 && !behaviour.podsCrash
    await writeStatus(deps, pod, statusOf(deps, pod, address, ready ? 'ready' : 'starting', behaviour))
    return ready ? untilItEnds(deps, pod, clock.now(), behaviour) : requeueAfter(behaviour.podReadyMs)
  }
  const startedAt = parseTimestamp(pod.status?.startTime) ?? clock.now()
  if (behaviour.podsCrash) {
    if (isReady(pod)) await writeStatus(deps, pod, statusOf(deps, pod, address, 'starting', behaviour))
    return done
  }
  if (!isReady(pod)) {
    const wait = startedAt + behaviour.podReadyMs - clock.now()
    if (wait > 0) return requeueAfter(wait)
    await writeStatus(deps, pod, statusOf(deps, pod, address, 'ready', behaviour))
  }
  const ending = untilItEnds(deps, pod, startedAt, behaviour)
  if (ending.kind === 'requeue' && ending.afterMs <= 0) {
    await writeStatus(deps, pod, statusOf(deps, pod, address, 'succeeded', behaviour))
    return done
  }
  return ending
}

function isReady(pod: Pod): boolean {
  return findCondition(pod.status?.conditions, 'Ready')?.status === 'True'
}

/** Pods of a Job end by themselves, and so do others that say for how long they run. */
function untilItEnds({ clock }: NodeAgentDeps, pod: Pod, startedAt: number, { jobMs }: NodeBehaviour): ReconcileResult {
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return done
  const said = parseSeconds(pod.metadata.annotations?.[runDurationAnnotation])
  const ofJob = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true
  const durationMs = said ?? (ofJob ? jobMs : undefined)
  return durationMs === undefined ? done : requeueAfter(startedAt + durationMs - clock.now())
}

/** `90s`, `5m`, `1h`; undefined for anything else. */
function parseSeconds(text: string | undefined): number | undefined {
  const match = /^(\d+)(s|m|h)$/.exec(text ?? '')
  if (match === null) return undefined
  return Number(match[1]) * { s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as 's' | 'm' | 'h']
}

type Stage = 'starting' | 'ready' | 'succeeded'

function statusOf({ clock }: NodeAgentDeps, pod: Pod, hostIP: string, stage: Stage, behaviour: NodeBehaviour): object {
  const now = toTimestamp(clock.now())
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
    containerStatus(container, `${pod.metadata.uid}-${index}`, stage, startTime, now, behaviour)
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
            return containerStatus(container, `${pod.metadata.uid}-i${index}`, state, startTime, now, behaviour)
          }),
        }),
  }
}

function containerStatus(
  container: Container,
  id: string,
  stage: Stage,
  startedAt: string,
  now: string,
  behaviour: NodeBehaviour,
): ContainerStatus & Record<string, unknown> {
  const crashing = stage === 'starting' && behaviour.podsCrash
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

async function writeStatus({ client }: NodeAgentDeps, pod: Pod, status: object): Promise<void> {
  const body = { metadata: { uid: pod.metadata.uid }, status }
  await client.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
}

/** An address of the pod network that depends on the pod alone. */
function podAddress(pod: Pod): string {
  let hash = 0
  for (const char of pod.metadata.uid) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0
  return `10.${64 + ((hash >>> 16) & 63)}.${(hash >>> 8) & 255}.${hash & 255}`
}
