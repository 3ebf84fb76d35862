import { conditionOf } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import {
  csiNodes,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  storageClasses,
} from '../../kube/kinds.ts'
import type { Patch } from '../../kube/port.ts'
import { keyOf, keyText, type ObjectKey } from '../../kube/resource.ts'
import { backOffMs } from '../../model/back-off.ts'
import { toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import type { Told } from '../events/event-log.ts'
import { podsByNode } from '../pods-by-node.ts'
import { referenceTo } from '../storage/new-volume.ts'
import { addPod, holdsResources, type NodeState, priorityOf, toNodeState } from './node-state.ts'
import type { PlacementWorld } from './filters.ts'
import { place, type ScheduleResult, type Unschedulable } from './placement.ts'
import { preempt, type Preemption, preemptionReason } from './preemption.ts'
import { madeVolumesFor, selectedNodeAnnotation } from './volumes.ts'

/** A pass waits this long for whatever else happens at the same moment, as a queue would. */
const gatherMs = 10

/** A pod of which the API server refuses a write is tried again so much later, as by kube-scheduler. */
const setBackMs = { baseMs: 1_000, maxMs: 10_000 }

/** Pods bound in one pass; more would hold up the process. */
const bindsMax = 200

interface SchedulerDeps extends EmbeddedDeps {
  readonly tell: (told: Told) => void
}

const pass: readonly ObjectKey[] = [{ name: 'pass' }]
const none: readonly ObjectKey[] = []

/**
 * A pod scheduler of its own, written from Kubernetes' documentation: it judges what the node autoscaler promised, so it shares no code
 * with the autoscaler's solver. Whenever something changes that may help a pod, it goes through all that wait, the most important and
 * oldest first. A pod that finds no place pushes less important ones aside where that helps; until they are gone the node is kept for it by
 * its nomination. A node that somebody else nominated a pod for is tried before all others and keeps room for it, too; the pod loses
 * the nomination when it finds no place at all, as from Kubernetes 1.35 on.
 */
export function createScheduler(deps: SchedulerDeps): Controller {
  const { caches, clock } = deps
  caches.of(namespaces)
  caches.of(podDisruptionBudgets)
  /** Bound by us, though the cache has not seen it yet. */
  const assumed = new Map<string, Pod>()
  const setBack: SetBack = new Map()

  return {
    name: 'embedded.scheduler',
    sources: [
      source(pods, ({ before, after }) => {
        if (after === undefined || before === undefined) return pass
        const freed = holdsResources(before) && !holdsResources(after)
        const changed = before.spec !== after.spec && !sameSpec(before, after)
        return freed || changed || before.metadata.labels !== after.metadata.labels ? pass : none
      }),
      source(nodes, ({ before, after }) => {
        if (after === undefined || before === undefined) return pass
        return sameForScheduling(before, after) ? none : pass
      }),
      source(persistentVolumeClaims, () => pass),
      source(persistentVolumes, () => pass),
      source(storageClasses, () => pass),
      source(csiNodes, () => pass),
    ],
    concurrency: 1,
    async reconcile(_key, { signal }) {
      await clock.sleep(gatherMs, signal)
      const finished = await schedule(deps, assumed, setBack)
      if (!finished) return requeueAfter(gatherMs)
      const moments = [...setBack.values()].map(({ until }) => until)
      return moments.length === 0 ? done : requeueAfter(Math.max(gatherMs, Math.min(...moments) - clock.monotonicMs()))
    },
  }
}

function sameSpec(before: Pod, after: Pod): boolean {
  return (
    before.spec.nodeName === after.spec.nodeName &&
    (before.spec.schedulingGates?.length ?? 0) === (after.spec.schedulingGates?.length ?? 0) &&
    JSON.stringify(before.spec.containers) === JSON.stringify(after.spec.containers)
  )
}

function sameForScheduling(before: NodeState['node'], after: NodeState['node']): boolean {
  const relevant = ({ metadata, spec, status }: NodeState['node']) =>
    JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status?.allocatable])
  return relevant(before) === relevant(after)
}

/** By UID, pods of which a write was refused, how often in a row, and until when they are left alone, in monotonic time. */
type SetBack = Map<string, { readonly failures: number; readonly until: number }>

