import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { InstanceRecord } from '../aws/state.ts'
import { podsByNode } from '../pods-by-node.ts'
import { type NodeBehaviour, runDurationAnnotation, usualBehaviour } from './behaviour.ts'
import { instanceIDOf, type NodeAgentDeps } from './node-agent.ts'
import { type PodStage, podStatus } from './pod-status.ts'

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
  const become = (stage: PodStage): Promise<void> => {
    const status = podStatus(pod, { stage, hostIP: address, now: clock.now(), crashes: behaviour.podsCrash })
    return writeStatus(deps, pod, status)
  }
  const scheduled = conditionOf(pod, 'PodScheduled')?.lastTransitionTime
  const boundAt = parseTimestamp(scheduled) ?? parseTimestamp(pod.metadata.creationTimestamp) ?? clock.now()
  if (phase === 'Pending') {
    const wait = boundAt + behaviour.podStartMs - clock.now()
    if (wait > 0) return requeueAfter(wait)
    const ready = behaviour.podReadyMs === 0 && !behaviour.podsCrash
    await become(ready ? 'ready' : 'starting')
    return ready ? untilItEnds(deps, pod, clock.now(), behaviour) : requeueAfter(behaviour.podReadyMs)
  }
  const startedAt = parseTimestamp(pod.status?.startTime) ?? clock.now()
  if (behaviour.podsCrash) {
    if (isReady(pod)) await become('starting')
    return done
  }
  if (!isReady(pod)) {
    const wait = startedAt + behaviour.podReadyMs - clock.now()
    if (wait > 0) return requeueAfter(wait)
    await become('ready')
  }
  const ending = untilItEnds(deps, pod, startedAt, behaviour)
  if (ending.kind === 'requeue' && ending.afterMs <= 0) {
    await become('succeeded')
    return done
  }
  return ending
}

function isReady(pod: Pod): boolean {
  return isConditionTrue(pod, 'Ready')
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

async function writeStatus({ client }: NodeAgentDeps, pod: Pod, status: object): Promise<void> {
  const body = { metadata: { uid: pod.metadata.uid }, status }
  await client.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
}