/** Says whether it went through all that wait. */
async function schedule(deps: SchedulerDeps, assumed: Map<string, Pod>, setBack: SetBack): Promise<boolean> {
  const { caches, clock } = deps
  forgetSeen(deps, assumed)
  const now = clock.monotonicMs()
  const waiting = caches
    .of(pods)
    .list()
    .filter((pod) => isWaiting(pod) && !assumed.has(pod.metadata.uid))
    .toSorted(byImportance)
  const uids = new Set(waiting.map(({ metadata }) => metadata.uid))
  for (const uid of setBack.keys()) if (!uids.has(uid)) setBack.delete(uid)
  const ready = waiting.filter(({ metadata }) => (setBack.get(metadata.uid)?.until ?? now) <= now)
  if (ready.length === 0) return true
  const states = nodeStates(deps, assumed)
  const byName = new Map(states.map((state) => [state.name, state]))
  for (const pod of waiting) byName.get(nominationOf(pod))?.nominees.add(pod)
  const world = {
    states,
    caches,
    namespaces: (name: string) => caches.of(namespaces).get({ name })?.metadata.labels,
  }
  const { finished, left, freed } = await placeInTurn(deps, { assumed, setBack }, ready, world)
  // What the lapsed nominations held may serve those that came before them.
  if (finished && freed) return (await placeInTurn(deps, { assumed, setBack }, left, world)).finished
  return finished
}

interface Round {
  /** Whether each pod had its turn. */
  readonly finished: boolean
  /** Pods without a place and, by now, without a nomination. */
  readonly left: readonly Pod[]
  /** Whether any of them had had a nomination, for a node that is there. */
  readonly freed: boolean
}

async function placeInTurn(
  deps: SchedulerDeps,
  { assumed, setBack }: { readonly assumed: Map<string, Pod>; readonly setBack: SetBack },
  waiting: readonly Pod[],
  world: PlacementWorld,
): Promise<Round> {
  const refused = new Map<string, Refused>()
  const left: Pod[] = []
  let freed = false
  let binds = 0
  for (const pod of waiting) {
    if (binds >= bindsMax) return { finished: false, left, freed }
    const nominated = world.states.find(({ name }) => name === nominationOf(pod))
    const likeness = likenessOf(pod)
    const known = likeness === undefined ? undefined : refused.get(likeness)
    const placement = known?.placement ?? place(pod, world)
    if (placement.kind === 'unschedulable') {
      const preemption = known?.hopeless ?? preempt(pod, placement, world)
      if (likeness !== undefined) {
        refused.set(likeness, preemption.kind === 'none' ? { placement, hopeless: preemption } : { placement })
      }
      if (preemption.kind === 'underWay') continue
      if (preemption.kind === 'victims') {
        nominated?.nominees.delete(pod)
        const refusal = await makeRoom(deps, pod, { placement, preemption })
        if (refusal !== undefined) await putOff(pod, refusal)
        continue
      }
      const message = [placement.message, preemption.message].filter((text) => text !== '').join(' preemption: ')
      await sayUnplaced(deps, pod, { reason: 'Unschedulable', message })
      left.push(withoutNomination(pod))
      freed = nominated?.nominees.delete(pod) === true || freed
      continue
    }
    nominated?.nominees.delete(pod)
    const outcome = await carryOut(deps, pod, placement)
    if (outcome.kind === 'refused') {
      await putOff(pod, outcome.message)
      continue
    }
    setBack.delete(pod.metadata.uid)
    // Its room is kept for the rest of this pass; it is bound once its volumes are.
    if (outcome.kind === 'volumesFirst') addPod(placement.node, pod)
    if (outcome.kind !== 'bound') continue
    binds += 1
    const bound = { ...pod, spec: { ...pod.spec, nodeName: placement.node.name } }
    assumed.set(pod.metadata.uid, bound)
    addPod(placement.node, bound)
  }
  return { finished: true, left, freed }

  async function putOff(pod: Pod, message: string): Promise<void> {
    const failures = (setBack.get(pod.metadata.uid)?.failures ?? -1) + 1
    const until = deps.clock.monotonicMs() + backOffMs({ ...setBackMs, failures })
    setBack.set(pod.metadata.uid, { failures, until })
    await sayUnplaced(deps, pod, { reason: 'SchedulerError', message })
  }
}

/** What was found out about one pod, and holds for all that are like it until the end of a pass. */
interface Refused {
  readonly placement: Unschedulable
  /** Set when pushing others aside would not help either; where it would, each pod needs a room of its own. */
  readonly hopeless?: Extract<Preemption, { kind: 'none' }>
}

/** Empty when there is none. */
function nominationOf(pod: Pod): string {
  return pod.status?.nominatedNodeName ?? ''
}

function withoutNomination(pod: Pod): Pod {
  if (nominationOf(pod) === '') return pod
  const { nominatedNodeName: _lapsed, ...status } = pod.status ?? {}
  return { ...pod, status }
}

function isWaiting(pod: Pod): boolean {
  return (
    (pod.spec.nodeName ?? '') === '' &&
    pod.metadata.deletionTimestamp === undefined &&
    holdsResources(pod) &&
    (pod.spec.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    (pod.spec.schedulingGates ?? []).length === 0
  )
}

function byImportance(a: Pod, b: Pod): number {
  const priority = priorityOf(b) - priorityOf(a)
  if (priority !== 0) return priority
  if (a.metadata.creationTimestamp !== b.metadata.creationTimestamp) {
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1
  }
  return keyText(keyOf(a)) < keyText(keyOf(b)) ? -1 : 1
}

function nodeStates({ caches }: EmbeddedDeps, assumed: ReadonlyMap<string, Pod>): NodeState[] {
  const byNode = new Map<string, Pod[]>()
  for (const pod of assumed.values()) {
    const name = pod.spec.nodeName ?? ''
    byNode.set(name, [...(byNode.get(name) ?? []), pod])
  }
  const boundTo = podsByNode(caches)
  return caches
    .of(nodes)
    .list()
    .map((node) => {
      const { name } = node.metadata
      const bound = boundTo(name).filter(holdsResources)
      return toNodeState(node, [...bound, ...(byNode.get(name) ?? [])])
    })
}

/** Pods whose binding the cache knows by now, or that are gone. */
function forgetSeen({ caches }: EmbeddedDeps, assumed: Map<string, Pod>): void {
  for (const [uid, pod] of assumed) {
    const seen = caches.of(pods).get(keyOf(pod))
    if (seen === undefined || seen.metadata.uid !== uid || seen.spec.nodeName !== undefined) assumed.delete(uid)
  }
}

const likenesses = new WeakMap<Pod, string>()

/**
 * What two pods share when a refusal of one is a refusal of the other for the rest of a pass. Undefined where a pod placed in between
 * could help: with spread constraints, affinity to other pods, or volumes. Nor are nominated pods like any other: a node keeps room for them.
 */
function likenessOf(pod: Pod): string | undefined {
  const { spec } = pod
  const dependsOnOthers =
    nominationOf(pod) !== '' ||
    spec.topologySpreadConstraints !== undefined ||
    spec.affinity?.podAffinity !== undefined ||
    spec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) ===
      true
  if (dependsOnOthers) return undefined
  let likeness = likenesses.get(pod)
  if (likeness === undefined) {
    likeness = JSON.stringify([
      pod.metadata.namespace,
      pod.metadata.labels,
      spec.nodeSelector,
      spec.affinity,
      spec.tolerations,
      spec.priority,
      spec.preemptionPolicy,
      spec.overhead,
      spec.resources,
      spec.hostNetwork,
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources, ports, restartPolicy }) => [
        resources,
        ports,
        restartPolicy,
      ]),
    ])
    likenesses.set(pod, likeness)
  }
  return likeness
}

type Outcome =
  | { readonly kind: 'bound' | 'gone' | 'volumesFirst' }
  /** The API server, or somebody's webhook, does not take what has to be written: of this pod alone. */
  | { readonly kind: 'refused'; readonly message: string }

async function carryOut(
  deps: EmbeddedDeps,
  pod: Pod,
  placement: Extract<ScheduleResult, { kind: 'placed' }>,
): Promise<Outcome> {
  try {
    if (placement.volumes.waiting.length > 0) {
      await chooseNodeForVolumes(deps, placement)
      return { kind: 'volumesFirst' }
    }
    return { kind: (await bind(deps, pod, placement.node.name)) ? 'bound' : 'gone' }
  } catch (error) {
    // Another took the volume, or it has gone: the next pass chooses anew.
    if (isConflict(error) || isNotFound(error)) return { kind: 'gone' }
    if (error instanceof KubeError) return { kind: 'refused', message: error.message }
    throw error
  }
}

async function bind({ client }: EmbeddedDeps, pod: Pod, nodeName: string): Promise<boolean> {
  try {
    await client.bind(keyOf(pod), nodeName, { uid: pod.metadata.uid })
    return true
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false
    throw error
  }
}

async function chooseNodeForVolumes(
  { client }: EmbeddedDeps,
  { node, volumes }: Extract<ScheduleResult, { kind: 'placed' }>,
): Promise<void> {
  const made = madeVolumesFor(volumes.waiting, node.node)
  for (const { claim } of volumes.waiting) {
    const volume = made.get(claim)
    if (volume !== undefined) {
      if (volume.spec.claimRef !== undefined) continue
      const { name, resourceVersion } = volume.metadata
      const body = { metadata: { resourceVersion }, spec: { claimRef: referenceTo(claim) } }
      await client.patch(persistentVolumes, { name }, { kind: 'merge', body })
      continue
    }
    if (claim.metadata.annotations?.[selectedNodeAnnotation] !== undefined) continue
    const body = { metadata: { annotations: { [selectedNodeAnnotation]: node.name } } }
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body })
  }
}

/** Ends the pod's victims and keeps the node for it; says what the API server refuses of that, if anything. */
async function makeRoom(
  deps: SchedulerDeps,
  pod: Pod,
  {
    placement,
    preemption,
  }: { readonly placement: Unschedulable; readonly preemption: Extract<Preemption, { kind: 'victims' }> },
): Promise<string | undefined> {
  const { client } = deps
  const { node, victims, displaced } = preemption
  const nomination = { nominatedNodeName: node.name }
  try {
    for (const lesser of displaced) {
      node.nominees.delete(lesser)
      await client.patch(pods, keyOf(lesser), withdrawn(lesser), { subresource: 'status' })
    }
    for (const victim of victims) await endVictim(deps, { victim, pod, node })
    await sayUnplaced(deps, pod, { reason: 'Unschedulable', message: placement.message }, nomination)
    node.nominees.add({ ...pod, status: { ...pod.status, ...nomination } })
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

function withdrawn({ metadata: { uid } }: Pod): Patch {
  return { kind: 'merge', body: { metadata: { uid }, status: { nominatedNodeName: null } } }
}

/** No eviction: budgets were weighed when it was chosen. It gets its grace period. */
async function endVictim(
  { client, clock, tell }: SchedulerDeps,
  { victim, pod, node }: { readonly victim: Pod; readonly pod: Pod; readonly node: NodeState },
): Promise<void> {
  if (victim.metadata.deletionTimestamp !== undefined) return
  const { uid } = victim.metadata
  const why = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: preemptionReason,
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  } as const
  const body = { metadata: { uid }, status: { conditions: [{ ...why, lastTransitionTime: toTimestamp(clock.now()) }] } }
  try {
    await client.patch(pods, keyOf(victim), { kind: 'strategic', body }, { subresource: 'status' })
    await client.delete(pods, keyOf(victim), { preconditions: { uid } })
  } catch (error) {
    // Gone, or another of the same name: either way this one makes no trouble any more.
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  tell({
    about: victim,
    type: 'Normal',
    reason: 'Preempted',
    message: `Preempted by pod ${pod.metadata.uid} on node ${node.name}`,
    by: { component: 'default-scheduler', action: 'Preempting' },
  })
}

/** Whoever refuses the binding may refuse this as well: then nobody is told, and the next pod has its turn. */
async function sayUnplaced(
  { client, clock }: EmbeddedDeps,
  pod: Pod,
  refusal: { readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string },
  nomination: { readonly nominatedNodeName: string } = { nominatedNodeName: '' },
): Promise<void> {
  const known = conditionOf(pod, 'PodScheduled')
  const isNominated = nominationOf(pod) === nomination.nominatedNodeName
  if (known?.status === 'False' && known.message === refusal.message && isNominated) return
  const changed = isNominated ? {} : { nominatedNodeName: nomination.nominatedNodeName || null }
  const conditions = withCondition(
    pod.status?.conditions,
    { type: 'PodScheduled', status: 'False', ...refusal },
    toTimestamp(clock.now()),
  )
  const body = { metadata: { uid: pod.metadata.uid }, status: { conditions, ...changed } }
  try {
    await client.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
  }
}
